/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_binomial.c - whoever has the vector sends it on: the number of those that have it doubles.
 *
 *   root 0 -> 4, 2, 1    2 -> 3    4 -> 6, 5    6 -> 7          p = 8
 *
 * The largest subtrees first. ceil(log2 p) (alpha + n beta), no scratch. For small vectors.
 * Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
 */
#include "algos/algo.h"
#include "algos/order.h"
#include "algos/tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    group r;

    if (group_rotated(g, o->root, s, &r))
        tree_broadcast(TREE_BINOMIAL, &r, b, s);
}

const algo algo_bcast_binomial = {
    .name = "binomial",
    .kind = COLL_bcast,
    .summary = "whoever has the vector sends it on, the largest subtrees first",
    .steps = "ceil(log2 p)",
    .volume = "log2 p vectors",
    .source = "Thakur et al., IJHPCA 19(1), 2005",
    .compile = compile,
    .cost = cost_tree,
};
