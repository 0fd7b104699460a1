/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_chain.c - the vector goes along a chain of ranks piece by piece and is reduced on its way.
 *
 *   p-1 -> ... -> 2 -> 1 -> root 0        while rank 1 gets piece k, rank 2 gets piece k+1
 *
 * A piece is received where it belongs, of ranks without a result in scratch, and combined with the
 * send buffer: no copies. N pieces:
 *
 * (N + p - 2) (alpha + n/N beta), least with about sqrt((p - 2) n beta / alpha) pieces; a vector of
 * scratch. For very large vectors on few ranks: every rank sends the vector once. Needs an
 * operation that commutes, of MPI's. Folklore; Chan, Heimlich, Purkayastha, van de Geijn,
 * Concurrency Computat. 19(13), 2007.
 */
#include "algos/algo.h"
#include "algos/order.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    const blockrow *have = &b->out;
    blockrow sum = b->in, come;
    group r;

    if (!group_rotated(g, o->root, s, &r))
        return;
    if (r.index > 0 && r.index < r.size - 1)
        sum = scratch_row(s, b);
    come = in_place(b) && r.size > 1 ? scratch_row(s, b) : sum;
    if (r.index < r.size - 1)
        have = &sum;
    for (int k = 0; k < b->n; k++) {
        if (r.index < r.size - 1) {
            recv_row(s, b, &come, k, 1, peer(&r, r.index + 1));
            reduce_row(s, b, in_place(b) ? &come : &b->out, &sum, k, 1);
        }
        if (r.index > 0)
            send_row(s, b, have, k, 1, peer(&r, r.index - 1));
    }
    if (r.size == 1)
        copy_row(s, b, &b->out, &b->in, 0, b->n);
}

static algo_cost cost(int p, int pieces)
{
    double rounds = p > 1 ? pieces + p - 2 : 0;

    return (algo_cost){.messages = rounds, .blocks = rounds / pieces};
}

const algo algo_reduce_chain = {
    .name = "chain",
    .kind = COLL_reduce,
    .summary = "the vector goes along a chain of ranks piece by piece and is reduced on its way",
    .steps = "pieces + p-2",
    .volume = "a vector",
    .restriction = "any; MPI's ops",
    .source = "folklore",
    .commutes = true,
    .parameter = {.name = "pieces", .least = 1, .usual = 32, .most = PIECES_MOST},
    .parts = algo_parts_of_pieces,
    .compile = compile,
    .cost = cost,
};
