/* SPDX-License-Identifier: BSD-3-Clause */
/* scan_hierarchical.c - a scan inside nodes; the last rank of each has the node's sum and gets that
 * of the nodes before, which its node adds.
 *
 *   2 nodes of 4      scan       0 1 2 3    4 5 6 7
 *                     leaders    3 -> 7: the sum of node 0
 *                     bcast      7 -> 4, 5, 6; before + scan
 *
 * The variant is the exscan among leaders. Inside nodes the same again, over packages and NUMA
 * nodes where these are; as blocks (form `block`) the pieces, the parameter, go on while others are
 * on their way. A prefix is whole nodes and a part of one only where nodes hold ranks that follow
 * one another; elsewhere they are not looked at. Any operation.
 *
 * ceil(log2 N) messages out of each of N nodes, by one rank. Up to six vectors of scratch. For
 * small vectors. Traeff, Hunold, CLUSTER 2020, III-D.
 */
#include "algos/levels.h"

static void scan_inside(const algo_options *o, const group *g, const blockmap *b, int level,
                        sched_builder *s)
{
    scan_levels l;

    if (!scan_levels_divide(&l, g, b, level, s)) {
        algo_scan_recursive_doubling.compile(o, g, b, s);
        return;
    }
    scan_inside(o, &l.d.local, b, l.d.next, s);
    scan_levels_before(&l, o, b, &b->in, s);
    if (l.d.p.mine > 0)
        reduce_row(s, b, &l.before, &b->in, 0, b->n);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    scan_inside(o, g, b, topo_regions(g->topo), s);
}

const algo algo_scan_hierarchical = {
    .name = "hierarchical",
    .kind = COLL_scan,
    .summary = "scan inside nodes, exscan of their sums, which are added",
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
