/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_rabenseifner.c - reduce-scatter by recursive halving, allgather by recursive doubling.
 *
 *   p = 6    fold      0 -> 1   2 -> 3               vectors, while there are more than 4 ranks
 *            reduce    1 <-> 4   3 <-> 5             halves, then 1 <-> 3   4 <-> 5 quarters
 *            gather    1 <-> 3   4 <-> 5             quarters, then 1 <-> 4   3 <-> 5 halves
 *            unfold    0 <- 1   2 <- 3
 *
 * Every part is reduced on one rank: all ranks get the same bits. What comes is received where
 * it belongs and combined with the send buffer; later it comes to scratch (butterfly.h).
 *
 * 2 log2 p alpha + 2 n (p-1)/p beta; where p is no power of two 2 (alpha + n beta) more: there
 * circulant is better. For middle and large vectors. Needs an operation that commutes, of MPI's.
 * Rabenseifner, ICCS 2004; Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
 */
#include "algos/algo.h"
#include "algos/butterfly.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    fold f = fold_make(g->size);
    int me = g->index;
    blockmap items = cut(b, f.power, s);
    accumulator a = accumulator_make(&items, s);
    butterfly swaps;

    if (!items.list)
        return;
    if (fold_leaves(f, me)) {
        send_row(s, b, &b->out, 0, b->n, peer(g, me + 1));
        recv_row(s, b, &b->in, 0, b->n, peer(g, me + 1));
        return;
    }
    if (fold_paired(f, me))
        accumulate(&a, 0, f.power, peer(g, me - 1));
    swaps = butterfly_halving(f, me);
    butterfly_allreduce(&swaps, g, &a);
    if (fold_paired(f, me))
        send_row(s, b, &b->in, 0, b->n, peer(g, me - 1));
}

static int allreduce_parts(const algo_options *o, const group *g, sched_builder *s)
{
    return fold_make(g->size).power;
}

static algo_cost cost(int p, int parameter)
{
    fold f = fold_make(p);
    double folds = f.pairs ? 2 : 0;

    return (algo_cost){.messages = 2 * ceil_log2(f.power) + folds,
                       .blocks = 2.0 * (f.power - 1) / f.power + folds};
}

const algo algo_allreduce_rabenseifner = {
    .name = "rabenseifner",
    .kind = COLL_allreduce,
    .summary = "reduce-scatter by recursive halving, allgather by recursive doubling",
    .steps = "2 log2 p + 2",
    .volume = "2(p-1)/p vectors",
    .restriction = "any; MPI's ops",
    .source = "Rabenseifner, ICCS 2004",
    .commutes = true,
    .parts = allreduce_parts,
    .compile = compile,
    .cost = cost,
};
