/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_bruck.c - double what is known by distance 1, 2, 4, ..., for any number of ranks.
 *
 *   step         0         1          2            p = 5, seen from rank 0
 *   send      0 -> 4   0,1 -> 3    0 -> 1          blocks -> to
 *   receive   1 <- 1   2,3 <- 2    4 <- 4          blocks <- from
 *
 * The blocks known to rank r are the range r, r+1, ... (mod p): at most two intervals of the
 * receive buffer. So they are received in place, without the published final rotation.
 *
 * ceil(log2 p) alpha + (p-1) n beta, no scratch. For small blocks.
 * Bruck et al., IEEE TPDS 8(11), 1997; Sparbit paper II-A.
 */
#include "algos/algo.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;

    for (int d = 1; d < p; d *= 2) {
        int n = d < p - d ? d : p - d;

        send_blocks(s, b, me, n, 1, peer(g, me - d));
        recv_blocks(s, b, me + d, n, 1, peer(g, me + d));
    }
}

const algo algo_allgather_bruck = {
    .name = "bruck",
    .kind = COLL_allgather,
    .summary = "double what is known by distance 1, 2, 4, ..., received into place",
    .steps = "ceil(log2 p)",
    .volume = "p-1 blocks",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997",
    .has_forms = true,
    .compile = compile,
    .cost = cost_doubling,
};
