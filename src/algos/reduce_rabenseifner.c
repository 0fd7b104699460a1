/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_rabenseifner.c - reduce-scatter by recursive halving, then a gather of the parts.
 *
 *   p = 6    fold      1 -> 2   3 -> 4               vectors, while there are more than 4 ranks
 *            reduce    2 <-> 5   4 <-> 0             halves, then 2 <-> 4   5 <-> 0 quarters
 *            gather    to the root, here 0           parts, along a binomial tree
 *
 * Members are counted from the rank after the root on: so the root is the last one, which goes on.
 * What comes is received where it belongs, of ranks without a result in scratch, and combined with
 * the send buffer; later it comes to more scratch (butterfly.h).
 *
 * 2 log2 p alpha + 2 n (p-1)/p beta; where p is no power of two alpha + n beta more: there
 * circulant is better. For middle and large vectors. Needs an operation that commutes, of MPI's.
 * Rabenseifner, ICCS 2004; Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
 */
#include "algos/algo.h"
#include "algos/butterfly.h"
#include "algos/order.h"
#include "algos/tree.h"

/* Part i is with the i-th of those that go on. */
static void gather_parts(fold f, const group *g, const blockmap *items, const blockmap *b,
                         sched_builder *s)
{
    int *ranks = sched_borrow(s, (size_t)f.power * sizeof *ranks);
    group parts = {.size = f.power, .index = fold_number(f, g->index), .ranks = ranks};

    sched_phase(s, "gather");
    for (int i = 0; ranks && i < f.power; i++)
        ranks[i] = peer(g, fold_member(f, i));
    if (ranks)
        tree_collect(TREE_BINOMIAL, &parts, f.power - 1, items, &items->in, &b->in, s);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    fold f = fold_make(g->size);
    blockmap sum = *b, items;
    accumulator a;
    butterfly swaps;
    group r;

    if (!group_rotated(g, o->root + 1, s, &r))
        return;
    if (fold_leaves(f, r.index)) {
        send_row(s, b, &b->out, 0, b->n, peer(&r, r.index + 1));
        return;
    }
    if (g->index != o->root)
        sum.in = scratch_row(s, b);
    items = cut(&sum, f.power, s);
    if (!items.list)
        return;
    a = accumulator_make(&items, s);
    sched_phase(s, "reduce-scatter");
    if (fold_paired(f, r.index))
        accumulate(&a, 0, f.power, peer(&r, r.index - 1));
    swaps = butterfly_halving(f, r.index);
    butterfly_reduce_scatter(&swaps, &r, &a);
    if (!a.received)
        copy_row(s, &items, &items.out, &items.in, 0, f.power);
    gather_parts(f, &r, &items, b, s);
}

static int reduce_parts(const algo_options *o, const group *g, sched_builder *s)
{
    return fold_make(g->size).power;
}

static algo_cost cost(int p, int parameter)
{
    fold f = fold_make(p);
    double folds = f.pairs ? 1 : 0;

    return (algo_cost){.messages = 2 * ceil_log2(f.power) + folds,
                       .blocks = 2.0 * (f.power - 1) / f.power + folds};
}

const algo algo_reduce_rabenseifner = {
    .name = "rabenseifner",
    .kind = COLL_reduce,
    .summary = "reduce-scatter by recursive halving, and a gather of the parts",
    .steps = "2 log2 p + 1",
    .volume = "2(p-1)/p vectors",
    .restriction = "any; MPI's ops",
    .source = "Rabenseifner, ICCS 2004",
    .commutes = true,
    .parts = reduce_parts,
    .compile = compile,
    .cost = cost,
};
