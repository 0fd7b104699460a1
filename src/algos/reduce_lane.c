/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_lane.c - a reduce-scatter inside nodes, a reduce of a part on every lane to the root's
 * node, and a gather of the parts to the root.
 *
 *   2 nodes of 4, root 0      node      each rank has a quarter, summed up over its node
 *                             lane      4 -> 0   5 -> 1   6 -> 2   7 -> 3
 *                             gather    1, 2, 3 -> 0: a quarter each
 *
 * The variant is the algorithm on lanes, the parameter the pieces that it gets each of its parts
 * in; as blocks (form `block`) they go on while others are on their way.
 *
 * n out of each node and into the root's with `chain`, over all rails. Up to four vectors of
 * scratch with it in the form `block`, seven with others. For large vectors. Needs an operation
 * that commutes, of MPI's. Traeff, Hunold, CLUSTER 2020, III-C; unequal nodes are ours.
 */
#include "algos/circulant.h"
#include "algos/lanes.h"
#include "algos/tree.h"

static const algo *const phases[] = {&algo_reduce_circulant, &algo_reduce_rabenseifner,
                                     &algo_reduce_chain, &algo_reduce_binomial, NULL};

/* sum: where the parts of my node are, and in the root's node those of all. */
static void along_lane(const algo_options *o, const lanes *l, const blockmap *b,
                       const blockrow *sum, sched_builder *s)
{
    blockmap part = lanes_part(l, b, s);

    if (l->local.size > 1)
        part.out = *sum;
    if (l->nodes.mine == l->root_node)
        part.in = *sum;
    phase_compile(o, &l->lane, l->root_node, &part, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    lanes l;

    if (!lanes_make(&l, g, o->root, s)) {
        phase_compile(o, g, o->root, b, s);
        return;
    }
    blockmap items = lanes_cut(&l, b, s);
    blockrow sum = g->index == o->root || l.local.size == 1 ? b->in : scratch_row(s, b);

    sched_phase(s, "reduce-scatter");
    if (l.local.size > 1)
        circulant_reduce_scatter(&l.local, &items, &sum, &sum, s);
    sched_phase(s, "lane");
    if (on_lane(&l))
        along_lane(o, &l, b, &sum, s);
    sched_phase(s, "gather");
    if (l.nodes.mine == l.root_node)
        tree_collect(sched_form(s) == FORM_BLOCK ? TREE_LINEAR : TREE_BINOMIAL, &l.local, l.root_at,
                     &items, &sum, &b->in, s);
}

const algo algo_reduce_lane = {
    .name = "lane",
    .kind = COLL_reduce,
    .summary = "reduce-scatter in nodes, reduce of a part on every lane, gather in the root's node",
    .steps = "three phases",
    .volume = "a vector out of a node",
    .restriction = "any; MPI's ops",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .commutes = true,
    .variants = phases,
    .parameter = {.name = "pieces", .least = 1, .usual = 1, .most = PIECES_MOST},
    .parts = lanes_parts,
    .compile = compile,
};
