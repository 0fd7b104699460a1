/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter_recursive_doubling.c - swap all blocks with a rank at distance 1, 2, 4, ..., and
 * keep one.
 *
 * An allreduce by recursive doubling, in the order of the ranks (allreduce_recursive_doubling.c),
 * into scratch.
 *
 * ceil(log2 p) (alpha + p n beta), two more messages where p is no power of two; up to three
 * vectors of scratch. For small blocks and operations that do not commute.
 * Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
 */
#include "algos/algo.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    blockmap all = *b;

    if (g->size > 1) {
        all.in = scratch_row(s, b);
        algo_allreduce_recursive_doubling.compile(o, g, &all, s);
    }
    copy_row(s, b, g->size > 1 ? &all.in : &b->out, &b->in, g->index, 1);
}

static algo_cost cost(int p, int parameter)
{
    double n = algo_allreduce_recursive_doubling.cost(p, parameter).messages;

    return (algo_cost){.messages = n, .blocks = n * p, .copies = p + 1};
}

const algo algo_reduce_scatter_recursive_doubling = {
    .name = "recursive_doubling",
    .kind = COLL_reduce_scatter,
    .summary = "swap all blocks at distance 1, 2, 4, ..., in the order of the ranks, and keep one",
    .steps = "ceil(log2 p) + 1",
    .volume = "p log2 p blocks",
    .source = "Thakur et al., IJHPCA 19(1), 2005",
    .compile = compile,
    .cost = cost,
};
