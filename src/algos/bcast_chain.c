/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_chain.c - the vector goes down a chain of ranks piece by piece.
 *
 *   root 0 -> 1 -> 2 -> 3 -> ... -> p-1        while rank 1 gets piece k, rank 2 gets piece k-1
 *
 * Cut by bytes, because ranks may describe one vector by different types (algo.c). N pieces:
 *
 * (N + p - 2) (alpha + n/N beta), least with about sqrt((p - 2) n beta / alpha) pieces; no scratch,
 * unless the type has gaps. For very large vectors on few ranks: every rank sends the vector once.
 * Folklore; Chan, Heimlich, Purkayastha, van de Geijn, Concurrency Computat. 19(13), 2007.
 */
#include "algos/algo.h"
#include "algos/order.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    group r;

    if (!group_rotated(g, o->root, s, &r))
        return;
    for (int k = 0; k < b->n; k++) {
        if (r.index > 0)
            recv_blocks(s, b, k, 1, 1, peer(&r, r.index - 1));
        if (r.index < r.size - 1)
            send_blocks(s, b, k, 1, 1, peer(&r, r.index + 1));
    }
}

static algo_cost cost(int p, int pieces)
{
    double rounds = p > 1 ? pieces + p - 2 : 0;

    return (algo_cost){.messages = rounds, .blocks = rounds / pieces};
}

const algo algo_bcast_chain = {
    .name = "chain",
    .kind = COLL_bcast,
    .summary = "the vector goes down a chain of ranks piece by piece",
    .steps = "pieces + p-2",
    .volume = "a vector",
    .source = "folklore",
    .parameter = {.name = "pieces", .least = 1, .usual = 32, .most = PIECES_MOST},
    .parts = algo_parts_of_pieces,
    .compile = compile,
    .cost = cost,
};
