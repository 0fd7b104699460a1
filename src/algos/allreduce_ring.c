/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_ring.c - each part of the vector travels around the ring and is reduced on its way;
 * then all parts travel around once more.
 *
 *   step       0        1        2      |    0        1        2        p = 4, seen from rank 0
 *   send     3 -> 1   2 -> 1   1 -> 1   |  0 -> 1   3 -> 1   2 -> 1     part -> to
 *   receive  2 <- 3   1 <- 3   0 <- 3   |  3 <- 3   2 <- 3   1 <- 3     part <- from
 *
 * A part is received where it belongs, and combined with what lies in the send buffer: no scratch
 * and no copies; in place a vector of scratch. Every part is reduced in one order on one rank, so
 * that all ranks get the same bits.
 *
 * 2 (p-1) alpha + 2 n (p-1)/p beta. For large vectors: neighbours only. Needs an operation that
 * commutes, of MPI's. Patarasuk, Yuan, J. Parallel Distrib. Comput. 69(2), 2009.
 */
#include "algos/algo.h"

static void reduce_scatter(const group *g, const blockmap *items, sched_builder *s)
{
    int p = g->size, me = g->index;
    blockrow got = in_place(items) ? scratch_row(s, items) : items->in;

    for (int k = 0; k < p - 1; k++) {
        const blockrow *have = k == 0 ? &items->out : &items->in;

        send_row(s, items, have, me - 1 - k, 1, peer(g, me + 1));
        recv_row(s, items, &got, me - 2 - k, 1, peer(g, me - 1));
        reduce_row(s, items, in_place(items) ? &got : &items->out, &items->in, me - 2 - k, 1);
    }
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    algo_options phase = {0};
    blockmap items = cut(b, g->size, s);

    if (!items.list)
        return;
    if (g->size == 1)
        copy_row(s, &items, &items.out, &items.in, 0, 1);
    sched_phase(s, "reduce-scatter");
    reduce_scatter(g, &items, s);
    sched_phase(s, "allgather");
    algo_allgather_ring.compile(&phase, g, &items, s);
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){.messages = 2 * (p - 1), .blocks = 2.0 * (p - 1) / p};
}

const algo algo_allreduce_ring = {
    .name = "ring",
    .kind = COLL_allreduce,
    .summary = "parts are reduced on their way around the ring, then travel around once more",
    .steps = "2(p-1)",
    .volume = "2(p-1)/p vectors",
    .restriction = "any; MPI's ops",
    .source = "Patarasuk, Yuan, JPDC 69(2), 2009",
    .commutes = true,
    .parts = algo_parts_of_ranks,
    .compile = compile,
    .cost = cost,
};
