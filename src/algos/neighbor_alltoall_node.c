/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_alltoall_node.c - one message for each pair of nodes with edges between them.
 *
 *   node A: 0 -> 4, 1 -> 4, 1 -> 5     0 -> 1, then 1 -> 5 with all three blocks, then 5 -> 4
 *   node B: 4, 5                       edges inside a node: as linear
 *
 * Ranks of A hand what is for B to a carrier, whose receiver in B hands it out. The parameter is
 * how many groups the ranks of B are divided into, each with a carrier and a receiver of its own.
 * Where the blocks from a rank to a carrier are short, too, both are one message: then collecting
 * costs nothing, and what is handed out goes to a group only.
 *
 * Messages that leave a node: at most k for each node that it has edges to. For many short blocks,
 * where those messages cost the most. Three-step and split of Bienz, Gropp, Olson, IJHPCA 2020.
 */
#include "algos/halo.h"

static void size_exchange(const algo_options *o, const group *g, sched_builder *s)
{
    halo_size_exchange(o->parameter, o, g, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    halo_compile(o->parameter, o, g, b, s);
}

const algo algo_neighbor_alltoall_node = {
    .name = "node",
    .kind = COLL_neighbor_alltoall,
    .summary = "blocks for another node travel together, in k messages",
    .steps = "3",
    .volume = "what goes to the node, k-th part",
    .source = "Bienz, Gropp, Olson, IJHPCA 34(4), 2020",
    .regional = true,
    .parameter = {.name = "k", .least = 1, .usual = 1},
    .size_exchange = size_exchange,
    .rounds = HALO_ROUNDS,
    .compile = compile,
};
