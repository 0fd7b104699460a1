/* SPDX-License-Identifier: BSD-3-Clause */
/* hierarchical.h - what the hierarchical allgathers have in common. */
#ifndef TUTTI_HIERARCHICAL_H
#define TUTTI_HIERARCHICAL_H

#include "algos/algo.h"

/* Gather to the first rank of each node, allgather among those, broadcast inside nodes. o->variant
 * is a tree. reorder: each phase orders its ranks for its own pattern. */
void hierarchical_allgather(const algo_options *o, const group *g, const blockmap *b,
                            sched_builder *s, bool reorder);

#endif
