/* SPDX-License-Identifier: BSD-3-Clause */
/* scan_lane.c - what lies before a node is summed up over lanes, a part on each, while the node
 * does its own scan.
 *
 *   2 nodes of 4      node      each rank has a quarter, summed up over its node
 *                     lane      0 -> 4   1 -> 5   2 -> 6   3 -> 7: the sum of all nodes before
 *                     gather    4 5 6 7 give each other their quarters
 *                     scan      inside nodes; then before + scan
 *
 * The variant is the exscan on lanes, the parameter the pieces that it gets a part in; as blocks
 * (form `block`) they go on while others are on their way. A prefix is whole nodes and a part of
 * one only where nodes hold ranks that follow one another; elsewhere there are no lanes.
 *
 * n/q ceil(log2 N) out of each rank of N nodes of q, n ceil(log2 N) out of a node over all rails.
 * Up to nine vectors of scratch. For large vectors. Needs an operation that commutes, of MPI's.
 * Traeff, Hunold, CLUSTER 2020, Listing 6; unequal nodes are ours.
 */
#include "algos/lanes.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    scan_lanes l;

    if (!scan_lanes_before(&l, o, g, b, s)) {
        algo_scan_recursive_doubling.compile(o, g, b, s);
        return;
    }
    sched_phase(s, "scan");
    algo_scan_recursive_doubling.compile(o, &l.l.local, b, s);
    if (l.l.nodes.mine > 0)
        reduce_row(s, b, &l.before, &b->in, 0, b->n);
}

const algo algo_scan_lane = {
    .name = "lane",
    .kind = COLL_scan,
    .summary = "scan in nodes; the sum of those before over lanes, a part on each",
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
