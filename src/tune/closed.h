/* SPDX-License-Identifier: BSD-3-Clause */
/* closed.h - how long a collective takes by the schedule of one rank, if all do the same at a time:
 * its k-th message comes when its own k-th has gone as far. Pure, and the same on every machine;
 * linear in the steps of that rank.
 *
 * Where ranks differ (trees, chains) it is too short a time: a first estimate, which sorts what
 * estimate.h is asked about.
 */
#ifndef TUTTI_CLOSED_H
#define TUTTI_CLOSED_H

#include "nbc/sched/sched.h"
#include "topo/topo.h"
#include "tune/constants.h"

#include <stdbool.h>
#include <stdint.h>

/* What a rank sends and receives, in bytes: inside its node, and from and to others; and the
 * longest message of those. */
typedef struct closed_traffic {
    int64_t inside, far, longest;
} closed_traffic;

/* A call, and where it runs. */
typedef struct closed_call {
    int64_t count, size; /* as in estimate_find */
    const topo *t;       /* NULL: all ranks on one node */
    const constants *k;
    int64_t inside, far; /* so many messages share a node's memory, and its links: 1 is the least */
} closed_call;

typedef struct closed_form {
    int64_t time;  /* picoseconds */
    int64_t steps; /* of the rank */
} closed_form;

closed_traffic closed_traffic_of(const sched *s, int rank, const closed_call *c);

/* False: out of memory. */
bool closed_find(const sched *s, int rank, const closed_call *c, closed_form *result);

#endif
