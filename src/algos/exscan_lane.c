/* SPDX-License-Identifier: BSD-3-Clause */
/* exscan_lane.c - as scan_lane.c, with an exscan inside nodes; the first rank of each has the sum
 * of the nodes before it, and nothing to add.
 *
 *   2 nodes of 4      lanes     0 -> 4   1 -> 5   2 -> 6   3 -> 7: a quarter each, summed up
 *                     gather    4 5 6 7 give each other their quarters: 4 is done
 *                     exscan    5, 6, 7: before + exscan inside the node
 *
 * Cost and use as scan_lane.c, with a vector of scratch more. Traeff, Hunold, CLUSTER 2020; unequal
 * nodes are ours.
 */
#include "algos/lanes.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    scan_lanes l;

    if (!scan_lanes_before(&l, o, g, b, s)) {
        algo_exscan_recursive_doubling.compile(o, g, b, s);
        return;
    }
    sched_phase(s, "exscan");
    algo_exscan_recursive_doubling.compile(o, &l.l.local, b, s);
    if (l.l.nodes.mine > 0 && l.l.local.index > 0)
        reduce_row(s, b, &l.before, &b->in, 0, b->n);
    if (l.l.nodes.mine > 0 && l.l.local.index == 0)
        copy_row(s, b, &l.before, &b->in, 0, b->n);
}

const algo algo_exscan_lane = {
    .name = "lane",
    .kind = COLL_exscan,
    .summary = "exscan in nodes; the sum of those before over lanes, a part on each",
    .steps = "four phases",
    .volume = "log2 N vectors out of a node",
    .restriction = "any; MPI's ops",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .commutes = true,
    .variants = phase_exscans,
    .parameter = {.name = "pieces", .least = 1, .usual = 1, .most = PIECES_MOST},
    .parts = lanes_parts,
    .compile = compile,
};
