/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter_circulant.c - fewest rounds and least data at once, for any number of ranks.
 *
 *   p = 5, skips 3, 2, 1      send R[3..4] to me + 3, R[2] to me + 2, R[1] to me + 1
 *
 * R[i] is what I have of the block that rank me + i will get: circulant.h.
 *
 * ceil(log2 p) alpha + (p-1) n beta; about p blocks of scratch; a copy of one block if p is odd.
 * Needs an operation that commutes. Traeff, arXiv 2410.14234.
 */
#include "algos/algo.h"
#include "algos/circulant.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    circulant_reduce_scatter(g, b, NULL, &b->in, s);
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){.messages = ceil_log2(p), .blocks = p - 1, .copies = p % 2};
}

const algo algo_reduce_scatter_circulant = {
    .name = "circulant",
    .kind = COLL_reduce_scatter,
    .summary = "over skips p/2, p/4, ..., each round sends half of what is left",
    .steps = "ceil(log2 p)",
    .volume = "p-1 blocks",
    .restriction = "ops that commute",
    .source = "Traeff, arXiv 2410.14234",
    .commutes = true,
    .compile = compile,
    .cost = cost,
};
