/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_circulant.c - the pieces of the vector reach everybody in the fewest rounds: in each of
 * them a rank sends one piece and receives another.
 *
 *   round    0        1        2        3        4           p = 5, 3 pieces, root 0
 *         0: 0>2   1: 0>3   2: 0>1   2: 0>2   2: 0>3         piece: from > to
 *                           0: 2>3   0: 2>4   2: 1>4
 *                           1: 3>4   1: 4>1   0: 3>1
 *                                             1: 4>2
 *
 * The root sends piece after piece, the last one to several; who sends which on: circulant.h.
 * Rounds in which no piece would be sent are left out at the start, so that their number is not a
 * multiple of q. One round after the other (sched_rounds): a piece that is sent before its time
 * holds up another one. Cut by bytes, because ranks may describe one vector by different types
 * (algo.c).
 *
 * (N - 1 + q) (alpha + n/N beta) for N pieces and q = ceil(log2 p), least with about
 * sqrt((q - 1) n beta / alpha) of them; no scratch, unless the type has gaps. For large vectors,
 * any p: every rank receives the vector once. Traeff, arXiv 2407.18004, 10.1145/3735139.
 */
#include "algos/algo.h"
#include "algos/circulant.h"
#include "algos/order.h"

/* r: begins with the root. */
static void exchange_piece(const group *r, const blockmap *b, sched_builder *s)
{
    int receive[CIRCULANT_ROUNDS], send[CIRCULANT_ROUNDS], v = r->index, last = b->n - 1;
    circulant c = circulant_make(r->size);
    int q = c.rounds, skipped = wrap(-last, q);

    circulant_blocks(&c, v, receive, send);
    sched_rounds(s, true);
    for (int i = skipped; i < skipped + last + q; i++) {
        int k = i % q, before = i - k - skipped;
        int out = before + send[k], in = before + receive[k],
            to = (int)(((long)v + c.skip[k]) % r->size);

        if (out >= 0 && to != 0)
            send_blocks(s, b, out < last ? out : last, 1, 1, peer(r, to));
        if (in >= 0 && v != 0)
            recv_blocks(s, b, in < last ? in : last, 1, 1, peer(r, v - c.skip[k]));
    }
    sched_rounds(s, false);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    group r;

    if (g->size > 1 && group_rotated(g, o->root, s, &r))
        exchange_piece(&r, b, s);
}

static algo_cost cost(int p, int pieces)
{
    double rounds = p > 1 ? pieces - 1 + ceil_log2(p) : 0;

    return (algo_cost){.messages = rounds, .blocks = rounds / pieces};
}

const algo algo_bcast_circulant = {
    .name = "circulant",
    .kind = COLL_bcast,
    .summary = "pieces over skips p/2, p/4, ..., a rank sends one and receives one in every round",
    .steps = "pieces-1 + log2 p",
    .volume = "a vector",
    .source = "Traeff, arXiv 2407.18004",
    .parameter = {.name = "pieces", .least = 1, .usual = 16, .most = PIECES_MOST},
    .parts = algo_parts_of_pieces,
    .compile = compile,
    .cost = cost,
};
