/* SPDX-License-Identifier: BSD-3-Clause */
/* exscan_recursive_doubling.c - everybody passes on the sum of a range of ranks that ends with
 * itself, over distance 1, 2, 4, ..., and keeps the sum of those before itself.
 *
 *   distance     1         2            4                  p = 6, seen from rank 4
 *   from      3: 3      2: 1+2       0: 0
 *   keeps     3         1+2+3        0+1+2+3
 *   passes on 4         3+4          (nobody is there)
 *
 * What comes is the left operand of both: two reductions a round, the price of as few rounds as a
 * scan has. The first rank receives nothing, and its receive buffer is not touched.
 *
 * ceil(log2 p) (alpha + n beta); up to three vectors of scratch. For small vectors.
 * Hillis, Steele, Comm. ACM 29(12), 1986; Traeff, arXiv 2507.04785.
 */
#include "algos/algo.h"

typedef struct exscan {
    const group *g;
    const blockmap *b;
    sched_builder *s;
    blockrow have;    /* the sum of a range of ranks that ends with me */
    blockrow come[2]; /* what comes, in turn */
} exscan;

/* Is something sent over distance 2 d, 4 d, ...? */
static bool sends_after(const exscan *x, int d)
{
    return x->g->index + 2 * d < x->g->size;
}

/* Something comes over distance d. What comes first is kept as it is. */
static void receive_sum(const exscan *x, int d, int round)
{
    const blockmap *b = x->b;
    const blockrow *come = round == 0 ? &b->in : &x->come[round % 2];

    recv_row(x->s, b, come, 0, b->n, peer(x->g, x->g->index - d));
    if (sends_after(x, d))
        reduce_row(x->s, b, come, &x->have, 0, b->n);
    if (round > 0)
        reduce_row(x->s, b, come, &b->in, 0, b->n);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;
    exscan x = {.g = g, .b = b, .s = s, .have = b->out};

    for (int k = 1; k < 3 && 1 << k <= me; k++)
        x.come[k % 2] = scratch_row(s, b);
    if (me > 0 && (sends_after(&x, 1) || (in_place(b) && me + 1 < p))) {
        x.have = scratch_row(s, b);
        copy_row(s, b, &b->out, &x.have, 0, b->n);
    }
    for (int d = 1, k = 0; d < p; d *= 2, k++) {
        if (me + d < p)
            send_row(s, b, k == 0 && !in_place(b) ? &b->out : &x.have, 0, b->n, peer(g, me + d));
        if (me >= d)
            receive_sum(&x, d, k);
    }
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){.messages = ceil_log2(p), .blocks = ceil_log2(p), .copies = 1};
}

const algo algo_exscan_recursive_doubling = {
    .name = "recursive_doubling",
    .kind = COLL_exscan,
    .summary = "as scan, but what comes is summed up twice, with and without the own vector",
    .steps = "ceil(log2 p)",
    .volume = "log2 p vectors",
    .source = "Hillis, Steele, CACM 29(12), 1986",
    .compile = compile,
    .cost = cost,
};
