/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_alltoall_partner.c - one message from a rank to each node that it has edges to.
 *
 *   0 -> 4, 0 -> 5, nodes {0, 1} {4, 5}     0 -> 4 with both blocks, then 4 -> 5
 *   edges inside a node: as linear
 *
 * Messages that leave a node: one for each rank and node. Between linear and node: blocks are
 * copied once. Two-step of Bienz, Gropp, Olson, IJHPCA 2020.
 */
#include "algos/halo.h"

static void size_exchange(const algo_options *o, const group *g, sched_builder *s)
{
    halo_size_exchange(HALO_OF_SOURCES, o, g, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    halo_compile(HALO_OF_SOURCES, o, g, b, s);
}

const algo algo_neighbor_alltoall_partner = {
    .name = "partner",
    .kind = COLL_neighbor_alltoall,
    .summary = "blocks of a rank for another node travel together",
    .steps = "2",
    .volume = "what goes to the node",
    .source = "Bienz, Gropp, Olson, IJHPCA 34(4), 2020",
    .regional = true,
    .size_exchange = size_exchange,
    .rounds = HALO_ROUNDS,
    .compile = compile,
};
