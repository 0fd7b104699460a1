/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_hierarchical.c - a reduce inside nodes, an allreduce of their leaders, a bcast inside
 * nodes.
 *
 *   2 nodes of 4      reduce     1, 2, 3 -> 0    5, 6, 7 -> 4
 *                     leaders    0 <-> 4
 *                     bcast      0 -> 1, 2, 3    4 -> 5, 6, 7
 *
 * The variant is the algorithm among leaders; inside nodes trees, over packages and NUMA nodes
 * where these are. As blocks (form `block`) the pieces, the parameter, go on while others are on
 * their way. An operation that does not commute is applied in the order of the ranks; where nodes
 * do not hold ranks that follow one another, without regard to nodes.
 *
 * One rank of a node sends what leaves it: log2 N vectors with `recursive_doubling`, 2 (N-1)/N with
 * `circulant`. For small vectors: 2 log2 q messages inside nodes of q, log2 N between. A vector or
 * two of scratch, and what the phases need. Traeff, Hunold, CLUSTER 2020, III-C.
 */
#include "algos/levels.h"

static const algo *const phases[] = {&algo_allreduce_recursive_doubling,
                                     &algo_allreduce_circulant,
                                     &algo_allreduce_ring,
                                     &algo_allreduce_rabenseifner,
                                     &algo_allreduce_dual_root,
                                     &algo_allreduce_two_tree,
                                     NULL};

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    division d;

    if (!levels_divide(&d, g, 0, topo_regions(g->topo), s) ||
        (o->noncommutative && !d.consecutive)) {
        phase_compile(o, g, 0, b, s);
        return;
    }
    sched_phase(s, "reduce");
    blockmap leaders = levels_reduce_region(o, &d, true, b, s);
    sched_phase(s, "leaders");
    if (leads(&d))
        phase_compile(o, &d.leaders, 0, &leaders, s);
    sched_phase(s, "bcast");
    levels_bcast(&d.local, d.leader, b, d.next, s);
}

const algo algo_allreduce_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_allreduce,
    .summary = "reduce inside nodes, allreduce of their leaders, bcast inside nodes",
    .steps = "three phases",
    .volume = "log2 N vectors out of a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .serves_user_op = true,
    .variants = phases,
    .parameter = {.name = "pieces", .least = 1, .usual = 8, .most = PIECES_MOST},
    .parts = levels_parts,
    .compile = compile,
};
