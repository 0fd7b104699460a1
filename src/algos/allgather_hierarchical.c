/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_hierarchical.c - gather to one leader in each node, allgather among the leaders,
 * broadcast inside nodes.
 *
 *   node 0: 0 1 2 3   node 1: 4 5 6 7      gather     1, 2, 3 -> 0        5, 6, 7 -> 4
 *                                          leaders    0 <-> 4, with four blocks each
 *                                          broadcast  0 -> 1, 2, 3        4 -> 5, 6, 7
 *
 * The variant is the tree inside nodes. Leaders use Bruck, or a ring where blocks travel one by
 * one. Fewest messages between nodes: one rank of a node has all of them.
 *
 * 2 log2 q local and log2 N non-local messages for N nodes of q; (p - q) n beta out of a node
 * through one rank. No scratch. For small blocks, and where more ranks of a node only wait for each
 * other. Traeff, Hunold, CLUSTER 2020, Listing 4; Mirsadeghi, Afsahi, IPDPSW 2016, II.
 */
#include "algos/levels.h"
#include "algos/tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    hierarchical_allgather(o, g, b, s, false);
}

const algo algo_allgather_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_allgather,
    .summary = "gather in nodes, allgather among their leaders, broadcast",
    .steps = "three phases",
    .volume = "p-q out of a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .variants = tree_gathers,
    .compile = compile,
};
