/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_reorder_bruck.c - Bruck with its largest messages over the shortest distances.
 *
 *   distance of indices   1     2     4       the last step moves half of all blocks
 *   blocks                1     2     4       indices i and i - 4 are put next to each other
 *
 * Cost and use as allgather_bruck.c; how blocks keep their order: reordered.h. Where the order that
 * is cannot be bettered, this is the same algorithm. Mirsadeghi, Afsahi, IPDPSW 2016; the heuristic
 * is ours.
 */
#include "algos/reordered.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    reordered_allgather(o, g, b, s, REORDER_BRUCK, algo_allgather_bruck.compile);
}

const algo algo_allgather_reorder_bruck = {
    .name = "reorder_bruck",
    .kind = COLL_allgather,
    .summary = "bruck over ranks in an order that shortens its messages",
    .steps = "ceil(log2 p)",
    .volume = "p-1 blocks",
    .source = "Mirsadeghi, Afsahi, IPDPSW 2016",
    .has_forms = true,
    .regional = true,
    .orders = true,
    .compile = compile,
};
