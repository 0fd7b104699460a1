/* SPDX-License-Identifier: BSD-3-Clause */
/* exscan_doubling_123.c - distances 1, 2, 3, 6, 12, ...: one reduction a round, but for one.
 *
 *   distance     1        2              3                p = 7, seen from rank 6
 *   comes     5: 5     4: 3+4         3: 0+1+2            what 4 sends has its own vector in it
 *   has       5        3+4+5          0+1+2+3+4+5
 *
 * First everybody gets its neighbor's vector, then the sum of the two ranks before that, and from
 * then on the distance is what everybody has. The first rank's receive buffer is not touched.
 *
 * ceil(log2(4/3 (p-1))) (alpha + n beta): for most p the rounds of recursive doubling, for others
 * one more; but at 64 ranks 0.71 of its reductions, at 1024 0.61. Up to four vectors of scratch.
 * For vectors that take long to reduce, and for operations of the program. Traeff, arXiv
 * 2507.04785.
 */
#include "algos/algo.h"

typedef struct exscan {
    const group *g;
    const blockmap *b;
    sched_builder *s;
    blockrow own;     /* what I contribute, where it is not overwritten */
    blockrow come[2]; /* what comes, in turn */
} exscan;

static bool is_there(const exscan *x, int member)
{
    return member >= 0 && member < x->g->size;
}

static void exchange_vectors(const exscan *x, int d, const blockrow *what, const blockrow *come)
{
    int me = x->g->index;

    if (is_there(x, me + d))
        send_row(x->s, x->b, what, 0, x->b->n, peer(x->g, me + d));
    if (is_there(x, me - d))
        recv_row(x->s, x->b, come, 0, x->b->n, peer(x->g, me - d));
}

static void combine_sums(const exscan *x, const blockrow *from, const blockrow *to)
{
    reduce_row(x->s, x->b, from, to, 0, x->b->n);
}

/* Round 1 sends the sum of two; the first rank its own vector. */
static void send_pairs(const exscan *x)
{
    int me = x->g->index;
    blockrow two = x->own;

    if (me > 0 && is_there(x, me + 2)) {
        two = scratch_row(x->s, x->b);
        copy_row(x->s, x->b, &x->own, &two, 0, x->b->n);
        combine_sums(x, &x->b->in, &two);
    }
    exchange_vectors(x, 2, &two, &x->come[0]);
    if (me >= 2)
        combine_sums(x, &x->come[0], &x->b->in);
}

/* What everybody has is the sum of the d ranks before it, if there are so many. */
static void send_runs(const exscan *x)
{
    int p = x->g->size, me = x->g->index;

    for (int d = 3, k = 1; d < p - 1; d *= 2, k++) {
        if (me + d < p)
            send_row(x->s, x->b, &x->b->in, 0, x->b->n, peer(x->g, me + d));
        if (me <= d)
            continue;
        recv_row(x->s, x->b, &x->come[k % 2], 0, x->b->n, peer(x->g, me - d));
        combine_sums(x, &x->come[k % 2], &x->b->in);
    }
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;
    exscan x = {.g = g, .b = b, .s = s, .own = b->out};

    if (in_place(b) && me > 0 && me + 1 < p) {
        x.own = scratch_row(s, b);
        copy_row(s, b, &b->out, &x.own, 0, b->n);
    }
    for (int k = 0; k < 2 && me > 1 + 2 * k; k++)
        x.come[k] = scratch_row(s, b);
    exchange_vectors(&x, 1, &x.own, &b->in);
    if (p > 2)
        send_pairs(&x);
    if (me > 0) /* rank 0 has nothing of others to pass on */
        send_runs(&x);
}

/* Rounds; those who send in the last one may have received nothing in the one before, and then the
 * longest chain of messages is shorter by one. */
static algo_cost cost(int p, int parameter)
{
    int rounds = (p > 1) + (p > 2), d = 3;

    for (; d < p - 1; d *= 2)
        rounds++;
    return (algo_cost){
        .messages = rounds - (d > 3 && 2 * (p - 1) <= 3 * (d / 2)), .blocks = rounds, .copies = 1};
}

const algo algo_exscan_doubling_123 = {
    .name = "doubling_123",
    .kind = COLL_exscan,
    .summary = "over distance 1, 2, 3, 6, ...: as few reductions as rounds",
    .steps = "ceil(log2(4(p-1)/3))",
    .volume = "as many vectors",
    .source = "Traeff, arXiv 2507.04785",
    .compile = compile,
    .cost = cost,
};
