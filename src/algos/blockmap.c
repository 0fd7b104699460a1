/* blockmap.c - block index -> interval, and messages of several blocks. */
#include "algos/blockmap.h"

#include "algos/group.h"

static interval row_at(const blockrow *row, int i)
{
    if (row->counts)
        return interval_make(row->space, row->displs[i], row->counts[i]);
    return interval_make(row->space, i * row->count, row->count);
}

blockmap blockmap_make(const coll *c)
{
    bool v = coll_is_v(c->kind);
    blockmap b = {.n = c->p, .mine = c->rank};

    b.in = (blockrow){SPACE_RECV, c->count, v ? c->counts : NULL, v ? c->displs : NULL};
    b.out = c->in_place ? b.in
                        : (blockrow){SPACE_SEND, c->sendcount, v ? c->sendcounts : NULL,
                                     v ? c->senddispls : NULL};
    b.own = c->in_place ? block(&b, c->rank) : interval_make(SPACE_SEND, 0, c->sendcount);
    return b;
}

static interval block_at(const blockmap *b, int i)
{
    return row_at(&b->in, i);
}

interval block(const blockmap *b, int i)
{
    return block_at(b, wrap(i, b->n));
}

interval outgoing(const blockmap *b, int i)
{
    return row_at(&b->out, wrap(i, b->n));
}

interval run_of(const blockmap *b, int first, int n)
{
    return interval_make(b->out.space, first * b->out.count, n * b->out.count);
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
