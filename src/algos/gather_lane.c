/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_lane.c - each lane gathers its blocks at its rank of the root's node, and these ranks
 * bring them to the root.
 *
 *   2 nodes of 4, root 0      lanes    4 -> 0   5 -> 1   6 -> 2   7 -> 3: a block each
 *                             node     1, 2, 3 -> 0: two blocks each
 *
 * With nodes of unequal sizes lane i carries the blocks of local ranks i, i + L, ..., where L is
 * the size of the smallest node; those beyond L hand them to it first. The variant is the algorithm
 * of both phases.
 *
 * N - 1 messages into the root's node on each lane (linear), over all its rails; p - N of the p - 1
 * blocks of others come to the root from its own node. A block copied a lane, of unequal nodes up
 * to N, and N blocks of scratch where blocks pass. For blocks of middle size. Traeff, Hunold,
 * CLUSTER 2020; unequal nodes are ours.
 */
#include "algos/lanes.h"
#include "algos/tree.h"

/* Blocks of ranks without a lane, to the rank that carries them; in the root's node they stay. */
static void hand_to_carrier(const lanes *l, const blockmap *mine, const blockrow *have,
                            sched_builder *s)
{
    int me = l->nodes.index;

    sched_phase(s, "hand over");
    if (l->nodes.mine == l->root_node)
        return;
    if (!on_lane(l)) {
        send_row(s, mine, &mine->out, me, 1, peer(&l->local, me % l->n));
        return;
    }
    if (!same_row(have, &mine->out))
        copy_row(s, mine, &mine->out, have, me, 1);
    for (int i = me + l->n; i < l->local.size; i += l->n)
        recv_row(s, mine, have, i, 1, peer(&l->local, i));
}

static void gather_over_lanes(const algo_options *o, const lanes *l, bool is_root,
                              const blockmap *b, sched_builder *s)
{
    blockmap mine = regions_local_items(&l->nodes, b, s), lane = lanes_of_nodes(l, b, s);
    bool at_root = l->nodes.mine == l->root_node;
    blockrow have = lanes_row(l, &lane, is_root, &b->in, &b->out, s);

    hand_to_carrier(l, &mine, &have, s);
    sched_phase(s, "lane");
    if (on_lane(l))
        tree_collect((tree)o->variant, &l->lane, l->root_node, &lane, &have, &have, s);
    if (!at_root)
        return;
    sched_phase(s, "node");
    if (on_lane(l) && !is_root)
        copy_row(s, &mine, &b->out, &have, l->nodes.index, 1);
    mine = lanes_of_node(l, l->root_node, b, s);
    tree_collect((tree)o->variant, &l->local, l->root_at, &mine, &have, &b->in, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    lanes l;

    if (lanes_make(&l, g, o->root, s))
        gather_over_lanes(o, &l, g->index == o->root, b, s);
    else
        tree_collect((tree)o->variant, g, o->root, b, &b->out, &b->in, s);
}

const algo algo_gather_lane = {
    .name = "lane",
    .kind = COLL_gather,
    .summary = "gather on every lane, then inside the root's node",
    .steps = "two phases",
    .volume = "(N-1)q into the root's node",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regular = true,
    .regional = true,
    .variants = tree_gathers,
    .compile = compile,
};
