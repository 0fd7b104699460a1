/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_bruck_zerocopy.c - Bruck's algorithm without copies: blocks alternate between the
 * receive buffer and scratch.
 *
 *   j = 7, bits 0 1 2     SEND -1-> RECV -2-> SCRATCH -4-> RECV       p = 8
 *   j = 5, bits 0   2     SEND -1-> SCRATCH -4-> RECV
 *   j = 4, bit      2     SEND -4-> RECV
 *
 * Round k moves the blocks with bit k of j set by 2^k ranks down, all in one message of many blocks
 * (a struct datatype over two or three buffers, or packed). A block whose remaining bits are even
 * in number is received at RECV[me + j], else in scratch: so it ends in RECV, and no round receives
 * where it sends from. The first hop is sent straight from the send buffer. (The printed listing
 * copies the send buffer first, and swaps the cases of odd and even.)
 *
 * ceil(log2 p) alpha + ceil(log2 p) (p/2) n beta; one block copied, the own one, or p blocks in
 * place; scratch p blocks, in place 2 p. For small blocks.
 * Traeff, Rougier, Hunold, ICS 2014; alltoall paper II-D.
 */
#include "algos/bruck.h"

typedef struct zerocopy {
    const blockmap *b;
    int me;
    interval moved;   /* in place: p blocks, what I send */
    interval scratch; /* p blocks: at j, what has j ranks to go */
    int64_t length;
} zerocopy;

static bool odd_bits(int j)
{
    bool odd = false;

    for (; j; j /= 2)
        odd ^= j % 2;
    return odd;
}

static interval scratch_at(const zerocopy *w, int j)
{
    return interval_make(SPACE_SCRATCH, w->scratch.offset + j * w->length, w->length);
}

/* Where block j is received in the round of bit d. */
static interval target(const zerocopy *w, int j, int d)
{
    return odd_bits(j / d / 2) ? scratch_at(w, j) : block(w->b, w->me + j);
}

/* Where it is sent from: the other buffer, or the first one if this is its first hop. */
static interval origin(const zerocopy *w, int j, int d)
{
    if (j % d == 0)
        return in_place(w->b) ? part_of(w->moved, wrap(w->me - j, w->b->n), 1, w->length)
                              : outgoing(w->b, w->me - j);
    return odd_bits(j / d / 2) ? block(w->b, w->me + j) : scratch_at(w, j);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int p = g->size, me = g->index;
    zerocopy w = {.b = b, .me = me, .length = (int64_t)block(b, 0).length};

    w.scratch = sched_scratch(s, p * w.length);
    if (in_place(b)) {
        w.moved = sched_scratch(s, p * w.length);
        copy_out(s, b, 0, p, w.moved);
    } else {
        sched_copy(s, outgoing(b, me), block(b, me));
    }
    for (bruck_round t = bruck_first(p, 2); bruck_valid(&t); bruck_next(&t)) {
        int d = bruck_distance(&t);

        sched_open(s, STEP_SEND, peer(g, me - d));
        for (int j = d; j < p; j++)
            if (bruck_moves(&t, j))
                sched_add(s, origin(&w, j, d));
        sched_close(s);
        sched_open(s, STEP_RECV, peer(g, me + d));
        for (int j = d; j < p; j++)
            if (bruck_moves(&t, j))
                sched_add(s, target(&w, j, d));
        sched_close(s);
    }
}

static algo_cost cost(int p, int parameter)
{
    return (algo_cost){
        .messages = bruck_phases(p, 2), .blocks = (double)bruck_volume(p, 2), .copies = 1};
}

const algo algo_alltoall_bruck_zerocopy = {
    .name = "bruck_zerocopy",
    .kind = COLL_alltoall,
    .summary = "as bruck, without copies: blocks alternate between receive buffer and scratch",
    .steps = "ceil(log2 p)",
    .volume = "<= p/2 a step",
    .source = "Traeff, Rougier, Hunold, ICS 2014",
    .regular = true,
    .compile = compile,
    .cost = cost,
};
