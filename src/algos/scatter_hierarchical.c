/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_hierarchical.c - to one leader of each node, and from these inside nodes.
 *
 *   2 nodes of 4, root 1      leaders    1 -> 4: four blocks
 *                             nodes      1 -> 0, 2, 3    4 -> 5, 6, 7
 *
 * The root leads its node. The variant is the tree of all phases, over packages and NUMA nodes
 * where these are.
 *
 * One message into a node of q, of q blocks, and with `linear` straight from the root; q blocks of
 * scratch at leaders, and a copy of their own. For small blocks. Traeff, Hunold, CLUSTER 2020.
 */
#include "algos/levels.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    levels_scatter((tree)o->variant, g, o->root, b, &b->out, &b->in, topo_regions(g->topo), s);
}

const algo algo_scatter_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_scatter,
    .summary = "to one leader of each node, then inside nodes",
    .steps = "two phases",
    .volume = "q blocks into a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regular = true,
    .regional = true,
    .variants = tree_gathers,
    .compile = compile,
};
