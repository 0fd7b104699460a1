/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_schedules.c - the schedules that tutti-plan looks at, of one rank or of all: see plan.h. */
#include "plan.h"

#include <stdlib.h>

static coll_side side_of(const request *r, coll_extent extent)
{
    if (extent >= COLL_SIZED)
        return (coll_side){.counts = r->counts, .displs = r->displs};
    return (coll_side){.count = 1};
}

/* A rank of a periodic grid of two dimensions, as MPI_Dims_create makes it. What goes up comes from
 * below, where the same rank is on both sides. */
typedef struct torus {
    int sources[PLAN_NEIGHBORS], order[PLAN_NEIGHBORS];
    coll_neighbors lists;
} torus;

static void torus_make(torus *t, int p, int rank)
{
    int columns = 1, rows, row, column;

    for (int n = 2; n <= p / n; n++)
        columns = p % n == 0 ? n : columns;
    rows = p / columns;
    row = rank / columns;
    column = rank % columns;
    *t = (torus){.sources = {(row + rows - 1) % rows * columns + column,
                             (row + 1) % rows * columns + column,
                             row * columns + (column + columns - 1) % columns,
                             row * columns + (column + 1) % columns},
                 .order = {1, 0, 3, 2}};
    t->lists = (coll_neighbors){.nsources = PLAN_NEIGHBORS,
                                .ndestinations = PLAN_NEIGHBORS,
                                .sources = t->sources,
                                .destinations = t->sources,
                                .order = t->order};
}

static int64_t *put_lists(int64_t *to, int p, int rank)
{
    torus around;

    torus_make(&around, p, rank);
    *to++ = PLAN_NEIGHBORS;
    *to++ = PLAN_NEIGHBORS;
    for (int i = 0; i < 2 * PLAN_NEIGHBORS; i++) {
        int k = i % PLAN_NEIGHBORS;
        *to++ = around.sources[i < PLAN_NEIGHBORS ? k : around.order[k]];
        *to++ = 1;
    }
    return to;
}

/* The lists that the ranks of a node exchange first (algos/halo.h), with blocks of one byte: so
 * scratch is printed in blocks. NULL: they need not, or out of memory. */
static int64_t *exchange_lists(const request *r, int rank)
{
    const topo *t = r->topo;
    size_t words = 2 + 4 * PLAN_NEIGHBORS;
    int64_t *all, *to;

    if (!algo_table[r->choice.algo]->rounds || !t || t->nodes == 1)
        return NULL;
    all = to = malloc((size_t)topo_most_on_node(t) * words * sizeof *all);
    for (int k = 0; all && k < r->p; k++)
        if (t->node[k] == t->node[rank])
            to = put_lists(to, r->p, k);
    return all;
}

sched *plan_compile(const request *r, int rank)
{
    int64_t *lists = exchange_lists(r, rank);
    torus around;
    coll c = {.kind = r->kind,
              .p = r->p,
              .rank = rank,
              .root = r->root,
              .in_place = r->in_place || coll_shapes[r->kind].send == COLL_NONE,
              .parameter = r->choice.parameter,
              .variant = r->choice.variant,
              .order = r->choice.order,
              .neighbors = &around.lists,
              .exchanged_sizes = lists,
              .send = side_of(r, coll_shapes[r->kind].send),
              .recv = side_of(r, coll_shapes[r->kind].recv)};
    sched *s = NULL;

    torus_make(&around, r->p, rank);
    if (algo_compile(algo_table[r->choice.algo], r->choice.form, &c, r->topo, &s) != SCHED_OK)
        s = NULL;
    free(lists);
    return s;
}

sched **plan_compile_all(const request *r)
{
    sched **all = calloc((size_t)r->p, sizeof *all);
    bool done = all != NULL;

    for (int k = 0; done && k < r->p; k++)
        done = (all[k] = plan_compile(r, k)) != NULL;
    if (done)
        return all;
    plan_free_all(r, all);
    return NULL;
}

void plan_free_all(const request *r, sched **all)
{
    for (int k = 0; all && k < r->p; k++)
        sched_free(all[k]);
    free(all);
}
