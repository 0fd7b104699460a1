/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_binomial.c - each rank collects the blocks of its subtree and passes them on together.
 *
 *   7 -> 6   5 -> 4   3 -> 2   1 -> 0;   6,7 -> 4   2,3 -> 0;   4,5,6,7 -> 0      p = 8, root 0
 *
 * What passes lies in scratch, up to p/2 - 1 blocks; the own block goes from the send buffer, and
 * at the root all arrive where they belong: no copies.
 *
 * ceil(log2 p) alpha + (p-1) n beta. For small blocks. Thakur, Rabenseifner, Gropp, IJHPCA 19(1),
 * 2005.
 */
#include "algos/algo.h"
#include "algos/tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    tree_collect(TREE_BINOMIAL, g, o->root, b, &b->out, &b->in, s);
}

const algo algo_gather_binomial = {
    .name = "binomial",
    .kind = COLL_gather,
    .summary = "blocks are collected along a tree, those of a subtree in one message",
    .steps = "ceil(log2 p)",
    .volume = "p-1 blocks",
    .source = "Thakur et al., IJHPCA 19(1), 2005",
    .regular = true,
    .compile = compile,
    .cost = cost_doubling,
};
