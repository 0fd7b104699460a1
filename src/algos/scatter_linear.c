/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_linear.c - the root sends everybody its block.
 *
 *   rank 0 -> 1, 2, 3          p = 4, root 0: all at once
 *
 * alpha + (p-1) n beta, all of it at the root; no scratch. For large blocks, for few ranks, and for
 * scatterv, of whose counts only the root knows. Folklore.
 */
#include "algos/algo.h"
#include "algos/tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    tree_distribute(TREE_LINEAR, g, o->root, b, &b->out, &b->in, s);
}

const algo algo_scatter_linear = {
    .name = "linear",
    .kind = COLL_scatter,
    .summary = "the root sends everybody its block",
    .steps = "1",
    .volume = "p-1 blocks",
    .source = "folklore",
    .compile = compile,
    .cost = cost_at_once,
};
