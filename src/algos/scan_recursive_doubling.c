/* SPDX-License-Identifier: BSD-3-Clause */
/* scan_recursive_doubling.c - everybody passes on what it has summed up, over distance 1, 2, 4, ...
 *
 *   distance     1           2             4               p = 6, seen from rank 4
 *   from      3: 3        2: 1+2        0: 0
 *   has       3+4         1+2+3+4       0+1+2+3+4
 *
 * A rank has the sum of a range of ranks that ends with itself; what comes is the sum of the range
 * before it, and so the left operand: any operation. What has been summed up lies in the receive
 * buffer. What comes first comes there, and the own vector is the left operand, if the operation
 * commutes.
 *
 * ceil(log2 p) (alpha + n beta); two vectors of scratch, so that the next message finds a buffer to
 * come to. Hillis, Steele, Comm. ACM 29(12), 1986.
 */
#include "algos/algo.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index, spare = 0;
    bool appends = !o->noncommutative && !in_place(b) && me > 0;
    blockrow come[2];

    if (!appends)
        copy_row(s, b, &b->out, &b->in, 0, b->n);
    for (int d = 1; d < p; d *= 2) {
        const blockrow *have = d == 1 ? &b->out : &b->in, *left = &come[spare % 2];

        if (me + d < p)
            send_row(s, b, have, 0, b->n, peer(g, me + d));
        if (me < d)
            continue;
        if (d == 1 && appends) {
            recv_row(s, b, &b->in, 0, b->n, peer(g, me - d));
            reduce_row(s, b, &b->out, &b->in, 0, b->n);
            continue;
        }
        if (spare < 2)
            come[spare] = scratch_row(s, b);
        spare++;
        recv_row(s, b, left, 0, b->n, peer(g, me - d));
        reduce_row(s, b, left, &b->in, 0, b->n);
    }
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){.messages = ceil_log2(p), .blocks = ceil_log2(p), .copies = 1};
}

const algo algo_scan_recursive_doubling = {
    .name = "recursive_doubling",
    .kind = COLL_scan,
    .summary = "everybody passes on what it has summed up, over distance 1, 2, 4, ...",
    .steps = "ceil(log2 p)",
    .volume = "log2 p vectors",
    .source = "Hillis, Steele, CACM 29(12), 1986",
    .compile = compile,
    .cost = cost,
};
