/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_sparbit.c - stripe parallel binomial trees: distances halve while the data doubles.
 *
 *   step         0          1           2             p = 5, seen from rank 0
 *   distance     4          2           1
 *   send      0 -> 4     0 -> 2     0,3 -> 1          blocks -> to
 *   receive   1 <- 1     3 <- 3     4,2 <- 4          blocks <- from
 *
 * Every rank is the root of a binomial tree for its own block. In a tree over a p that is no power
 * of two the last ranks have no children at some distances: there one block is not passed on (the
 * set bits of `ignore_steps`; the printed listing calls it ignore_vector once). Most data travels
 * over the shortest distances, which are inside the node when ranks are placed in sequence.
 *
 * ceil(log2 p) alpha + (p-1) n beta, no scratch, no shift. For small and medium blocks.
 * Loch, Koslovski, "Sparbit", 2021, Algorithm 1.
 */
#include "algos/algo.h"

static int count_trailing_zeros(int n)
{
    int zeros = 0;

    while (n % 2 == 0) {
        n /= 2;
        zeros++;
    }
    return zeros;
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;
    int last = count_trailing_zeros(p);
    int ignore_steps = (int)(((~((unsigned)p >> last)) | 1) << last);
    int data = 1;

    for (int d = (1 << ceil_log2(p)) / 2; d >= 1; d /= 2) {
        int ignore = (d & ignore_steps) != 0;

        send_blocks(s, b, me, data - ignore, -2 * d, peer(g, me + d));
        recv_blocks(s, b, me - d, data - ignore, -2 * d, peer(g, me - d));
        data = 2 * data - ignore;
    }
}

const algo algo_allgather_sparbit = {
    .name = "sparbit",
    .kind = COLL_allgather,
    .summary = "parallel binomial trees: distances halve while the data doubles",
    .steps = "ceil(log2 p)",
    .volume = "p-1 blocks",
    .source = "Loch, Koslovski, Sparbit, 2021",
    .has_forms = true,
    .compile = compile,
    .cost = cost_doubling,
};
