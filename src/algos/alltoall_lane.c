/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_lane.c - alltoall inside every node, then on every lane (one rank of each node).
 *
 *   node    rank (a, i) gives (a, j) what it has for (k, j), all nodes k
 *   lane    rank (a, j) gives (k, j) what its node has for it
 *
 * All ranks of a node send at the same time, one message to each other node instead of one to each
 * other rank. With nodes of unequal sizes lane j serves local ranks j, j + L, ..., where L is the
 * size of the smallest node, and hands on what is not its own.
 *
 * q - 1 local messages (twice as many in the form `block`) and N - 1 non-local ones for N nodes of
 * q; (N - 1) q blocks cross in each lane, and N (q - 1) go round inside the node; N - 1 blocks
 * copied, and those that cross lie apart, which the MPI packs; scratch (N - 1) q blocks, in place p
 * more. For small and medium blocks and many ranks a node. Traeff, Hunold, CLUSTER 2020; unequal
 * nodes are ours.
 *
 * In the form `block` and in several pieces (the parameter) each piece crosses as a message of its
 * own, to all nodes in turn and a few of them at a time: TCP fills a link better so. Of equal
 * blocks only.
 *
 * Blocks of unequal lengths go the same way, after an exchange of the sizes of what is collected
 * (transit.h): once for a persistent request, in front of any other call. Where nodes are equal it
 * stays inside them.
 */
#include "algos/algo.h"
#include "algos/transit.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    transit_alltoall(g, b, o->exchanged_sizes, s, false, TREE_LINEAR);
}

static void size_exchange(const algo_options *o, const group *g, sched_builder *s)
{
    transit_size_exchange(g, s, false, TREE_LINEAR);
}

const algo algo_alltoall_lane = {
    .name = "lane",
    .kind = COLL_alltoall,
    .summary = "alltoall inside every node, then on every lane",
    .steps = "two phases",
    .volume = "(N-1)q between",
    .source = "Traeff, Hunold, CLUSTER 2020",
    .has_forms = true,
    .regional = true,
    .size_exchange = size_exchange,
    .parameter = {.name = "pieces", .least = 1, .usual = 1, .most = PIECES_MOST},
    .parts = algo_parts_of_blocks,
    .compile = compile,
};
