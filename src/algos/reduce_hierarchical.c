/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_hierarchical.c - inside nodes to a leader, and from the leaders to the root.
 *
 *   2 nodes of 4, root 1      nodes      0, 2, 3 -> 1    5, 6, 7 -> 4
 *                             leaders    4 -> 1
 *
 * The root leads its node. The variant is the algorithm among leaders; inside nodes trees, over
 * packages and NUMA nodes where these are. As blocks (form `block`) the pieces, the parameter, go
 * on while others are on their way. An operation that does not commute is applied in the order of
 * the ranks, by trees; where nodes do not hold ranks that follow one another, by one tree of all.
 *
 * One rank of a node sends what leaves it, n with `binomial`, `chain` and `two_tree`. For small
 * vectors. A vector of scratch at leaders, and what the phases need. Traeff, Hunold, CLUSTER 2020,
 * III-C.
 */
#include "algos/levels.h"

static const algo *const phases[] = {&algo_reduce_binomial,     &algo_reduce_circulant,
                                     &algo_reduce_rabenseifner, &algo_reduce_chain,
                                     &algo_reduce_two_tree,     NULL};

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    division d;

    if (!levels_divide(&d, g, o->root, topo_regions(g->topo), s) ||
        (o->noncommutative && !d.consecutive)) {
        phase_compile(o, g, o->root, b, s);
        return;
    }
    sched_phase(s, "nodes");
    blockmap leaders = levels_reduce_region(o, &d, g->index == o->root, b, s);
    sched_phase(s, "leaders");
    if (leads(&d))
        phase_compile(o, &d.leaders, d.root, &leaders, s);
}

const algo algo_reduce_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_reduce,
    .summary = "inside nodes to a leader, then from the leaders to the root",
    .steps = "two phases",
    .volume = "a vector out of a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .serves_user_op = true,
    .variants = phases,
    .parameter = {.name = "pieces", .least = 1, .usual = 8, .most = PIECES_MOST},
    .parts = levels_parts,
    .compile = compile,
};
