/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_ring.c - each block travels once around the ring of ranks.
 *
 *   step        0        1        2            p = 4, seen from rank 0
 *   send      0 -> 1   3 -> 1   2 -> 1         block -> to
 *   receive   3 <- 3   2 <- 3   1 <- 3         block <- from
 *
 * (p-1) alpha + (p-1) n beta, no scratch. For large blocks: neighbours only.
 * Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; Sparbit paper II-A.
 */
#include "algos/algo.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;

    for (int k = 0; k < p - 1; k++) {
        send_blocks(s, b, me - k, 1, 1, peer(g, me + 1));
        recv_blocks(s, b, me - k - 1, 1, 1, peer(g, me - 1));
    }
}

const algo algo_allgather_ring = {
    .name = "ring",
    .kind = COLL_allgather,
    .summary = "each block travels once around the ring",
    .steps = "p-1",
    .volume = "p-1 blocks",
    .source = "Thakur et al., IJHPCA 19(1), 2005",
    .compile = compile,
    .cost = cost_in_turn,
};
