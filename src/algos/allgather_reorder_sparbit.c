/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_reorder_sparbit.c - Sparbit over ranks in the order of the machine.
 *
 *   distance of indices   4     2     1       the last step moves half of all blocks
 *   blocks                1     2     4       indices i and i + 1 are put next to each other
 *
 * Cost and use as allgather_sparbit.c; how blocks keep their order: reordered.h. Where the order
 * that is cannot be bettered, this is the same algorithm. Mirsadeghi, Afsahi, IPDPSW 2016; the
 * heuristic is ours.
 */
#include "algos/reordered.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    reordered_allgather(o, g, b, s, REORDER_SPARBIT, algo_allgather_sparbit.compile);
}

const algo algo_allgather_reorder_sparbit = {
    .name = "reorder_sparbit",
    .kind = COLL_allgather,
    .summary = "sparbit over ranks in an order that shortens its messages",
    .steps = "ceil(log2 p)",
    .volume = "p-1 blocks",
    .source = "Mirsadeghi, Afsahi, IPDPSW 2016",
    .has_forms = true,
    .regional = true,
    .orders = true,
    .compile = compile,
};
