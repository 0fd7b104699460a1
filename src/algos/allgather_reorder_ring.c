/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_reorder_ring.c - the ring over ranks in the order of the machine.
 *
 *   ranks   0 2 4 6 | 1 3 5 7      two nodes, ranks dealt to them one by one
 *   ring    0 1 2 3 4 5 6 7 0      8 messages between nodes in each step
 *   here    0 2 4 6 1 3 5 7 0      2
 *
 * Cost and use as allgather_ring.c; how blocks keep their order: reordered.h. Where the order that
 * is cannot be bettered, this is the same algorithm. Mirsadeghi, Afsahi, IPDPSW 2016, Algorithm 3.
 */
#include "algos/reordered.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    reordered_allgather(o, g, b, s, REORDER_RING, algo_allgather_ring.compile);
}

const algo algo_allgather_reorder_ring = {
    .name = "reorder_ring",
    .kind = COLL_allgather,
    .summary = "ring over ranks in an order that shortens its messages",
    .steps = "p-1",
    .volume = "p-1 blocks",
    .source = "Mirsadeghi, Afsahi, IPDPSW 2016",
    .regional = true,
    .orders = true,
    .compile = compile,
};
