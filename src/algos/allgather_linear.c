/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_linear.c - everybody sends to everybody, all at once.
 *
 *   rank 0 -> 1, 2, 3      p = 4, seen from rank 0; peers in rotated order, so that
 *   rank 0 <- 3, 2, 1      not all ranks begin with the same one
 *
 * alpha (p-1 messages at once) + (p-1) n beta, no scratch. For very few ranks, or a network that
 * takes many messages at once. Folklore.
 */
#include "algos/algo.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;

    for (int k = 1; k < p; k++) {
        send_blocks(s, b, me, 1, 1, peer(g, me + k));
        recv_blocks(s, b, me - k, 1, 1, peer(g, me - k));
    }
}

const algo algo_allgather_linear = {
    .name = "linear",
    .kind = COLL_allgather,
    .summary = "everybody sends to everybody at once",
    .steps = "1",
    .volume = "p-1 blocks",
    .source = "folklore",
    .compile = compile,
    .cost = cost_at_once,
};
