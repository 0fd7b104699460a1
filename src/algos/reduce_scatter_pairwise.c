/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter_pairwise.c - each rank gets its blocks from the others one after the other, and
 * reduces them in rank order.
 *
 *   step      0        1        2            p = 4, seen from rank 1
 *   from      0        3        2
 *   low       0+1                            those before me come in falling order: each is the
 *   high               3        2+3          left operand. Then those after me; low + high
 *
 * (p-1) alpha + (p-1) n beta; four blocks of scratch, and one block is copied. For large blocks,
 * and for any operation. Folklore.
 *
 * In pieces, as a phase of `lane`, a piece goes to all others in turn before the next one, and a
 * few of them at a time: so a link is always full, and no rank has several that send to it while
 * others wait.
 */
#include "algos/algo.h"

typedef struct pairwise {
    const group *g;
    const blockmap *b;
    sched_builder *s;
    blockrow come[2], low, high;
} pairwise;

/* What comes from the ranks after me: the first one is kept as it is. */
static void add_high(const pairwise *x, const blockmap *b, int step)
{
    bool first = step == x->g->index + 1;
    const blockrow *to = first ? &x->high : &x->come[step % 2];

    recv_row(x->s, b, to, x->g->index, 1, peer(x->g, x->g->index - step));
    if (!first)
        reduce_row(x->s, b, to, &x->high, x->g->index, 1);
}

static void add_low(const pairwise *x, const blockmap *b, int step)
{
    const blockrow *come = &x->come[step % 2];

    recv_row(x->s, b, come, x->g->index, 1, peer(x->g, x->g->index - step));
    reduce_row(x->s, b, come, &x->low, x->g->index, 1);
}

/* The result is where the last sum grows; in place only in the end, because what lies there is to
 * be sent. */
static void assign_sums(pairwise *x)
{
    int p = x->g->size, me = x->g->index;
    bool last = me == p - 1;
    blockrow end = in_place(x->b) && p > 1 ? scratch_items(x->s, x->b, me, 1) : x->b->in;

    for (int k = 0; k < 2 && p > 2; k++)
        x->come[k] = scratch_items(x->s, x->b, me, 1);
    if (p == 2 && last)
        x->come[1] = scratch_items(x->s, x->b, me, 1);
    x->high = end;
    x->low = last ? end : me > 0 ? scratch_items(x->s, x->b, me, 1) : x->b->out;
}

static void exchange_slice(const pairwise *x, const blockmap *b)
{
    int p = x->g->size, me = x->g->index;

    for (int step = 1; step < p; step++) {
        send_row(x->s, b, &b->out, me + step, 1, peer(x->g, me + step));
        if (step <= me)
            add_low(x, b, step);
        else
            add_high(x, b, step);
    }
    if (me < p - 1)
        reduce_row(x->s, b, &x->low, &x->high, me, 1);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index, slices = slices_of(b, s);
    pairwise x = {.g = g, .b = b, .s = s};

    assign_sums(&x);
    if (me > 0 || p == 1)
        copy_row(s, b, &b->out, &x.low, me, 1);
    sched_throttle(s, slices == 1 || p == 1 ? 1 : SLICES_IN_FLIGHT * (p - 1));
    for (int q = 0; q < slices; q++) {
        blockmap part = slice(b, q, s);
        exchange_slice(&x, &part);
    }
    if (in_place(b) && p > 1)
        copy_row(s, b, &x.high, &b->in, me, 1);
}

const algo algo_reduce_scatter_pairwise = {
    .name = "pairwise",
    .kind = COLL_reduce_scatter,
    .summary = "one block after the other, reduced in the order of the ranks",
    .steps = "p-1",
    .volume = "p-1 blocks",
    .source = "folklore",
    .compile = compile,
    .cost = cost_in_turn,
};
