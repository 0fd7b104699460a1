/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_reorder_binomial.c - the binomial tree over ranks in an order for it (BGMH): the ranks
 * that exchange the largest messages, of the last steps, next to each other.
 *
 * Blocks pass in the order of the tree, and come to where they belong at the root. Cost and use as
 * gather_binomial.c; in the order that is, if it cannot be bettered.
 * Mirsadeghi, Afsahi, IPDPSW 2016, Algorithm 5.
 */
#include "algos/algo.h"
#include "algos/order.h"
#include "algos/tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    const int *order = order_tree(REORDER_GATHER, g, o->root, s);
    group r;

    if (order && order_group(g, order, s, &r)) {
        blockmap items = items_chosen(b, order, g->size, s);
        tree_collect(TREE_BINOMIAL, &r, 0, &items, &b->out, &b->in, s);
    }
}

const algo algo_gather_reorder_binomial = {
    .name = "reorder_binomial",
    .kind = COLL_gather,
    .summary = "binomial tree over ranks in an order that shortens its largest messages",
    .steps = "ceil(log2 p)",
    .volume = "p-1 blocks",
    .source = "Mirsadeghi, Afsahi, IPDPSW 2016",
    .regular = true,
    .regional = true,
    .compile = compile,
};
