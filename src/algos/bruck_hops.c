/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck_hops.c - Bruck's index algorithm for blocks of unequal lengths, without copies.
 *
 * The rounds are those of bruck.h. The block that has j ranks to go lies in slot j, wherever that
 * is: first in the send buffer, then where it has come to; the last hop ends where it belongs.
 * Who passes a block on has to know its length: a size exchange finds that out before, by sending
 * the lengths along the same way.
 */
#include "algos/bruck.h"

typedef struct hops {
    const group *g;
    const blockmap *b; /* NULL: a size exchange */
    sched_builder *s;
    interval *slot;        /* [p] */
    const int64_t *length; /* of what comes next */
    int64_t at;            /* of a size exchange: where the next one comes to */
} hops;

/* What comes to slot j in this round will go on, or has arrived. */
static interval interval_for_slot(hops *h, const bruck_round *t, int j)
{
    int64_t length = 1;

    if (!h->b)
        return interval_make(SPACE_RECV, h->at++, 1);
    length = *h->length++;
    if (j < t->weight * t->radix)
        return block(h->b, h->g->index - j);
    return sched_scratch(h->s, length);
}

static void make_round(hops *h, const bruck_round *t)
{
    int me = h->g->index;

    sched_open(h->s, STEP_SEND, peer(h->g, me + bruck_distance(t)));
    for (int j = 0, n; (n = bruck_next_range(t, &j)); j += n)
        for (int k = j; k < j + n; k++)
            sched_add(h->s, h->slot[k]);
    sched_close(h->s);
    for (int j = 0, n; (n = bruck_next_range(t, &j)); j += n)
        for (int k = j; k < j + n; k++)
            h->slot[k] = interval_for_slot(h, t, k);
    sched_open(h->s, STEP_RECV, peer(h->g, me - bruck_distance(t)));
    for (int j = 0, n; (n = bruck_next_range(t, &j)); j += n)
        for (int k = j; k < j + n; k++)
            sched_add(h->s, h->slot[k]);
    sched_close(h->s);
}

static void make_rounds(hops *h, int radix)
{
    for (bruck_round t = bruck_first(h->g->size, radix); bruck_valid(&t); bruck_next(&t))
        make_round(h, &t);
}

void bruck_size_exchange(const group *g, sched_builder *s, int radix)
{
    int p = g->size;
    hops h = {.g = g, .s = s, .at = p};

    h.slot = sched_borrow(s, (size_t)p * sizeof *h.slot);
    if (!h.slot)
        return;
    for (int j = 0; j < p; j++) {
        h.slot[j] = interval_make(SPACE_SEND, peer(g, g->index + j), 1);
        sched_copy(s, h.slot[j], interval_make(SPACE_RECV, wrap(g->index + j, p), 1));
    }
    make_rounds(&h, radix);
}

/* In place a block may come to where another one still waits. */
static interval set_out_block(const hops *h, int j, int64_t length)
{
    interval block = outgoing(h->b, h->g->index + j), moved;

    if (!in_place(h->b) || j == 0)
        return block;
    moved = sched_scratch(h->s, length);
    sched_copy(h->s, block, moved);
    return moved;
}

void bruck_hops(const group *g, const blockmap *b, const int64_t *exchanged_sizes, sched_builder *s,
                int radix)
{
    int p = g->size;
    hops h = {.g = g, .b = b, .s = s, .length = exchanged_sizes + p};

    h.slot = sched_borrow(s, (size_t)p * sizeof *h.slot);
    if (!h.slot)
        return;
    for (int j = 0; j < p; j++)
        h.slot[j] = set_out_block(&h, j, exchanged_sizes[wrap(g->index + j, p)]);
    sched_copy(s, h.slot[0], block(b, g->index));
    make_rounds(&h, radix);
}
