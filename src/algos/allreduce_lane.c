/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_lane.c - a reduce-scatter inside nodes, an allreduce of a part on every lane, an
 * allgather inside nodes.
 *
 *   2 nodes of 4      node    each rank has a quarter of the vector, summed up over its node
 *                     lane    0 4   1 5   2 6   3 7: the sum of all
 *                     node    all quarters for everybody
 *
 * The variant is the algorithm on lanes, the parameter the pieces that it gets each of its parts
 * in; as blocks (form `block`) they go on inside the nodes while others are on their way. Every
 * element is reduced inside a node on one rank, and between nodes as the variant does it: all ranks
 * get the same bits.
 *
 * 2 n (N-1)/N out of and into each of N nodes with `circulant`, `ring` and `rabenseifner`, over all
 * rails; 2 n (q-1)/q inside a node of q. For large vectors. Needs an operation that commutes, of
 * MPI's. Traeff, Hunold, CLUSTER 2020, Listing 5; unequal nodes are ours.
 */
#include "algos/circulant.h"
#include "algos/lanes.h"

static const algo *const phases[] = {
    &algo_allreduce_circulant,          &algo_allreduce_ring,      &algo_allreduce_rabenseifner,
    &algo_allreduce_recursive_doubling, &algo_allreduce_dual_root, NULL};

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    lanes l;

    if (!lanes_make(&l, g, 0, s)) {
        phase_compile(o, g, 0, b, s);
        return;
    }
    blockmap items = lanes_cut(&l, b, s);

    sched_phase(s, "reduce-scatter");
    if (l.local.size > 1)
        circulant_reduce_scatter(&l.local, &items, &items.in, &items.in, s);
    sched_phase(s, "lane");
    if (on_lane(&l)) {
        blockmap part = lanes_part(&l, b, s);
        if (l.local.size > 1)
            part.out = part.in;
        phase_compile(o, &l.lane, 0, &part, s);
    }
    lanes_share(&l, &items, s);
}

const algo algo_allreduce_lane = {
    .name = "lane",
    .kind = COLL_allreduce,
    .summary = "reduce-scatter in nodes, allreduce of a part on every lane, allgather in nodes",
    .steps = "three phases",
    .volume = "2(N-1)/N out of a node",
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
