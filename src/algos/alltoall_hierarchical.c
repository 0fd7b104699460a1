/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_hierarchical.c - one leader in each node carries all that crosses nodes.
 *
 *   collect    ranks of node a give their leader what they have for other nodes
 *   cross      leader a gives leader k all blocks from node a to node k
 *   deliver    leaders give their ranks what has come for them
 *
 * The variant is the tree of the first and the last phase. Inside nodes blocks go straight.
 *
 * N - 1 non-local messages a node, for N nodes: fewest of all. q (p - q) blocks through each
 * leader, with scratch for them, and for the (q - 1) (p - q) that have come for others; p - q
 * blocks copied by leaders, with `binomial` by all ranks, and then as many again by the others. For
 * tiny blocks. Traeff, Hunold, CLUSTER 2020.
 *
 * Blocks of unequal lengths go the same way, after an exchange of the sizes of what passes through
 * each rank (transit.h): once for a persistent request, in front of any other call.
 */
#include "algos/algo.h"
#include "algos/transit.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    transit_alltoall(g, b, o->exchanged_sizes, s, true, (tree)o->variant);
}

static void size_exchange(const algo_options *o, const group *g, sched_builder *s)
{
    transit_size_exchange(g, s, true, (tree)o->variant);
}

const algo algo_alltoall_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_alltoall,
    .summary = "one leader in each node carries what crosses nodes",
    .steps = "three phases",
    .volume = "q(p-q) out of a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .regional = true,
    .variants = tree_gathers,
    .size_exchange = size_exchange,
    .compile = compile,
};
