/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_circulant.c - reduce-scatter and allgather in fewest rounds for any number of ranks.
 *
 *   p = 5, skips 3, 2, 1      rank me holds R[i], its part of what rank me + i will own
 *   reduce    send R[3..4] to me + 3, R[2] to me + 2, R[1] to me + 1; reduce what comes into
 *             R[0..1], R[0], R[0]
 *   gather    the same way back: send R[0] to me - 1, R[0] to me - 2, R[0..1] to me - 3
 *
 * Reduce-scatter as in circulant.h; R[0] is all there then, and goes the same way back.
 * Every part is reduced on one rank in one order: all ranks get the same bits. Parts that go over
 * the end of the vector travel in two messages, so that no MPI has to pack them; and one round goes
 * after the other (sched_rounds), because a part that is sent before its time holds up larger ones.
 *
 * 2 ceil(log2 p) alpha + 2 n (p-1)/p beta. For middle and large vectors, any p. Needs an operation
 * that commutes, of MPI's. Traeff, arXiv 2410.14234.
 */
#include "algos/algo.h"
#include "algos/circulant.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    circulant c = circulant_make(g->size);
    blockmap items = cut(b, g->size, s);
    int me = g->index;

    if (!items.list)
        return;
    sched_rounds(s, true);
    sched_phase(s, "reduce-scatter");
    circulant_reduce_scatter(g, &items, &b->in, &b->in, s);
    sched_phase(s, "allgather");
    for (int k = 0; k < c.rounds; k++) {
        int n = circulant_over(&c, k), skip = c.skip[k];

        circulant_send(s, &items, &b->in, me, n, peer(g, me - skip));
        circulant_recv(s, &items, &b->in, me + skip, n, peer(g, me + skip));
    }
    sched_rounds(s, false);
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){
        .messages = 2 * ceil_log2(p), .blocks = 2.0 * (p - 1) / p, .copies = p % 2 ? 1.0 / p : 0};
}

const algo algo_allreduce_circulant = {
    .name = "circulant",
    .kind = COLL_allreduce,
    .summary = "reduce-scatter over skips p/2, p/4, ..., and allgather back over them",
    .steps = "2 ceil(log2 p)",
    .volume = "2(p-1)/p vectors",
    .restriction = "any; MPI's ops",
    .source = "Traeff, arXiv 2410.14234",
    .commutes = true,
    .parts = algo_parts_of_ranks,
    .compile = compile,
    .cost = cost,
};
