/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_neighbor_exchange.c - pairs of blocks walk along the ring in both directions.
 *
 *   step        0         1          2            p = 6, seen from rank 0
 *   with        1         5          1            ranks (0,1) (2,3) (4,5) are pairs
 *   send        0        0,1        4,5
 *   receive     1        4,5        2,3
 *
 * First each rank swaps its block with the other rank of its pair. Then it turns to its two
 * neighbours alternately, passes on the pair of blocks that it got last (its own pair at first)
 * and gets a pair that is one further away.
 *
 * (p/2) alpha + (p-1) n beta, no scratch; p even. For large blocks: neighbours only, half the
 * steps of the ring. Chen, Zhang, Zhang, Yuan, HPC Asia 2005; Sparbit paper II-A.
 */
#include "algos/algo.h"

static const char *inapplicable(int p)
{
    return p > 1 && p % 2 ? "neighbor_exchange needs an even number of ranks" : NULL;
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;
    int inward = me % 2 ? -1 : 1; /* towards the other rank of my pair */
    int pair = me - me % 2;       /* the pair of blocks passed on: its first block */

    if (p == 1)
        return;
    send_blocks(s, b, me, 1, 1, peer(g, me + inward));
    recv_blocks(s, b, me + inward, 1, 1, peer(g, me + inward));
    for (int k = 1; k < p / 2; k++) {
        int side = k % 2 ? -inward : inward;               /* where the neighbour is */
        int next = me - me % 2 + side * 2 * ((k + 1) / 2); /* the pair it has for me */

        send_blocks(s, b, pair, 2, 1, peer(g, me + side));
        recv_blocks(s, b, next, 2, 1, peer(g, me + side));
        pair = next;
    }
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){.messages = p / 2, .blocks = p - 1, .copies = 1};
}

const algo algo_allgather_neighbor_exchange = {
    .name = "neighbor_exchange",
    .kind = COLL_allgather,
    .summary = "pairs of blocks walk along the ring in both directions",
    .steps = "p/2",
    .volume = "p-1 blocks",
    .restriction = "p even",
    .source = "Chen et al., HPC Asia 2005",
    .has_forms = true,
    .inapplicable = inapplicable,
    .compile = compile,
    .cost = cost,
};
