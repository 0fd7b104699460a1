/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_reorder_recursive_doubling.c - recursive doubling with its largest messages over the
 * shortest distances.
 *
 *   indices        0   1   2   3       two nodes of two ranks
 *   blocks swapped 0,1: one   0,2: two
 *   ranks          0   2   1   3       ranks 0, 1 on one node: the two blocks stay inside
 *
 * Cost and use as allgather_recursive_doubling.c; how blocks keep their order: reordered.h. Where
 * the order that is cannot be bettered, this is the same algorithm. Mirsadeghi, Afsahi, IPDPSW
 * 2016, Algorithm 2.
 */
#include "algos/reordered.h"

static const char *inapplicable(int p)
{
    return algo_allgather_recursive_doubling.inapplicable(p);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    reordered_allgather(o, g, b, s, REORDER_DOUBLING, algo_allgather_recursive_doubling.compile);
}

const algo algo_allgather_reorder_recursive_doubling = {
    .name = "reorder_recursive_doubling",
    .kind = COLL_allgather,
    .summary = "recursive_doubling over ranks in an order that shortens its messages",
    .steps = "log2 p",
    .volume = "p-1 blocks",
    .restriction = "p a power of two",
    .source = "Mirsadeghi, Afsahi, IPDPSW 2016",
    .has_forms = true,
    .inapplicable = inapplicable,
    .regional = true,
    .orders = true,
    .compile = compile,
};
