/* SPDX-License-Identifier: BSD-3-Clause */
/* scan_levels.h - what scan and exscan have in common over nodes with leaders: the sum of all nodes
 * before mine. */
#ifndef TUTTI_SCAN_LEVELS_H
#define TUTTI_SCAN_LEVELS_H

#include "algos/levels.h"

typedef struct scan_levels {
    division d;      /* the last rank of each node leads it */
    blockrow before; /* scratch: the sum of the nodes before mine, if there are any */
} scan_levels;

/* False: there is nothing to divide, or regions do not hold ranks that follow one another. */
bool scan_levels_divide(scan_levels *l, const group *g, const blockmap *b, int level,
                        sched_builder *s);

/* sum: that of my node, at its leader. */
void scan_levels_before(const scan_levels *l, const algo_options *o, const blockmap *b,
                        const blockrow *sum, sched_builder *s);

#endif
