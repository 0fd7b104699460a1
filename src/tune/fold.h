/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.h - ranks that stand for others. Pure.
 *
 * On nodes that are the same many algorithms do the same on every node: then the ranks of one node
 * stand for those of all. A message to another node goes to the rank of this one that has the same
 * position in its node, and the one that comes in from there is like it:
 *
 *   rank    0 1 2 3 | 4 5 6 7 | ...       message 3 -> 4   becomes   3 -> 0, between nodes
 *   stands  0 1 2 3 | 0 1 2 3 | ...
 *
 * Where all ranks share one node, or each has its own, one stands for all.
 */
#ifndef TUTTI_FOLD_H
#define TUTTI_FOLD_H

#include "topo/topo.h"

typedef struct fold {
    int n;           /* ranks that stand for others */
    int *who;        /* [n]: their numbers */
    int *of;         /* [p]: which one of them stands for a rank */
    const int *node; /* [p], the topology's; NULL: all are on one node */
    int represents;  /* so many ranks of its node does each stand for */
} fold;

/* The ranks of the last node that has as many as any stand for all, because where blocks wrap it is
 * the last ranks that have several ranges of them to send. Where ranks are dealt to the nodes one
 * by one they are not like the others, and what is folded says so (stepgraph.h). t: NULL: all ranks
 * on one node. False: out of memory, or nobody stands for another. */
bool fold_make(fold *f, const topo *t, int p);
void fold_free(fold *f);

/* Are two ranks on different nodes? */
static inline bool fold_is_far(const fold *f, int a, int b)
{
    return f->node && f->node[a] != f->node[b];
}

#endif
