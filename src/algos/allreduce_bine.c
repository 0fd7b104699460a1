/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_bine.c - reduce-scatter and allgather that swap most with the nearest ranks.
 *
 *   step      0      1      2     |   3      4      5        p = 8, seen from rank 0
 *   with      1      7      3     |   3      7      1
 *   parts     4      2      1     |   1      2      4        of 8; sent and received
 *
 * Which part a rank reduces is bine_number of it, so that all it sends in a step lies side by side.
 * Every part is reduced on one rank: all ranks get the same bits.
 *
 * 2 log2 p alpha + 2 n (p-1)/p beta as rabenseifner, with up to two vectors of scratch; p a power
 * of two. For middle and large vectors, where consecutive ranks share a node or a switch: bine.h.
 * Needs an operation that commutes, of MPI's. De Sensi et al., arXiv 2508.17311.
 */
#include "algos/algo.h"
#include "algos/bine.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    butterfly f = bine_butterfly(g);
    blockmap items = cut(b, g->size, s);
    accumulator a = accumulator_make(&items, s);

    if (items.list)
        butterfly_allreduce(&f, g, &a);
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){.messages = 2 * ceil_log2(p), .blocks = 2.0 * (p - 1) / p};
}

const algo algo_allreduce_bine = {
    .name = "bine",
    .kind = COLL_allreduce,
    .summary = "reduce-scatter and allgather that swap most with the nearest ranks",
    .steps = "2 log2 p",
    .volume = "2(p-1)/p vectors",
    .restriction = "2^k; MPI's ops",
    .source = "De Sensi et al., arXiv 2508.17311",
    .commutes = true,
    .inapplicable = bine_inapplicable,
    .parts = algo_parts_of_ranks,
    .compile = compile,
    .cost = cost,
};
