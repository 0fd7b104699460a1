/* SPDX-License-Identifier: BSD-3-Clause */
/* blockmap.c - where the blocks of a call lie, and which of them an item has. See blockmap.h; what
 * is done with them is in blockmap_messages.c and blockmap_local.c.
 */
#include "algos/blockmap_inside.h"

interval row_at(const blockrow *row, int k)
{
    int pieces = row->pieces ? row->pieces : 1, i = k / pieces;

    if (row->counts)
        return interval_make(row->space,
                             row->base + pieces * row->displs[i] + k % pieces * row->counts[i],
                             row->counts[i]);
    return interval_make(row->space, row->base + k * row->count, row->count);
}

/* One side of the call. A vector is blocks of one element. `single`: there is only the block of
 * this rank, at the start of the space, and the other side has the others. */
static blockrow row_of_side(const coll *c, const coll_side *side, const coll_side *other,
                            bool single, sched_space space, int pieces)
{
    if (single && coll_has(c->kind, COLL_REDUCES) && other->counts)
        return (blockrow){.space = space,
                          .counts = other->counts,
                          .displs = other->displs,
                          .base = -pieces * other->displs[c->rank],
                          .pieces = pieces};
    return (blockrow){.space = space,
                      .count = side->count,
                      .counts = side->counts,
                      .displs = side->displs,
                      .base = single ? -pieces * c->rank * side->count : 0,
                      .pieces = pieces};
}

static int count_items(const coll *c, int parts)
{
    const coll_shape *shape = &coll_shapes[c->kind];

    if (shape->recv == COLL_NONE)
        return 0;
    if (shape->traits & COLL_NEIGHBORS)
        return c->neighbors->nsources;
    return coll_is_vector(c->kind) ? parts : c->p;
}

blockmap blockmap_make(const coll *c, int parts)
{
    const coll_shape *shape = &coll_shapes[c->kind];
    bool gathers = shape->send == COLL_ONE && shape->recv > COLL_ONE;
    bool scatters = shape->send > COLL_ONE && shape->recv == COLL_ONE;
    bool aliases = c->in_place && !(shape->traits & COLL_ROOT_SENDS);
    int n = count_items(c, parts), pieces = coll_is_vector(c->kind) ? 1 : parts;
    blockmap b = {.n = n, .pieces = pieces, .blocks = n * pieces, .mine = gathers ? c->rank : -1};

    if (shape->traits & COLL_NEIGHBORS) {
        b.in = row_of_side(c, &c->recv, &c->send, false, SPACE_RECV, pieces);
        b.out = row_of_side(c, &c->send, &c->recv, false, SPACE_SEND, pieces);
        b.own = interval_make(SPACE_SEND, 0, c->send.count);
        b.mine = gathers ? 0 : -1;
        return b;
    }
    b.in = row_of_side(c, &c->recv, &c->send, scatters, SPACE_RECV, pieces);
    if (aliases && !scatters)
        b.out = b.in;
    else
        b.out =
            row_of_side(c, &c->send, &c->recv, gathers, aliases ? SPACE_RECV : SPACE_SEND, pieces);
    if (gathers)
        b.own = whole_at(&b, &b.out, c->rank);
    return b;
}

/* All pieces of the item's block. */
static interval item_at(const blockmap *b, const blockrow *row, int i)
{
    interval first = row_at(row, blockmap_item_block(b, wrap(i, b->n), 0));

    return part_of(first, 0, b->pieces, (int64_t)first.length);
}

interval block(const blockmap *b, int i)
{
    return item_at(b, &b->in, i);
}

interval outgoing(const blockmap *b, int i)
{
    return item_at(b, &b->out, i);
}

interval part_of(interval all, int64_t first, int64_t n, int64_t length)
{
    return interval_make(all.space, all.offset + first * length, n * length);
}

interval whole_at(const blockmap *b, const blockrow *row, int rank)
{
    interval first = row_at(row, rank * b->pieces);

    return part_of(first, 0, b->pieces, (int64_t)first.length);
}

/* ---- items ---- */

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
    for (int k = 0; k < blockmap_item_size(from, item); k++)
        t->list[t->used++] = blockmap_item_block(from, item, k);
}

void items_next(itemlist *t)
{
    t->map.n++;
    if (t->first && t->list)
        t->first[t->map.n] = t->used;
}

blockmap items_chosen(const blockmap *b, const int *item, int n, sched_builder *s)
{
    itemlist t = items_begin(b, n, s);

    for (int i = 0; i < n; i++) {
        items_add(&t, b, item[i]);
        items_next(&t);
    }
    return t.map;
}

blockmap cut(const blockmap *b, int n, sched_builder *s)
{
    itemlist t = items_begin(b, n, s);

    for (int i = 0; i < n; i++) {
        for (int k = (int)((int64_t)i * b->n / n); k < (int64_t)(i + 1) * b->n / n; k++)
            items_add(&t, b, k);
        items_next(&t);
    }
    return t.map;
}

int slices_of(const blockmap *b, const sched_builder *s)
{
    return sched_form(s) == FORM_BLOCK ? b->pieces : 1;
}

blockmap slice(const blockmap *b, int q, sched_builder *s)
{
    blockmap part = *b;
    int *first, *list, used = 0;

    if (slices_of(b, s) == 1)
        return part;
    first = sched_borrow(s, ((size_t)b->n + 1) * sizeof *first);
    list = sched_borrow(s, (size_t)(b->blocks / b->pieces) * sizeof *list);
    for (int i = 0; first && list && i < b->n; i++) {
        for (int k = q; k < blockmap_item_size(b, i); k += b->pieces)
            list[used++] = blockmap_item_block(b, i, k);
        first[i + 1] = used;
    }
    part.first = first;
    part.list = list;
    return part;
}
