/* blockmap.c - block index -> interval, and messages of several blocks. */
#include "algos/blockmap.h"

#include "algos/group.h"

blockmap blockmap_recv(const coll *c)
{
    blockmap b = {.n = c->p, .mine = c->rank, .count = c->count};

    if (c->kind == COLL_ALLGATHERV) {
        b.counts = c->counts;
        b.displs = c->displs;
    }
    b.own = c->in_place ? block(&b, c->rank) : interval_make(SPACE_SEND, 0, c->sendcount);
    return b;
}

static interval block_at(const blockmap *b, int i)
{
    if (b->counts)
        return interval_make(SPACE_RECV, b->displs[i], b->counts[i]);
    return interval_make(SPACE_RECV, i * b->count, b->count);
}

interval block(const blockmap *b, int i)
{
    return block_at(b, wrap(i, b->n));
}

interval source(const blockmap *b, int i)
{
    i = wrap(i, b->n);
    return i == b->mine ? b->own : block_at(b, i);
}

static void message(sched_builder *s, step_kind kind, const blockmap *b, int first, int n,
                    int stride, int peer)
{
    bool each = sched_form(s) == FORM_BLOCK || n == 1;
    int i = wrap(first, b->n), by = wrap(stride, b->n);

    if (!each)
        sched_open(s, kind, peer);
    for (int k = 0; k < n; k++) {
        if (!each)
            sched_add(s, block_at(b, i));
        else if (kind == STEP_SEND)
            sched_send(s, source(b, i), peer);
        else
            sched_recv(s, block_at(b, i), peer);
        i += by;
        if (i >= b->n)
            i -= b->n;
    }
    if (!each)
        sched_close(s);
}

void send_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer)
{
    message(s, STEP_SEND, b, first, n, stride, peer);
}

void recv_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer)
{
    message(s, STEP_RECV, b, first, n, stride, peer);
}
