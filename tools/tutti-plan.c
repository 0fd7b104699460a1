/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti-plan.c - compile a collective for one rank and print its schedule, or totals of all ranks.
 *
 *   tutti-plan allgather sparbit -p 21 --rank 3
 *   tutti-plan allgather bruck:block -p 21 --all
 *   tutti-plan alltoall bruck_radix:4 -p 21 --all
 *   tutti-plan allgather lane:ring,block -p 64 --regions node:8 --critical-path
 *
 *   tutti-plan allgather lane:ring,block -p 16 --regions node:4 --bytes 65536 --svg picture.svg
 *   tutti-plan allreduce ring -p 4 --rank 1 --dot | dot -Tsvg >graph.svg
 *
 *   tutti-plan bcast binomial -p 21 --root 5 --rank 3
 *
 * Needs no MPI: a schedule is a function of the call alone.
 */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS = PLAN_NEIGHBORS / 2 };

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

sched *plan_compile(const request *r, int rank)
{
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
    if (algo_compile(algo_table[r->choice.algo], r->choice.form, &c, r->topo, &s) != SCHED_OK)
        s = NULL;
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

static int print(const request *r)
{
    int failed = r->p && !r->why ? plan_too_many_carried(r) : 0;

    return failed             ? failed
           : r->list          ? plan_print_list(r)
           : !r->p            ? plan_print_machine(r)
           : r->why           ? plan_print_why(r)
           : r->svg           ? plan_draw_svg(r)
           : r->dot           ? plan_print_dot(r)
           : r->model         ? plan_print_model(r)
           : r->time          ? plan_print_time(r)
           : r->critical_path ? plan_print_critical_path(r)
           : r->all           ? plan_print_all(r)
                              : plan_print_rank(r);
}

int main(int argc, char **argv)
{
    request r = {.bytes = -1, .command.name = "tutti-plan"};
    int failed;

    if (plan_parse(&r, argc, argv))
        failed = command_refuse(&r.command);
    else
        failed = r.said ? 0 : print(&r);
    topo_free(r.topo);
    free(r.counts);
    return command_end("tutti-plan", failed);
}
