/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_bine.c - a binomial tree whose ranks are nearer to each other.
 *
 *   root 0 -> 3, 7, 1    3 -> 4, 2    7 -> 6    4 -> 5          p = 8
 *
 * The farthest first; log2 p (alpha + n beta), no scratch; p a power of two. For small vectors,
 * where consecutive ranks share a node or a switch: bine.h. De Sensi et al., arXiv 2508.17311.
 */
#include "algos/algo.h"
#include "algos/bine.h"
#include "algos/order.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    group r;

    if (group_rotated(g, o->root, s, &r))
        bine_broadcast(&r, b, s);
}

const algo algo_bcast_bine = {
    .name = "bine",
    .kind = COLL_bcast,
    .summary = "a binomial tree with distances of two thirds: fewer bytes between nodes",
    .steps = "log2 p",
    .volume = "log2 p vectors",
    .restriction = "p a power of two",
    .source = "De Sensi et al., arXiv 2508.17311",
    .inapplicable = bine_inapplicable,
    .compile = compile,
    .cost = cost_tree,
};
