/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_schedules.c - the schedules that tutti-plan looks at, of one rank or of all: see plan.h. */
#include "plan.h"

#include "algos/halo.h"

#include <stdlib.h>
#include <string.h>

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

/* What a rank of it lets others know (algos/halo_list.h), with blocks of one byte: so scratch is
 * printed in blocks. NULL: out of memory. */
static int64_t *list_of(const request *r, int rank)
{
    bool same = coll_shapes[r->kind].send == COLL_ONE;
    torus around;
    int64_t received[PLAN_NEIGHBORS], first[PLAN_NEIGHBORS + 1];
    byte_range range[PLAN_NEIGHBORS];

    torus_make(&around, r->p, rank);
    for (int i = 0; i < PLAN_NEIGHBORS; i++) {
        received[i] = 1;
        first[i] = i;
        range[i] = (byte_range){same ? 0 : i, 1};
    }
    first[PLAN_NEIGHBORS] = PLAN_NEIGHBORS;
    return halo_list(&around.lists, r->topo, halo_groups(r->choice.parameter), rank,
                     &(halo_blocks){received, first, range});
}

/* What another rank sends in this round. Of several blocks of one byte for a node the first one is
 * fresh, and the others are it where all are the same. False: out of memory. */
static bool answer(const request *r, int round, int from, int64_t *to, int64_t words)
{
    bool same = coll_shapes[r->kind].send == COLL_ONE;
    int64_t *list = round < HALO_LISTS ? list_of(r, from) : NULL;

    if (round < HALO_LISTS && !list)
        return false;
    for (int64_t i = 0; i < words; i++) {
        bool repeats = same && (round > HALO_LISTS || i > 1);
        to[i] = list ? list[i] : (i % 2 == 0) != repeats;
    }
    free(list);
    return true;
}

static void count_exchange(const sched *s, plan_exchange *total)
{
    total->rounds++;
    total->messages += s->nmessages;
    for (int i = 0; i < s->nsteps; i++)
        if (s->steps[i].kind == STEP_RECV)
            total->words += (int64_t)s->list[s->steps[i].first].length;
}

/* One round for this rank; *found grows. */
static bool exchange_round(const request *r, const coll *c, int round, int64_t **found, size_t *n,
                           plan_exchange *total)
{
    int64_t *mine = list_of(r, c->rank), *larger = NULL;
    sched *s = NULL;
    bool done = mine && algo_compile_size_exchange(algo_table[r->choice.algo], c, round, r->topo,
                                                   &s) == SCHED_OK;

    if (done)
        larger = realloc(*found, (*n + (size_t)s->extent[SPACE_RECV] + 1) * sizeof *larger);
    done = larger != NULL;
    *found = done ? larger : *found;
    for (int i = 0; done && i < s->nsteps; i++) {
        const interval *x = s->list + s->steps[i].first;
        if (s->steps[i].kind == STEP_COPY)
            memcpy(*found + *n + x[1].offset, mine + x[0].offset, x[0].length * sizeof *mine);
        else if (s->steps[i].kind == STEP_RECV)
            done = answer(r, round, s->steps[i].peer, *found + *n + x->offset, (int64_t)x->length);
    }
    *n += done ? (size_t)s->extent[SPACE_RECV] : 0;
    if (done && total)
        count_exchange(s, total);
    sched_free(s);
    free(mine);
    return done;
}

/* What the rounds of the size exchange find; total: or NULL. NULL: there are none, or out of
 * memory. */
static int64_t *exchange_sizes(const request *r, coll c, plan_exchange *total)
{
    const algo *a = algo_table[r->choice.algo];
    int64_t *found = NULL;
    size_t n = 0;
    bool done = r->topo && r->topo->nodes > 1;

    for (int round = 0; done && round < a->rounds; round++) {
        c.exchanged_sizes = found;
        done = exchange_round(r, &c, round, &found, &n, total);
    }
    if (!done) {
        free(found);
        found = NULL;
    }
    return found;
}

sched *plan_compile(const request *r, int rank)
{
    int64_t *found;
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
              .send = side_of(r, coll_shapes[r->kind].send),
              .recv = side_of(r, coll_shapes[r->kind].recv)};
    sched *s = NULL;

    torus_make(&around, r->p, rank);
    c.exchanged_sizes = found = exchange_sizes(r, c, NULL);
    c.exchanged_rounds = algo_table[r->choice.algo]->rounds;
    if (algo_compile(algo_table[r->choice.algo], r->choice.form, &c, r->topo, &s) != SCHED_OK)
        s = NULL;
    free(found);
    return s;
}

plan_exchange plan_count_exchange(const request *r, int rank)
{
    plan_exchange total = {0};
    torus around;

    torus_make(&around, r->p, rank);
    free(exchange_sizes(r,
                        (coll){.kind = r->kind,
                               .p = r->p,
                               .rank = rank,
                               .parameter = r->choice.parameter,
                               .neighbors = &around.lists},
                        &total));
    return total;
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
