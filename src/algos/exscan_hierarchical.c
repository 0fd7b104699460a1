/* SPDX-License-Identifier: BSD-3-Clause */
/* exscan_hierarchical.c - as scan_hierarchical.c, with an exscan inside nodes; the last rank of
 * each adds its own vector for the node's sum, and the first one has nothing to add to what comes.
 *
 *   2 nodes of 4      exscan     0 1 2 3    4 5 6 7
 *                     leaders    3 -> 7: exscan + own, the sum of node 0
 *                     bcast      7 -> 4, 5, 6; before + exscan, at 4 before
 *
 * Cost and use as scan_hierarchical.c, with a vector of scratch more. Traeff, Hunold, CLUSTER 2020.
 */
#include "algos/levels.h"

static void exscan_inside(const algo_options *o, const group *g, const blockmap *b, int level,
                          sched_builder *s)
{
    blockrow sum = b->out;
    scan_levels l;

    if (!scan_levels_divide(&l, g, b, level, s)) {
        algo_exscan_recursive_doubling.compile(o, g, b, s);
        return;
    }
    bool sums = leads(&l.d) && l.d.local.size > 1 && l.d.p.mine < l.d.p.n - 1;

    if (sums) {
        sum = scratch_row(s, b);
        copy_row(s, b, &b->out, &sum, 0, b->n);
    }
    exscan_inside(o, &l.d.local, b, l.d.next, s);
    if (sums)
        reduce_row(s, b, &b->in, &sum, 0, b->n);
    scan_levels_before(&l, o, b, &sum, s);
    if (l.d.p.mine > 0 && l.d.local.index > 0)
        reduce_row(s, b, &l.before, &b->in, 0, b->n);
    else if (l.d.p.mine > 0)
        copy_row(s, b, &l.before, &b->in, 0, b->n);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    exscan_inside(o, g, b, topo_regions(g->topo), s);
}

const algo algo_exscan_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_exscan,
    .summary = "exscan inside nodes, exscan of their sums, which are added",
    .steps = "three phases",
    .volume = "log2 N vectors out of a node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .serves_user_op = true,
    .variants = phase_exscans,
    .parameter = {.name = "pieces", .least = 1, .usual = 8, .most = PIECES_MOST},
    .parts = levels_parts,
    .compile = compile,
};
