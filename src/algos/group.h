/* SPDX-License-Identifier: BSD-3-Clause */
/* group.h - the ranks an algorithm works on: an ordered list and my index in it.
 *
 * Algorithms compute with indices 0..size-1, with wrap-around; peer() turns one into a rank.
 */
#ifndef TUTTI_GROUP_H
#define TUTTI_GROUP_H

#include "topo/topo.h"

typedef struct group {
    int size, index;
    const int *ranks; /* [size], borrowed; NULL: index i is rank i */
    const topo *topo; /* where all ranks are, borrowed; NULL: not known, or all on one node */
} group;

/* x mod n in 0..n-1, also for negative x. */
static inline int wrap(int x, int n)
{
    int rest = x % n;

    return rest < 0 ? rest + n : rest;
}

/* The rank of group index i, which wraps around. */
static inline int peer(const group *g, int i)
{
    i = wrap(i, g->size);
    return g->ranks ? g->ranks[i] : i;
}

#endif
