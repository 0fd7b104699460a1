/* SPDX-License-Identifier: BSD-3-Clause */
/* critical_path.h - how long the schedules of all ranks take, in block transfers (of a vector that
 * is cut: in transfers of its parts).
 *
 * Two figures. The chain: the largest number of blocks in messages of which each needs the one
 * before. And the time on ports: each rank sends one message at a time and receives one at a time,
 * of as many units as it has blocks; messages between regions use ports of their own, because
 * another device moves them. A message starts when it is ready and both ports are free, the oldest
 * first. Local work takes no time.
 */
#ifndef TUTTI_CRITICAL_PATH_H
#define TUTTI_CRITICAL_PATH_H

#include "nbc/sched/sched.h"
#include "topo/topo.h"

typedef struct critical_path {
    int64_t chain;    /* blocks */
    int messages;     /* in that chain */
    int64_t on_ports; /* time of the whole */
    int nphases;
    const char *phase[SCHED_PHASES];      /* their names */
    int64_t phase_on_ports[SCHED_PHASES]; /* time of each alone, as if its input were there */
} critical_path;

/* of: the schedules of ranks 0 to p - 1. t: NULL if all are on one node. False: out of memory. */
bool critical_path_find(sched *const of[], int p, const topo *t, critical_path *result);

#endif
