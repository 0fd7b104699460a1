/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_binomial.c - each rank gets the blocks of its subtree as one message and passes them on.
 *
 *   0 -> 4: 4,5,6,7;   0 -> 2: 2,3   4 -> 6: 6,7;   0 -> 1   2 -> 3   4 -> 5   6 -> 7     p = 8
 *
 * What passes lies in scratch, up to p/2 - 1 blocks; the own block is received where it belongs: no
 * copies.
 *
 * ceil(log2 p) alpha + (p-1) n beta. For small blocks. Thakur, Rabenseifner, Gropp, IJHPCA 19(1),
 * 2005.
 */
#include "algos/algo.h"
#include "algos/tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    tree_distribute(TREE_BINOMIAL, g, o->root, b, &b->out, &b->in, s);
}

const algo algo_scatter_binomial = {
    .name = "binomial",
    .kind = COLL_scatter,
    .summary = "blocks are distributed along a tree, those of a subtree in one message",
    .steps = "ceil(log2 p)",
    .volume = "p-1 blocks",
    .source = "Thakur et al., IJHPCA 19(1), 2005",
    .regular = true,
    .compile = compile,
    .cost = cost_doubling,
};
