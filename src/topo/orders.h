/* SPDX-License-Identifier: BSD-3-Clause */
/* orders.h - orders of ranks that have been found, and by what: one that compiles the schedules of
 * many ranks, or of one rank again and again, asks for the same few orders each time, and to find
 * one takes as long as all else of a schedule. Each topology has its own (reorder.h). Threads may
 * ask and keep at the same time.
 */
#ifndef TUTTI_TOPO_ORDERS_H
#define TUTTI_TOPO_ORDERS_H

#include <stdbool.h>

/* At most so many ranks, and so many orders: 128 KiB. */
enum { ORDERS_RANKS = 1024, ORDERS_MOST = 16 };

typedef struct orders orders;

/* NULL: out of memory. */
orders *orders_make(void);
void orders_free(orders *o);

/* By this pattern, of these n ranks; NULL: 0 to n - 1. False: it is not known. */
bool orders_find(const orders *o, int pattern, const int *ranks, int n, int *order);

/* Where there is room. False: out of memory. */
bool orders_keep(orders *o, int pattern, const int *ranks, int n, const int *order);

#endif
