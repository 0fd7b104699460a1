/* SPDX-License-Identifier: BSD-3-Clause */
/* orders.h - what reorder_ranks has found of a topology: one that compiles the schedules of many
 * ranks, or of one rank again and again, asks for the same few orders each time, and to find one
 * takes as long as all else of a schedule. Threads may ask and keep at the same time.
 */
#ifndef TUTTI_TOPO_ORDERS_H
#define TUTTI_TOPO_ORDERS_H

#include "topo/reorder.h"

/* Of so many ranks at most, and so many orders: at most 128 KiB. */
enum { ORDERS_RANKS = 1024, ORDERS_MOST = 16 };

/* As reorder_ranks. False: it is not known. */
bool orders_find(const topo *t, reorder_pattern pattern, const int *ranks, int n, int *order);

/* Where there is room. False: out of memory. */
bool orders_keep(const topo *t, reorder_pattern pattern, const int *ranks, int n, const int *order);

topo_orders *orders_make(void);
void orders_free(topo_orders *o);

#endif
