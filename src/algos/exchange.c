/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c - an alltoall of direct messages. */
#include "algos/exchange.h"

/* Blocks of scratch that are used in turn. */
typedef struct slots {
    interval all;
    int64_t length; /* of each */
    int n;
} slots;

static slots slots_make(const blockmap *b, sched_builder *s, int me, int n)
{
    slots t = {.n = n};

    for (int i = 0; i < b->n; i++)
        if (i != me && (int64_t)outgoing(b, i).length > t.length)
            t.length = (int64_t)outgoing(b, i).length;
    t.all = sched_scratch(s, n * t.length);
    return t;
}

/* Copy the block to a slot. A slot is free again when its message has been sent. */
static interval move_out(sched_builder *s, const slots *t, int k, interval what)
{
    interval slot =
        interval_make(SPACE_SCRATCH, t->all.offset + k % t->n * t->length, (int64_t)what.length);

    sched_copy(s, what, slot);
    return slot;
}

void exchange_all(const group *g, const blockmap *b, sched_builder *s, pattern t, int window)
{
    int p = g->size, me = g->index;
    slots out = {.n = 1};

    if (in_place(b))
        out = slots_make(b, s, me, window + 1 < p ? window + 1 : p);
    else
        sched_copy(s, outgoing(b, me), block(b, me));
    sched_throttle(s, window);
    for (int k = 0; k < p; k++) {
        partners with = pattern_at(t, k, me, p);
        interval what = outgoing(b, with.to);

        if (with.to == me)
            continue;
        if (in_place(b))
            what = move_out(s, &out, k, what);
        sched_send(s, what, peer(g, with.to));
        sched_recv(s, block(b, with.from), peer(g, with.from));
    }
}
