/* SPDX-License-Identifier: BSD-3-Clause */
/* scan_lanes.h - what scan and exscan have in common on lanes: the sum of all nodes before mine. */
#ifndef TUTTI_SCAN_LANES_H
#define TUTTI_SCAN_LANES_H

#include "algos/lanes.h"

typedef struct scan_lanes {
    lanes l;
    blockrow before; /* scratch: the sum of the nodes before mine, if there are any */
} scan_lanes;

/* False: there are no nodes, or they do not hold ranks that follow one another. */
bool scan_lanes_before(scan_lanes *l, const algo_options *o, const group *g, const blockmap *b,
                       sched_builder *s);

#endif
