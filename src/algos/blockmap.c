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
    blockmap b = {.n = c->p, .blocks = c->p, .mine = c->rank};

    b.in = (blockrow){SPACE_RECV, c->count, v ? c->counts : NULL, v ? c->displs : NULL};
    b.out = c->in_place ? b.in
                        : (blockrow){SPACE_SEND, c->sendcount, v ? c->sendcounts : NULL,
                                     v ? c->senddispls : NULL};
    b.own = c->in_place ? place_of(&b, c->rank) : interval_make(SPACE_SEND, 0, c->sendcount);
    return b;
}

interval place_of(const blockmap *b, int k)
{
    return row_at(&b->in, k);
}

interval block(const blockmap *b, int i)
{
    return place_of(b, wrap(i, b->n));
}

interval outgoing(const blockmap *b, int i)
{
    return row_at(&b->out, wrap(i, b->n));
}

interval run_of(const blockmap *b, int first, int n)
{
    return interval_make(b->out.space, first * b->out.count, n * b->out.count);
}

/* ---- items ---- */

static int item_size(const blockmap *b, int i)
{
    return b->first ? b->first[i + 1] - b->first[i] : 1;
}

static int item_block(const blockmap *b, int i, int k)
{
    if (b->first)
        return b->list[b->first[i] + k];
    return b->list ? b->list[i] : i;
}

itemlist items_begin(const blockmap *b, int n, sched_builder *s)
{
    itemlist t = {.map = *b};

    t.first = sched_borrow(s, ((size_t)n + 1) * sizeof *t.first);
    t.list = sched_borrow(s, (size_t)b->blocks * sizeof *t.list);
    t.map.n = 0;
    t.map.first = t.first;
    t.map.list = t.list;
    return t;
}

void items_add(itemlist *t, const blockmap *from, int item)
{
    if (!t->first || !t->list)
        return;
    for (int k = 0; k < item_size(from, item); k++)
        t->list[t->used++] = item_block(from, item, k);
}

void items_next(itemlist *t)
{
    t->map.n++;
    if (t->first && t->list)
        t->first[t->map.n] = t->used;
}

/* ---- messages ---- */

/* The items of a message, one after the other. */
typedef struct walk {
    int item, left, by;
} walk;

static void walk_on(walk *w, const blockmap *b)
{
    w->left--;
    w->item += w->by;
    if (w->item >= b->n)
        w->item -= b->n;
}

static int count_blocks(const blockmap *b, walk w)
{
    int sum = 0;

    if (!b->first)
        return w.left;
    for (; w.left > 0; walk_on(&w, b))
        sum += item_size(b, w.item);
    return sum;
}

/* Whose block is sent from where: my own from the send buffer, as early as possible. */
static void one_block(sched_builder *s, step_kind kind, const blockmap *b, int k, int peer)
{
    if (kind == STEP_RECV)
        sched_recv(s, place_of(b, k), peer);
    else
        sched_send(s, k == b->mine ? b->own : place_of(b, k), peer);
}

static void message(sched_builder *s, step_kind kind, const blockmap *b, int first, int n,
                    int stride, int peer)
{
    walk w = {wrap(first, b->n), n, wrap(stride, b->n)};
    bool each = sched_form(s) == FORM_BLOCK || count_blocks(b, w) == 1;

    if (!each)
        sched_open(s, kind, peer);
    for (; w.left > 0; walk_on(&w, b))
        for (int k = 0; k < item_size(b, w.item); k++)
            if (each)
                one_block(s, kind, b, item_block(b, w.item, k), peer);
            else
                sched_add(s, place_of(b, item_block(b, w.item, k)));
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
