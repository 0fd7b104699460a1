/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_circulant.c - reduce-scatter over p parts of the vector in fewest rounds for any number of
 * ranks, and a gather of the parts to the root.
 *
 *   reduce-scatter   p = 5: skips 3, 2, 1, as in circulant.h
 *   gather           the parts of a subtree in one message, as in gather_binomial.c
 *
 * 2 ceil(log2 p) alpha + 2 n (p-1)/p beta; up to four vectors of scratch. For middle and large
 * vectors. Needs an operation that commutes, of MPI's. Traeff, arXiv 2410.14234.
 */
#include "algos/algo.h"
#include "algos/circulant.h"
#include "algos/tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    blockmap items = cut(b, g->size, s);
    blockrow sum = g->index == o->root ? b->in : scratch_row(s, b);

    if (!items.list)
        return;
    sched_phase(s, "reduce-scatter");
    sched_rounds(s, true);
    circulant_reduce_scatter(g, &items, &sum, &sum, s);
    sched_rounds(s, false);
    sched_phase(s, "gather");
    tree_collect(TREE_BINOMIAL, g, o->root, &items, &sum, &b->in, s);
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){
        .messages = 2 * ceil_log2(p), .blocks = 2.0 * (p - 1) / p, .copies = p % 2 ? 1.0 / p : 0};
}

const algo algo_reduce_circulant = {
    .name = "circulant",
    .kind = COLL_reduce,
    .summary = "reduce-scatter over skips p/2, p/4, ..., and a gather of the parts",
    .steps = "2 ceil(log2 p)",
    .volume = "2(p-1)/p vectors",
    .restriction = "any; MPI's ops",
    .source = "Traeff, arXiv 2410.14234",
    .commutes = true,
    .parts = algo_parts_of_ranks,
    .compile = compile,
    .cost = cost,
};
