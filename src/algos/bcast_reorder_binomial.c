/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_reorder_binomial.c - the binomial tree over ranks in an order for it (BBMH): the many
 * messages of its last steps over the shortest distances.
 *
 *   ranks    0 2 4 6 | 1 3 5 7      two nodes, ranks dealt to them one by one
 *   tree     0 -> 4, 2, 1    2 -> 3    4 -> 6, 5    6 -> 7          4 messages between nodes
 *   here     0 -> 1, 4, 2    4 -> 6    1 -> 5, 3    5 -> 7          1
 *
 * Cost and use as bcast_binomial.c; in the order that is, if it cannot be bettered.
 * Mirsadeghi, Afsahi, IPDPSW 2016, Algorithm 4.
 */
#include "algos/algo.h"
#include "algos/order.h"
#include "algos/tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    const int *order = order_tree(REORDER_BROADCAST, g, o->root, s);
    group r;

    if (order && order_group(g, order, s, &r))
        tree_broadcast(TREE_BINOMIAL, &r, b, s);
}

const algo algo_bcast_reorder_binomial = {
    .name = "reorder_binomial",
    .kind = COLL_bcast,
    .summary = "binomial tree over ranks in an order that shortens its last messages",
    .steps = "ceil(log2 p)",
    .volume = "log2 p vectors",
    .source = "Mirsadeghi, Afsahi, IPDPSW 2016",
    .regional = true,
    .compile = compile,
};
