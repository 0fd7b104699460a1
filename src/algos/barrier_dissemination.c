/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier_dissemination.c - in round k every rank sends to the rank 2^k further.
 *
 *   round       0        1        2          p = 5, seen from rank 0
 *   send       -> 1     -> 2     -> 4
 *   receive    <- 4     <- 3     <- 1
 *
 * After round k a rank has a message, directly or not, from the 2^(k+1) - 1 ranks before it. What
 * travels are tokens, elements of scratch without data: the message of a round names the tokens of
 * all rounds before, and so waits for them.
 *
 * ceil(log2 p) alpha. Hensgen, Finkel, Manber, Int. J. Parallel Programming 17(1), 1988.
 */
#include "algos/algo.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;
    interval tokens = sched_scratch(s, ceil_log2(p) + 1);

    for (int k = 0; 1 << k < p; k++) {
        sched_send(s, part_of(tokens, 0, k + 1, 1), peer(g, me + (1 << k)));
        sched_recv(s, part_of(tokens, k + 1, 1, 1), peer(g, me - (1 << k)));
    }
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){.messages = ceil_log2(p)};
}

const algo algo_barrier_dissemination = {
    .name = "dissemination",
    .kind = COLL_barrier,
    .summary = "in round k every rank sends to the rank 2^k further",
    .steps = "ceil(log2 p)",
    .volume = "nothing",
    .source = "Hensgen, Finkel, Manber, IJPP 17(1), 1988",
    .compile = compile,
    .cost = cost,
};
