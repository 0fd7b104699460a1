/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter_lane.c - a reduce-scatter inside nodes for what each lane is to get, and another
 * on every lane.
 *
 *   2 nodes of 4      node    rank 1 of (0 1 2 3) gets blocks 1 and 5, summed up over its node
 *                     lane    1 5: block 1 for 1, block 5 for 5
 *
 * With nodes of unequal sizes lane i serves local ranks i, i + L, ..., where L is the size of the
 * smallest node, and hands on what is not its own. The variant is the algorithm on lanes. Blocks
 * are where they belong for both phases: nothing is reordered. Block by block they go in as many
 * pieces as the parameter says.
 *
 * (N-1) b out of each rank for N nodes, (p-q) b out of a node of q, over all rails; (q-1) N b
 * inside it. N blocks of scratch, and as many as both phases need. For large blocks. Operations
 * that do not commute go in the order of the ranks where nodes hold ranks that follow one another;
 * elsewhere they go without lanes. Traeff, Hunold, CLUSTER 2020, III-C; unequal nodes are ours.
 */
#include "algos/lanes.h"

static const algo *const phases[] = {&algo_reduce_scatter_circulant, &algo_reduce_scatter_pairwise,
                                     NULL};

static void reduce_scatter_over_lanes(const algo_options *o, const lanes *l, const blockmap *b,
                                      sched_builder *s)
{
    const algo *inside = o->noncommutative ? phases[1] : phases[0];
    blockmap mine = regions_local_items(&l->nodes, b, s), local = lanes_of_local(l, b, s), lane;
    blockrow have = b->in;

    if (l->local.size > 1)
        local.in = scratch_items(s, &local, l->nodes.index, 1);
    sched_phase(s, "node");
    if (l->local.size > 1)
        inside->compile(o, &l->local, &local, s);
    sched_phase(s, "lane");
    if (on_lane(l)) {
        lane = lanes_of_nodes(l, b, s);
        if (l->local.size > 1)
            lane.out = local.in;
        if (carries_others(l))
            lane.in = have = scratch_items(s, &lane, l->nodes.mine, 1);
        phase_of(o)->compile(o, &l->lane, &lane, s);
    }
    sched_phase(s, "hand on");
    lanes_hand_on(l, &mine, &have, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    lanes l;
    bool nodes = lanes_make(&l, g, 0, s);

    if (nodes && (l.consecutive || !o->noncommutative))
        reduce_scatter_over_lanes(o, &l, b, s);
    else
        phase_of(o)->compile(o, g, b, s);
}

const algo algo_reduce_scatter_lane = {
    .name = "lane",
    .kind = COLL_reduce_scatter,
    .summary = "reduce-scatter inside every node, then on every lane",
    .steps = "two phases",
    .volume = "N-1 blocks between",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .variants = phases,
    .parameter = {.name = "pieces", .least = 1, .usual = 1, .most = PIECES_MOST},
    .parts = algo_parts_of_blocks,
    .serves_user_op = true,
    .compile = compile,
};
