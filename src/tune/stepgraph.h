/* stepgraph.h - the schedules of all ranks as one graph: which send meets which receive. Pure.
 *
 * Steps are numbered rank after rank, in program order. The k-th message of a to b is the k-th that
 * b has from a.
 */
#ifndef TUTTI_STEPGRAPH_H
#define TUTTI_STEPGRAPH_H

#include "nbc/sched/sched.h"

typedef struct stepgraph {
    sched *const *of; /* [p], the caller's */
    int p, n;         /* steps of all ranks */
    int *base;        /* [p + 1]: where those of each rank begin */
    int *rank;        /* [n]: whose step it is */
    int *peer;        /* [n]: of a send its receive, and the other way; else -1 */
} stepgraph;

/* of: the schedules of ranks 0 to p - 1, which must outlive it. False: out of memory,
 * or too many steps. */
bool stepgraph_make(stepgraph *g, sched *const of[], int p);
void stepgraph_free(stepgraph *g);

static inline const step *stepgraph_step(const stepgraph *g, int i)
{
    return &g->of[g->rank[i]]->steps[i - g->base[g->rank[i]]];
}

#endif
