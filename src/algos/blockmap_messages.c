/* SPDX-License-Identifier: BSD-3-Clause */
/* blockmap_messages.c - send and receive several blocks: items of a map, or one row of a vector.
 * They are one message, or one message for each block. See blockmap.h.
 */
#include "algos/blockmap_inside.h"

/* ---- a row of a vector ---- */

/* n items that lie side by side: one interval, or two where they wrap around. */
static void add_contiguous(sched_builder *s, const blockmap *b, const blockrow *row, int first,
                           int n)
{
    for (int i = wrap(first, b->n), now; n > 0; i = 0, n -= now) {
        now = n < b->n - i ? n : b->n - i;
        sched_add(s, blockmap_contiguous(b, row, i, now));
    }
}

void add_row(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n)
{
    if (n > 0 && blockmap_is_contiguous(b, row)) {
        add_contiguous(s, b, row, first, n);
        return;
    }
    for (int i = first; i < first + n; i++)
        for (int k = 0; k < blockmap_item_size(b, wrap(i, b->n)); k++)
            sched_add(s, row_at(row, blockmap_item_block(b, wrap(i, b->n), k)));
}

static void row_message(sched_builder *s, step_kind kind, const blockmap *b, const blockrow *row,
                        int first, int n, int peer)
{
    bool each = sched_form(s) == FORM_BLOCK;

    if (!each) {
        sched_open(s, kind, peer);
        add_row(s, b, row, first, n);
        sched_close(s);
    }
    for (int i = first; each && i < first + n; i++)
        for (int k = 0; k < blockmap_item_size(b, wrap(i, b->n)); k++) {
            sched_open(s, kind, peer);
            sched_add(s, row_at(row, blockmap_item_block(b, wrap(i, b->n), k)));
            sched_close(s);
        }
}

void send_row(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n, int peer)
{
    row_message(s, STEP_SEND, b, row, first, n, peer);
}

void recv_row(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n, int peer)
{
    row_message(s, STEP_RECV, b, row, first, n, peer);
}

/* ---- items ---- */

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
        sum += blockmap_item_size(b, w.item);
    return sum;
}

/* My own block is sent from the send buffer, as early as possible. */
static void block_message(sched_builder *s, step_kind kind, const blockmap *b, int k, int peer)
{
    bool mine = b->mine >= 0 && k / b->pieces == b->mine;

    if (kind == STEP_RECV)
        sched_recv(s, row_at(&b->in, k), peer);
    else if (mine)
        sched_send(s, part_of(b->own, k % b->pieces, 1, (int64_t)b->own.length / b->pieces), peer);
    else
        sched_send(s, row_at(&b->in, k), peer);
}

static void items_message(sched_builder *s, step_kind kind, const blockmap *b, int first, int n,
                          int stride, int peer)
{
    walk w = {wrap(first, b->n), n, wrap(stride, b->n)};
    bool each = sched_form(s) == FORM_BLOCK || count_blocks(b, w) == 1;

    if (!each)
        sched_open(s, kind, peer);
    if (!each && stride == 1 && w.left > 0 && blockmap_is_contiguous(b, &b->in)) {
        add_contiguous(s, b, &b->in, w.item, w.left);
        w.left = 0;
    }
    for (; w.left > 0; walk_on(&w, b))
        for (int k = 0; k < blockmap_item_size(b, w.item); k++)
            if (each)
                block_message(s, kind, b, blockmap_item_block(b, w.item, k), peer);
            else
                sched_add(s, row_at(&b->in, blockmap_item_block(b, w.item, k)));
    if (!each)
        sched_close(s);
}

void send_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer)
{
    items_message(s, STEP_SEND, b, first, n, stride, peer);
}

void recv_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer)
{
    items_message(s, STEP_RECV, b, first, n, stride, peer);
}
