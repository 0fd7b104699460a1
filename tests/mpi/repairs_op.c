/* SPDX-License-Identifier: BSD-3-Clause */
/* repairs_op.c - see repairs_op.h. */
#include "mpi/repairs_op.h"

#include <stdlib.h>
#include <time.h>

enum { TAG = 77 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t); /* one clock for all ranks of a machine */
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Not by a collective: it might be one of those that err. */
double repairs_greatest(double mine)
{
    double other;

    if (world_rank > 0) {
        MPI_Send(&mine, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
        MPI_Recv(&mine, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return mine;
    }
    for (int r = 1; r < world_size; r++) {
        MPI_Recv(&other, 1, MPI_DOUBLE, r, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mine = other > mine ? other : mine;
    }
    for (int r = 1; r < world_size; r++)
        MPI_Send(&mine, 1, MPI_DOUBLE, r, TAG, MPI_COMM_WORLD);
    return mine;
}

/* Arguments without a meaning are harmless ones, unlike those of blocks.h. */
static call_args general_args(const blocks *b)
{
    call_args a = b->native;

    if (b->in_place && coll_has(b->kind, COLL_ROOT_SENDS))
        a.recv.buffer = MPI_IN_PLACE;
    else if (b->in_place)
        a.send.buffer = MPI_IN_PLACE;
    return a;
}

void repairs_op_open(repairs_op *o, coll_kind kind, const repairs_what *w)
{
    *o = (repairs_op){.kind = kind, .g = w->g};
    if (w->g) {
        edges_open(&o->edges, w->g, kind,
                   (edges_form){.units = w->count, .types = w->types, .in_place = w->in_place});
        o->args = o->edges.a;
        return;
    }
    o->blocks =
        (blocks){.kind = kind,
                 .comm = MPI_COMM_WORLD,
                 .types = &type_pairs[w->types],
                 .reduction = coll_has(kind, COLL_REDUCES) ? &reductions[w->reduction] : NULL,
                 .count = w->count,
                 .in_place = w->in_place,
                 .o = {.root = w->root}};
    blocks_open(&o->blocks);
    o->args = general_args(&o->blocks);
}

void repairs_op_close(repairs_op *o)
{
    free(o->expected);
    if (o->g)
        edges_close(&o->edges);
    else
        blocks_close(&o->blocks);
}

static void fill_edges(repairs_op *o, int turn)
{
    free(o->expected);
    edges_fill(&o->edges, o->g, turn);
    edges_by_messages(o->g, o->kind, &o->edges.a);
    o->expected = edges_copy(&o->edges);
    edges_fill(&o->edges, o->g, turn);
}

/* One rank comes late to a barrier: the others would be gone. */
static void come_late(int turn)
{
    static const struct timespec pause = {.tv_nsec = 3000000};

    if (turn % world_size == world_rank)
        nanosleep(&pause, NULL);
}

void repairs_op_fill(repairs_op *o, int turn)
{
    if (o->g)
        fill_edges(o, turn);
    else
        blocks_fill(&o->blocks, turn);
    if (o->kind == COLL_barrier)
        come_late(turn);
    o->entered = now();
}

void repairs_op_leave(repairs_op *o)
{
    o->left = now();
}

bool repairs_op_is_right(repairs_op *o)
{
    if (o->kind == COLL_barrier)
        return o->left >= repairs_greatest(o->entered);
    return o->g ? edges_right(&o->edges, o->expected) : blocks_are_right(&o->blocks);
}
