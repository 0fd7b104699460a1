/* SPDX-License-Identifier: BSD-3-Clause */
/* compile_call.c - the calls that tutti-bench compile has schedules made of: see compile.h. */
#include "compile.h"

#include <time.h>

enum { BLOCK = 1000 };

/* The neighbors of the middle one of 64 ranks; of more ranks, of some rank. */
static const int around[] = {24, 40, 31, 33};
static const int order[] = {0, 1, 2, 3};
static const coll_neighbors torus = {4, 4, around, around, order};

double compile_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others may run meanwhile */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

coll_kind compile_kind(const algo *a, bool v)
{
    int kind = 0;

    while (kind < COLL_KINDS &&
           !(algo_serves(a, (coll_kind)kind) && coll_is_v((coll_kind)kind) == v))
        kind++;
    return (coll_kind)kind;
}

/* One side of the call. In v-collectives a rank's own block is as long as in its list. */
static coll_side side_of(coll_kind kind, coll_extent extent, int p, const int64_t *counts)
{
    if (extent >= COLL_SIZED)
        return (coll_side){.counts = counts, .displs = counts + p};
    return (coll_side){.count = coll_is_v(kind) ? BLOCK : 1};
}

coll compile_call(const algo *a, coll_kind kind, int p, int rank, const int64_t *counts)
{
    return (coll){.kind = kind,
                  .p = p,
                  .rank = rank,
                  .in_place = coll_shapes[kind].send == COLL_NONE,
                  .parameter = algo_parameter_for(a, 0, p),
                  .neighbors = &torus,
                  .send = side_of(kind, coll_shapes[kind].send, p, counts),
                  .recv = side_of(kind, coll_shapes[kind].recv, p, counts)};
}

void compile_blocks(int p, int64_t *v)
{
    for (int r = 0; r < p; r++) {
        v[r] = BLOCK;
        v[p + r] = (BLOCK + 3) * (int64_t)r;
    }
}
