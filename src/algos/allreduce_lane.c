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
#include "algos/circulant_reduce.h"
#include "algos/lanes.h"

extern const algo algo_allreduce_circulant, algo_allreduce_ring, algo_allreduce_rabenseifner,
    algo_allreduce_recursive_doubling, algo_allreduce_dual_root;

static const char *const variants[] = {"circulant",          "ring",      "rabenseifner",
                                       "recursive_doubling", "dual_root", NULL};
static const algo *const phases[] = {&algo_allreduce_circulant, &algo_allreduce_ring,
                                     &algo_allreduce_rabenseifner,
                                     &algo_allreduce_recursive_doubling, &algo_allreduce_dual_root};

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    const algo *between = phases[o->variant];
    lanes l;
    bool nodes = lanes_make(&l, g, 0, s);
    algo_options inner = phase_options(between, o, l.nodes.n, l.root_node);

    if (!nodes) {
        between->compile(&inner, g, b, s);
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
        between->compile(&inner, &l.lane, &part, s);
    }
    lanes_share(&l, &items, s);
}

static int parts(const algo_options *o, const group *g, sched_builder *s)
{
    return lanes_parts(phases[o->variant], o, g, s);
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
    .variants = variants,
    .parameter = {.name = "pieces", .least = 1, .usual = 1, .most = PIECES_MOST},
    .parts = parts,
    .compile = compile,
};
