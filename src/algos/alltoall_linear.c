/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_linear.c - everybody sends to everybody, at most W exchanges at a time.
 *
 *   rank 0 -> 1, 2, 3      p = 4, seen from rank 0; in rotated order, so that not all ranks
 *   rank 0 <- 3, 2, 1      begin with the same one
 *
 * The parameter is W: message k waits for message k - W, not for the W before it. 32 is what MPICH
 * allows (MPIR_CVAR_ALLTOALL_THROTTLE); without a limit p-1 senders would meet at one receiver.
 *
 * ceil((p-1)/W) alpha + (p-1) n beta, no scratch; in place W + 1 blocks. For medium blocks, and for
 * few ranks. Folklore.
 */
#include "algos/algo.h"
#include "algos/exchange.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    exchange_all(g, b, s, in_place(b) ? PATTERN_SYMMETRIC : PATTERN_ROTATED, o->parameter);
}

static algo_cost cost(int p, int window)
{
    return (algo_cost){.messages = (p - 1 + window - 1) / window, .blocks = p - 1, .copies = 1};
}

const algo algo_alltoall_linear = {
    .name = "linear",
    .kind = COLL_alltoall,
    .summary = "everybody sends to everybody, at most W at a time",
    .steps = "ceil((p-1)/W)",
    .volume = "p-1 blocks",
    .source = "folklore",
    .parameter = {.name = "W", .least = 1, .usual = 32},
    .compile = compile,
    .cost = cost,
};
