/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_linear.c - everybody sends its block to the root.
 *
 *   rank 1, 2, 3 -> 0          p = 4, root 0: all at once
 *
 * alpha + (p-1) n beta, all of it at the root; no scratch. For large blocks, for few ranks, and for
 * gatherv, of whose counts only the root knows. Folklore.
 */
#include "algos/algo.h"
#include "algos/tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    tree_collect(TREE_LINEAR, g, o->root, b, &b->out, &b->in, s);
}

const algo algo_gather_linear = {
    .name = "linear",
    .kind = COLL_gather,
    .summary = "everybody sends its block to the root",
    .steps = "1",
    .volume = "p-1 blocks",
    .source = "folklore",
    .compile = compile,
    .cost = cost_at_once,
};
