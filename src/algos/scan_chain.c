/* SPDX-License-Identifier: BSD-3-Clause */
/* scan_chain.c - what ranks have summed up goes along a chain of them piece by piece.
 *
 *   0 -> 1 -> 2 -> ... -> p-1        while rank 1 sends piece k, it gets piece k+1
 *
 * What comes is the sum of all before, and so the left operand: any operation. It comes to RECV,
 * and the own vector is the left operand, if the operation commutes; else to scratch. N pieces:
 *
 * (N + p - 2) (alpha + n/N beta), least with about sqrt((p - 2) n beta / alpha) pieces; at most a
 * vector of scratch. For large vectors: every rank sends the vector once, and reduces it once.
 * Needs an operation of MPI's. Folklore.
 */
#include "algos/algo.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int me = g->index;
    bool appends = !o->noncommutative && !in_place(b) && me > 0;
    blockrow come = me > 0 && !appends ? scratch_row(s, b) : b->in;

    if (!appends)
        copy_row(s, b, &b->out, &b->in, 0, b->n);
    for (int k = 0; k < b->n; k++) {
        if (me > 0) {
            recv_row(s, b, &come, k, 1, peer(g, me - 1));
            reduce_row(s, b, appends ? &b->out : &come, &b->in, k, 1);
        }
        if (me + 1 < g->size)
            send_row(s, b, me > 0 ? &b->in : &b->out, k, 1, peer(g, me + 1));
    }
}

static algo_cost cost(int p, int pieces)
{
    double rounds = p > 1 ? pieces + p - 2 : 0;

    return (algo_cost){.messages = rounds, .blocks = rounds / pieces, .copies = 1};
}

const algo algo_scan_chain = {
    .name = "chain",
    .kind = COLL_scan,
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
