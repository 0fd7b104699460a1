/* SPDX-License-Identifier: BSD-3-Clause */
/* reordered.c - see reordered.h. */
#include "algos/reordered.h"

#include "algos/order.h"

typedef struct reordered {
    const group *g;      /* as given */
    const blockmap *b;   /* its items */
    const int *order;    /* [size]: the member at each position */
    const int *position; /* [size]: the position of each member */
    sched_builder *s;
} reordered;

static bool invert(reordered *r, const int *order)
{
    int *position = sched_borrow(r->s, (size_t)r->g->size * sizeof *position);

    for (int i = 0; position && i < r->g->size; i++)
        position[order[i]] = i;
    r->order = order;
    r->position = position;
    return position != NULL;
}

/* Is my block in the send buffer, and to be taken from there? */
static bool has_own(const blockmap *b)
{
    return b->mine >= 0 && b->own.space == SPACE_SEND;
}

/* Member i of the group that goes on, which is `in_order` or as given, brings which item? Its own
 * one; or that of its position. */
static blockmap take_items(const reordered *r, bool in_order, coll_order how)
{
    itemlist t = items_begin(r->b, r->g->size, r->s);

    for (int i = 0; i < r->g->size; i++) {
        int member = in_order ? r->order[i] : i;
        items_add(&t, r->b, how == ORDER_INITCOMM ? r->position[member] : member);
        items_next(&t);
    }
    return t.map;
}

/* The member whose position is mine has my item now; I get the item of my position. */
static void exchange_first(const reordered *r, blockmap *moved)
{
    int me = r->g->index, mine = r->position[me], to = r->order[me];

    sched_phase(r->s, "first exchange");
    if (to != me) {
        send_blocks(r->s, r->b, me, 1, 1, peer(r->g, to));
        recv_blocks(r->s, r->b, mine, 1, 1, peer(r->g, mine));
    } else if (has_own(r->b)) {
        sched_copy(r->s, r->b->own, row_at(&r->b->in, r->b->mine));
    }
    moved->mine = -1; /* nothing comes from the send buffer any more */
}

/* Blocks lie in scratch, in the order of positions. */
static bool use_scratch(const reordered *r, const blockmap *in_order, blockmap *moved)
{
    size_t n = (size_t)r->b->blocks;
    int64_t *counts = sched_borrow(r->s, 2 * n * sizeof *counts), *displs, sum = 0;

    if (!counts)
        return false;
    displs = counts + n;
    for (int i = 0; i < in_order->first[in_order->n]; i++) {
        int k = in_order->list[i];
        counts[k] = (int64_t)row_at(&r->b->in, k).length;
        displs[k] = sum;
        sum += counts[k];
    }
    interval all = sched_scratch(r->s, sum);
    for (size_t i = 0; i < n; i++)
        displs[i] += all.offset;
    moved->in = (blockrow){.space = SPACE_SCRATCH, .counts = counts, .displs = displs};
    moved->mine = -1;
    return true;
}

/* All items but one (-1: all) from where one map has them to where the other has. */
static void copy_items(const reordered *r, const blockmap *from, const blockmap *to, int but)
{
    for (int i = 0; i < r->g->size; i++)
        if (i != but)
            copy_row(r->s, r->b, &from->in, &to->in, i, 1);
}

static void into_scratch(const reordered *r, const blockmap *moved)
{
    int me = r->g->index;

    if (has_own(r->b))
        sched_copy(r->s, r->b->own, row_at(&moved->in, r->b->mine));
    else
        copy_row(r->s, r->b, &r->b->in, &moved->in, me, 1);
}

void reordered_blocks(const algo_options *o, const group *g, const blockmap *b, sched_builder *s,
                      const int *order, bool in_order, reordered_base *base)
{
    reordered r = {.g = g, .b = b, .s = s};
    group next = *g;
    blockmap moved;

    if (!order || !invert(&r, order) || (in_order && !order_group(g, order, s, &next)))
        return;
    moved = take_items(&r, in_order, o->order);
    if (!moved.list)
        return;
    if (o->order == ORDER_INITCOMM) {
        exchange_first(&r, &moved);
    } else if (o->order == ORDER_ENDSHUFFLE) {
        blockmap all = take_items(&r, true, ORDER_PLACE);
        if (!all.list || !use_scratch(&r, &all, &moved))
            return;
        into_scratch(&r, &moved);
    }
    base(o, &next, &moved, s);
    if (o->order == ORDER_ENDSHUFFLE) {
        sched_phase(s, "last shuffle");
        copy_items(&r, &moved, b, has_own(b) ? -1 : g->index);
    }
}

void reordered_allgather(const algo_options *o, const group *g, const blockmap *b, sched_builder *s,
                         reorder_pattern pattern, reordered_base *base)
{
    reordered_blocks(o, g, b, s, order_members(pattern, g, s), true, base);
}
