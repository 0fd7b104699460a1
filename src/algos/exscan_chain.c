/* SPDX-License-Identifier: BSD-3-Clause */
/* exscan_chain.c - what ranks have summed up goes along a chain of them piece by piece, as in
 * scan_chain.c; who gets it keeps it, and adds its own vector to what it passes on.
 *
 * (N + p - 2) (alpha + n/N beta) in N pieces; a vector of scratch. For large vectors: every rank
 * sends the vector once, and reduces it once. Needs an operation of MPI's. Folklore.
 */
#include "algos/algo.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int me = g->index;
    blockrow sum = b->out;

    if (me > 0 && me + 1 < g->size) {
        sum = scratch_row(s, b);
        copy_row(s, b, &b->out, &sum, 0, b->n);
    }
    for (int k = 0; k < b->n; k++) {
        if (me > 0)
            recv_row(s, b, &b->in, k, 1, peer(g, me - 1));
        if (me > 0 && me + 1 < g->size)
            reduce_row(s, b, &b->in, &sum, k, 1);
        if (me + 1 < g->size)
            send_row(s, b, &sum, k, 1, peer(g, me + 1));
    }
}

static algo_cost cost(int p, int pieces)
{
    double rounds = p > 1 ? pieces + p - 2 : 0;

    return (algo_cost){.messages = rounds, .blocks = rounds / pieces, .copies = 1};
}

const algo algo_exscan_chain = {
    .name = "chain",
    .kind = COLL_exscan,
    .summary = "sums go along a chain of ranks piece by piece",
    .steps = "pieces + p-2",
    .volume = "a vector",
    .restriction = "MPI's ops",
    .source = "folklore",
    .parameter = {.name = "pieces", .least = 1, .usual = 32, .most = PIECES_MOST},
    .parts = algo_parts_of_pieces,
    .compile = compile,
    .cost = cost,
};
