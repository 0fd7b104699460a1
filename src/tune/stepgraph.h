/* SPDX-License-Identifier: BSD-3-Clause */
/* stepgraph.h - the schedules of all ranks as one graph: which send meets which receive. Pure.
 *
 * Steps are numbered rank after rank, in program order. The k-th message of a to b is the k-th that
 * b has from a. Folded, a and b are the ranks that stand for both, and messages between nodes and
 * inside are counted apart.
 */
#ifndef TUTTI_STEPGRAPH_H
#define TUTTI_STEPGRAPH_H

#include "nbc/sched/sched.h"
#include "tune/fold.h"

typedef struct stepgraph {
    sched *const *of; /* [p], the caller's */
    const fold *fold; /* the caller's, or NULL */
    int p, n;         /* ranks, and steps of all of them */
    int *base;        /* [p + 1]: where those of each rank begin */
    int *rank;        /* [n]: whose step it is: index in `of` */
    int *peer;        /* [n]: of a send its receive, and the other way; else -1 */
} stepgraph;

/* of: the schedules of ranks 0 to p - 1; or, folded, of fold->who (p is fold->n); they must outlive
 * it. False: out of memory, too many steps, or some message has no other end: then it does not
 * fold. */
bool stepgraph_make(stepgraph *g, sched *const of[], int p, const fold *fold);
void stepgraph_free(stepgraph *g);

static inline const step *stepgraph_step(const stepgraph *g, int i)
{
    return &g->of[g->rank[i]]->steps[i - g->base[g->rank[i]]];
}

/* The number of a rank of the graph. */
static inline int stepgraph_who(const stepgraph *g, int rank)
{
    return g->fold ? g->fold->who[rank] : rank;
}

#endif
