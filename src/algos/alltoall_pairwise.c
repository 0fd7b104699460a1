/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_pairwise.c - one exchange after the other, each rank with one partner at a time.
 *
 *   step      1   2   3        p = 4, seen from rank 0: a power of two exchanges with rank ^ step,
 *   with      1   2   3        any other number sends to rank + step and receives from rank - step
 *
 * No receiver is sent to by two ranks at once, and no link carries two messages. The receive of the
 * next step is posted ahead, so that its message finds its buffer.
 *
 * (p-1) alpha + (p-1) n beta, no scratch; in place 2 blocks. For large blocks. Folklore.
 */
#include "algos/algo.h"
#include "algos/exchange.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    bool power = (g->size & (g->size - 1)) == 0;

    exchange_all(g, b, s,
                 power         ? PATTERN_XOR
                 : in_place(b) ? PATTERN_SYMMETRIC
                               : PATTERN_ROTATED,
                 1);
}

const algo algo_alltoall_pairwise = {
    .name = "pairwise",
    .kind = COLL_alltoall,
    .summary = "one exchange after the other, with one partner at a time",
    .steps = "p-1",
    .volume = "p-1 blocks",
    .source = "folklore",
    .compile = compile,
    .cost = cost_in_turn,
};
