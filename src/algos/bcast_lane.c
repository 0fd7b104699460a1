/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_lane.c - the vector is scattered inside the root's node, each lane broadcasts its part to
 * all nodes, and these put the parts together.
 *
 *   2 nodes of 4, root 0      scatter   0 -> 1, 2, 3: a part each
 *                             lanes     0 -> 4   1 -> 5   2 -> 6   3 -> 7
 *                             node      0 1 2 3 and 4 5 6 7 give each other their parts
 *
 * The variant is the algorithm on lanes, the parameter the pieces that it gets a part in; as blocks
 * (form `block`) they go on inside the nodes while others are on their way. Nothing is sent to the
 * root: its buffer may be one that cannot be written to. Cut by bytes, because ranks may describe
 * one vector by different types (algo.c).
 *
 * n/q out of each rank of a node of q for each child of the root's node on its lane: with `chain`,
 * `circulant` and `two_tree` n out of and into every node, over all its rails. No scratch but for
 * what passes in the scatter. For large vectors. Traeff, Hunold, CLUSTER 2020, Listing 1; unequal
 * nodes are ours.
 */
#include "algos/lanes.h"
#include "algos/tree.h"

static const algo *const phases[] = {&algo_bcast_circulant, &algo_bcast_chain,
                                     &algo_bcast_binomial,  &algo_bcast_scatter_allgather,
                                     &algo_bcast_two_tree,  NULL};

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    lanes l;

    if (!lanes_make(&l, g, o->root, s)) {
        phase_compile(o, g, o->root, b, s);
        return;
    }
    blockmap items = lanes_cut(&l, b, s);

    sched_phase(s, "scatter");
    if (l.nodes.mine == l.root_node)
        tree_distribute(sched_form(s) == FORM_BLOCK ? TREE_LINEAR : TREE_BINOMIAL, &l.local,
                        l.root_at, &items, &items.in, &items.in, s);
    sched_phase(s, "lane");
    if (on_lane(&l)) {
        blockmap part = lanes_part(&l, b, s);
        phase_compile(o, &l.lane, l.root_node, &part, s);
    }
    sched_spare(s, peer(g, o->root), g->index == o->root);
    lanes_share(&l, &items, s);
    sched_spare(s, -1, false);
}

const algo algo_bcast_lane = {
    .name = "lane",
    .kind = COLL_bcast,
    .summary = "scatter in the root's node, bcast of a part on every lane, allgather in nodes",
    .steps = "three phases",
    .volume = "a vector into a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .variants = phases,
    .parameter = {.name = "pieces", .least = 1, .usual = 8, .most = PIECES_MOST},
    .parts = lanes_parts,
    .compile = compile,
};
