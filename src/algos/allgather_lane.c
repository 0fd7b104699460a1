/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_lane.c - allgather on every lane (one rank of each node), then inside every node.
 *
 *   lane    0 4   1 5   2 6   3 7        2 nodes of 4 ranks: rank 1 gets block 5, ...
 *   node    0 1 2 3   4 5 6 7            ... and gives blocks 1, 5 to its node
 *
 * All ranks of a node send at the same time: every rail of it is used. With nodes of unequal sizes,
 * lane i carries the blocks of local ranks i, i + L, ..., where L is the size of the smallest node;
 * the ranks from L on hand their blocks to it first. No copies: blocks go from buffer to buffer.
 *
 * The variant names the algorithm of both phases. Block by block the phases pipeline: a block that
 * has come over a lane goes on inside the node at once; so does each of the pieces that the
 * parameter cuts it into, where blocks have equal lengths.
 *
 * (N - 1) n beta between N nodes a rank, steps as the two phases. No scratch. For large blocks.
 * Traeff, Hunold, CLUSTER 2020, Listing 3; unequal nodes are ours.
 */
#include "algos/lanes.h"

static const algo *const phases[] = {&algo_allgather_bruck, &algo_allgather_ring,
                                     &algo_allgather_sparbit, &algo_allgather_linear, NULL};

/* Blocks of ranks without a lane of their own, to the rank that has it. */
static void hand_to_lane(const lanes *l, const blockmap *mine, sched_builder *s)
{
    int me = l->local.index;

    sched_phase(s, "hand over");
    if (!on_lane(l))
        send_blocks(s, mine, me, 1, 1, peer(&l->local, me % l->n));
    for (int i = me + l->n; on_lane(l) && i < l->local.size; i += l->n)
        recv_blocks(s, mine, i, 1, 1, peer(&l->local, i));
}

/* Pieces one after the other, a few at a time: so a link is always full, whoever is late. */
static void over_lane(const algo_options *o, const lanes *l, const blockmap *b, sched_builder *s)
{
    blockmap items = lanes_of_nodes(l, b, s);
    int slices = slices_of(&items, s);

    sched_phase(s, "lane");
    if (slices > 1)
        sched_throttle(s, SLICES_IN_FLIGHT * (l->lane.size - 1));
    for (int q = 0; q < slices; q++) {
        blockmap part = slice(&items, q, s);
        phase_of(o)->compile(o, &l->lane, &part, s);
    }
    if (slices > 1)
        sched_rounds(s, false);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    lanes l;

    if (!lanes_make(&l, g, 0, s)) {
        phase_of(o)->compile(o, g, b, s);
        return;
    }
    blockmap mine = regions_local_items(&l.nodes, b, s);

    hand_to_lane(&l, &mine, s);
    if (on_lane(&l))
        over_lane(o, &l, b, s);
    sched_phase(s, "node");
    mine = lanes_of_node(&l, l.nodes.mine, b, s);
    phase_of(o)->compile(o, &l.local, &mine, s);
}

const algo algo_allgather_lane = {
    .name = "lane",
    .kind = COLL_allgather,
    .summary = "allgather on every lane, then inside every node",
    .steps = "two phases",
    .volume = "N-1 blocks between",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .variants = phases,
    .parameter = {.name = "pieces", .least = 1, .usual = 1, .most = PIECES_MOST},
    .parts = algo_parts_of_blocks,
    .compile = compile,
};
