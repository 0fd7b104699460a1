/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_lane.c - the root gives each rank of its node the blocks of a lane, which scatters them
 * to the other nodes.
 *
 *   2 nodes of 4, root 0      node     0 -> 1, 2, 3: two blocks each
 *                             lanes    0 -> 4   1 -> 5   2 -> 6   3 -> 7: a block each
 *
 * With nodes of unequal sizes lane i carries the blocks of local ranks i, i + L, ..., where L is
 * the size of the smallest node, and hands on what is not its own. The variant is the algorithm of
 * both phases.
 *
 * N - 1 messages out of the root's node on each lane (linear), over all its rails. A block copied a
 * lane, of unequal nodes up to N, and N blocks of scratch where blocks pass. For blocks of middle
 * size. Traeff, Hunold, CLUSTER 2020; unequal nodes are ours.
 */
#include "algos/lanes.h"
#include "algos/tree.h"

static void scatter_over_lanes(const algo_options *o, const lanes *l, bool is_root,
                               const blockmap *b, sched_builder *s)
{
    blockmap mine = regions_local_items(&l->nodes, b, s), lane = lanes_of_nodes(l, b, s);
    blockmap given = lanes_of_node(l, l->root_node, b, s);
    blockrow have = lanes_row(l, &lane, is_root, &b->out, &b->in, s);

    sched_phase(s, "node");
    if (l->nodes.mine == l->root_node) {
        tree_distribute((tree)o->variant, &l->local, l->root_at, &given, &b->out, &have, s);
        if (on_lane(l) && !is_root)
            copy_row(s, &mine, &have, &b->in, l->nodes.index, 1);
    }
    sched_phase(s, "lane");
    if (on_lane(l))
        tree_distribute((tree)o->variant, &l->lane, l->root_node, &lane, &have, &have, s);
    sched_phase(s, "hand on");
    if (l->nodes.mine != l->root_node) /* there everybody has its block */
        lanes_hand_on(l, &mine, &have, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    lanes l;

    if (lanes_make(&l, g, o->root, s))
        scatter_over_lanes(o, &l, g->index == o->root, b, s);
    else
        tree_distribute((tree)o->variant, g, o->root, b, &b->out, &b->in, s);
}

const algo algo_scatter_lane = {
    .name = "lane",
    .kind = COLL_scatter,
    .summary = "scatter inside the root's node, then on every lane",
    .steps = "two phases",
    .volume = "(N-1)q out of the root's node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regular = true,
    .regional = true,
    .variants = tree_gathers,
    .compile = compile,
};
