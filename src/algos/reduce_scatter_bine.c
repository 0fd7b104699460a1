/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter_bine.c - swap halves, most of them with the nearest ranks.
 *
 *   step      0      1      2        p = 8, seen from rank 0
 *   with      1      7      3
 *   blocks    4      2      1        sent and received
 *
 * log2 p alpha + (p-1) n beta; up to three vectors of scratch, and a block is copied. p a power of
 * two. Where consecutive ranks share a node or a switch: bine.h. Needs an operation that commutes.
 * De Sensi et al., arXiv 2508.17311.
 */
#include "algos/algo.h"
#include "algos/bine.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    butterfly f = bine_butterfly(g);
    blockmap sum = *b, items;
    accumulator a;

    sum.in = scratch_row(s, b);
    items = bine_items(&sum, s);
    if (!items.list)
        return;
    a = accumulator_make(&items, s);
    butterfly_reduce_scatter(&f, g, &a);
    copy_row(s, b, g->size > 1 ? &sum.in : &b->out, &b->in, g->index, 1);
}

const algo algo_reduce_scatter_bine = {
    .name = "bine",
    .kind = COLL_reduce_scatter,
    .summary = "swap halves, most of them with the nearest ranks",
    .steps = "log2 p",
    .volume = "p-1 blocks",
    .restriction = "p a power of two; ops that commute",
    .source = "De Sensi et al., SC 2025, arXiv 2508.17311",
    .commutes = true,
    .inapplicable = bine_inapplicable,
    .compile = compile,
    .cost = cost_doubling,
};
