/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_alltoall_linear.c - a message to each destination, one from each source, all at once.
 *
 *   rank 1 of a ring of 4:  -> 0, 2   <- 0, 2
 *
 * What a rank sends to itself is copied. If it has several edges with another one their messages
 * match in the order of neighbors.order.
 *
 * alpha + (neighbors) n beta, no scratch. MPI 4.0, 8.6.
 */
#include "algos/neighbors.h"

/* To where I receive the k-th block that I send to myself. */
static void copy_to_self(const coll_neighbors *n, int me, interval what, int k, const blockmap *b,
                         sched_builder *s)
{
    int i = coll_own_source(n, me, k);

    if (i < 0)
        sched_fail(s, SCHED_BAD_STEP);
    else if (what.length > 0)
        sched_copy(s, what, row_at(&b->in, i));
}

static bool is_served(const bool *served, int rank)
{
    return rank >= 0 && (!served || served[rank]);
}

static void send_all(const coll_neighbors *n, const group *g, const blockmap *b, const bool *served,
                     sched_builder *s)
{
    for (int i = 0, own = 0; i < n->ndestinations; i++) {
        int to = n->destinations[i];
        interval what = b->mine == 0 ? b->own : row_at(&b->out, i);

        if (to == g->index)
            copy_to_self(n, to, what, own++, b, s);
        else if (is_served(served, to))
            sched_send(s, what, to);
    }
}

static void receive_all(const coll_neighbors *n, const group *g, const blockmap *b,
                        const bool *served, sched_builder *s)
{
    for (int i = 0; i < n->nsources; i++) {
        int from = n->sources[n->order[i]];

        if (from != g->index && is_served(served, from))
            sched_recv(s, row_at(&b->in, n->order[i]), from);
    }
}

void neighbors_linear(const algo_options *o, const group *g, const blockmap *b, const bool *to,
                      const bool *from, sched_builder *s)
{
    receive_all(o->neighbors, g, b, from, s);
    send_all(o->neighbors, g, b, to, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    neighbors_linear(o, g, b, NULL, NULL, s);
}

const algo algo_neighbor_alltoall_linear = {
    .name = "linear",
    .kind = COLL_neighbor_alltoall,
    .summary = "a message to each neighbor, all at once",
    .steps = "1",
    .volume = "a block a neighbor",
    .source = "MPI 4.0, 8.6",
    .compile = compile,
};
