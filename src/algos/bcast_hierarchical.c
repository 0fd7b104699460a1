/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_hierarchical.c - to one leader of each node, and from these inside nodes.
 *
 *   2 nodes of 4, root 1      leaders    1 -> 4
 *                             nodes      1 -> 0, 2, 3    4 -> 5, 6, 7
 *
 * The root leads its node. The variant is the algorithm among leaders; inside nodes trees, over
 * packages and NUMA nodes where these are. As blocks (form `block`) the pieces, the parameter, go
 * on inside nodes while others are on their way.
 *
 * One rank of a node sends and receives all that crosses its border: n with `circulant`, `chain`
 * and `two_tree`. For small vectors; for large ones where one rank fills the network. No scratch,
 * unless the vector is cut and its type has gaps. Traeff, Hunold, CLUSTER 2020, Listing 2.
 */
#include "algos/levels.h"

static const algo *const phases[] = {&algo_bcast_binomial, &algo_bcast_circulant,
                                     &algo_bcast_chain,    &algo_bcast_scatter_allgather,
                                     &algo_bcast_two_tree, NULL};

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    division d;
    bool divided = levels_divide(&d, g, o->root, topo_regions(g->topo), s);

    sched_phase(s, "leaders");
    if (leads(&d))
        phase_compile(o, &d.leaders, d.root, b, s);
    sched_phase(s, "nodes");
    if (divided)
        levels_bcast(&d.local, d.leader, b, d.next, s);
}

const algo algo_bcast_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_bcast,
    .summary = "to one leader of each node, then inside nodes",
    .steps = "two phases",
    .volume = "a vector into a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .variants = phases,
    .parameter = {.name = "pieces", .least = 1, .usual = 8, .most = PIECES_MOST},
    .parts = levels_parts,
    .compile = compile,
};
