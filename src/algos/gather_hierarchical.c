/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_hierarchical.c - inside nodes to a leader, and from the leaders to the root.
 *
 *   2 nodes of 4, root 1      nodes      0, 2, 3 -> 1    5, 6, 7 -> 4
 *                             leaders    4 -> 1: four blocks
 *
 * The root leads its node. The variant is the tree of all phases, over packages and NUMA nodes
 * where these are. In the root's node every block comes to where it belongs.
 *
 * One message out of a node of q, of q blocks, and with `linear` straight to the root; q blocks of
 * scratch at leaders, and a copy of their own. For small blocks. Traeff, Hunold, CLUSTER 2020.
 */
#include "algos/levels.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    levels_gather((tree)o->variant, g, o->root, b, &b->out, &b->in, topo_regions(g->topo), s);
}

const algo algo_gather_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_gather,
    .summary = "inside nodes to a leader, then from the leaders to the root",
    .steps = "two phases",
    .volume = "q blocks out of a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regular = true,
    .regional = true,
    .variants = tree_gathers,
    .compile = compile,
};
