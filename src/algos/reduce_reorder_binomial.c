/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_reorder_binomial.c - the binomial tree over ranks in an order for it (BBMH, the tree of a
 * broadcast the other way): the many messages of its first steps over the shortest distances.
 *
 *   ranks    0 2 4 6 | 1 3 5 7      two nodes, ranks dealt to them one by one
 *   tree     0 <- 4, 2, 1    2 <- 3    4 <- 6, 5    6 <- 7          4 messages between nodes
 *   here     0 <- 1, 4, 2    4 <- 6    1 <- 5, 3    5 <- 7          1
 *
 * Cost and use as reduce_binomial.c; in the order that is, if it cannot be bettered, and for an
 * operation that does not commute. Mirsadeghi, Afsahi, IPDPSW 2016, Algorithm 4.
 */
#include "algos/algo.h"
#include "algos/order.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    algo_options first = *o;
    const int *order;
    group r;

    if (o->noncommutative) {
        algo_reduce_binomial.compile(o, g, b, s);
        return;
    }
    first.root = 0;
    order = order_tree(REORDER_BROADCAST, g, o->root, s);
    if (order && order_group(g, order, s, &r))
        algo_reduce_binomial.compile(&first, &r, b, s);
}

const algo algo_reduce_reorder_binomial = {
    .name = "reorder_binomial",
    .kind = COLL_reduce,
    .summary = "binomial tree over ranks in an order that shortens its first messages",
    .steps = "ceil(log2 p)",
    .volume = "log2 p vectors",
    .source = "Mirsadeghi, Afsahi, IPDPSW 2016",
    .regional = true,
    .compile = compile,
};
