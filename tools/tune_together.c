/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_together.c - several messages at a time. See tune_measure.h. */
#include "tune_turns.h"

#include <math.h>
#include <stdlib.h>

/* All messages of one length, as one request on a graph. */
typedef struct together {
    MPI_Comm graph;
    MPIX_Request length[2];
    char *out, *in;
} together;

static void make_graph(together *t, MPI_Comm comm, together_way way)
{
    int rank, p, from, to, weight = 1;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    from = way == TOGETHER_RING ? rank + p - 1 : way == TOGETHER_BOTH ? rank + p / 2 : rank - p / 2;
    to = way == TOGETHER_RING ? rank + 1 : rank + p / 2;
    if (way != TOGETHER_THERE) {
        from %= p;
        to %= p;
    }
    MPI_Dist_graph_create_adjacent(comm, from >= 0, &from, &weight, to < p, &to, &weight,
                                   MPI_INFO_NULL, 0, &t->graph);
}

static void make_together(together *t, MPI_Comm comm, together_way way, size_t longest)
{
    make_graph(t, comm, way);
    t->out = tune_allocate(longest);
    t->in = tune_allocate(longest);
    for (int i = 0; i < 2; i++) {
        int bytes = (int)(i ? longest : longest / LONG_TO_SHORT);
        MPIX_Neighbor_alltoall_linear_init(t->out, bytes, MPI_BYTE, t->in, bytes, MPI_BYTE,
                                           t->graph, MPI_INFO_NULL, &t->length[i]);
    }
}

/* From when all begin until all have ended. */
static double time_together(together *t, int length, int calls)
{
    double begin;

    MPIX_Barrier_dissemination(t->graph);
    begin = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        turns_run(&t->length[length]);
    MPIX_Barrier_dissemination(t->graph);
    return MPI_Wtime() - begin;
}

typedef struct lengths {
    double shorter, longer;
} lengths;

static int quickest(const void *left, const void *right)
{
    const lengths *a = left, *b = right;
    double x = a->shorter + a->longer, y = b->shorter + b->longer;

    return (x > y) - (x < y);
}

static lengths take_lengths(together *t, int tries, int calls)
{
    lengths l = {HUGE_VAL, HUGE_VAL};

    for (int i = 0; i < tries; i++) {
        l.shorter = smaller(l.shorter, time_together(t, 0, calls));
        l.longer = smaller(l.longer, time_together(t, 1, calls));
    }
    return l;
}

/* How long messages that wait for each other take differs from turn to turn: all count, whole. */
static figure rate_of_both(const lengths l[], int n, double bytes)
{
    double x[TURNS_MOST];
    int rates = 0;

    for (int i = 0; i < n; i++)
        turns_rate(x, &rates, bytes, l[i].longer);
    return turns_figure(x, rates, n);
}

/* bytes: more, of all messages of the longer length. */
static figure rate_of(lengths l[], int n, double bytes)
{
    double x[TURNS_MOST];
    int rates = 0;

    qsort(l, (size_t)n, sizeof *l, quickest);
    for (int i = 0; i < turns_good(n); i++)
        turns_rate(x, &rates, bytes, l[i].longer - l[i].shorter);
    return turns_figure(x, rates, n);
}

figure measure_together(MPI_Comm comm, together_way way, size_t longest)
{
    enum { CALLS = 4 };
    together t;
    lengths turns[TURNS_MOST];
    int p, n = 0, calls = way == TOGETHER_THERE ? 1 : CALLS;
    double begin, first, bytes = (double)(longest - longest / LONG_TO_SHORT) * calls;

    MPI_Comm_size(comm, &p);
    make_together(&t, comm, way, longest);
    time_together(&t, 1, calls);
    first = time_together(&t, 1, calls);
    MPI_Bcast(&first, 1, MPI_DOUBLE, 0, comm);
    begin = MPI_Wtime();
    for (; turns_again(comm, n, begin); n++)
        turns[n] = take_lengths(&t, first > long_try ? 1 : TRIES, calls);
    MPIX_Request_free(&t.length[0]);
    MPIX_Request_free(&t.length[1]);
    MPI_Comm_free(&t.graph);
    free(t.out);
    free(t.in);
    if (way == TOGETHER_BOTH)
        return rate_of_both(turns, n, (double)longest * calls * (p / 2));
    return rate_of(turns, n, bytes * (way == TOGETHER_RING ? p : p / 2));
}
