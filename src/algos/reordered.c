/* reordered.c - see reordered.h. */
#include "algos/reordered.h"

/* position[order[i]] = i. */
static int *invert(const int *order, int p, sched_builder *s)
{
    int *position = sched_borrow(s, (size_t)p * sizeof *position);

    for (int i = 0; position && i < p; i++)
        position[order[i]] = i;
    return position;
}

/* Every member's item, as the order of the blocks asks: its own block, or the one of its position.
 */
static bool set_items(blockmap *b, const coll *c, const group *g, const int *position,
                      sched_builder *s)
{
    int *list = sched_borrow(s, (size_t)g->size * sizeof *list);

    for (int i = 0; list && i < g->size; i++)
        list[i] = c->order == ORDER_INITCOMM ? position[peer(g, i)] : peer(g, i);
    b->list = list;
    return list != NULL;
}

/* The rank whose position is mine has my block now; I get the block of my position. */
static void exchange_first(const coll *c, const int *order, const int *position, blockmap *b,
                           sched_builder *s)
{
    int me = c->rank, mine = position[me];

    sched_phase(s, "first exchange");
    if (order[me] != me) {
        sched_send(s, b->own, order[me]);
        sched_recv(s, place_of(b, mine), mine);
    } else if (!c->in_place) {
        sched_copy(s, b->own, place_of(b, me));
    }
    b->mine = mine;
    b->own = place_of(b, mine);
}

/* Blocks lie in scratch, in the order of positions. */
static bool use_scratch(const coll *c, const int *order, blockmap *b, sched_builder *s)
{
    int64_t *counts = sched_borrow(s, 2 * (size_t)c->p * sizeof *counts), *displs, sum = 0;

    if (!counts)
        return false;
    displs = counts + c->p;
    for (int i = 0; i < c->p; i++) {
        counts[order[i]] = (int64_t)place_of(b, order[i]).length;
        displs[order[i]] = sum;
        sum += counts[order[i]];
    }
    interval all = sched_scratch(s, sum);
    for (int i = 0; i < c->p; i++)
        displs[i] += all.offset;
    b->in = (blockrow){SPACE_SCRATCH, 0, counts, displs};
    sched_copy(s, b->own, place_of(b, c->rank));
    return true;
}

static void shuffle_last(const coll *c, const blockmap *from, const blockmap *to, sched_builder *s)
{
    sched_phase(s, "last shuffle");
    for (int r = 0; r < c->p; r++)
        if (!(c->in_place && r == c->rank))
            sched_copy(s, place_of(from, r), place_of(to, r));
}

void reordered_blocks(const coll *c, const group *g, const blockmap *b, sched_builder *s,
                      const int *order, reordered_base *base)
{
    const int *position = invert(order, c->p, s);
    blockmap blocks = *b;

    if (!position || !set_items(&blocks, c, g, position, s))
        return;
    if (c->order == ORDER_INITCOMM)
        exchange_first(c, order, position, &blocks, s);
    else if (c->order == ORDER_ENDSHUFFLE && !use_scratch(c, order, &blocks, s))
        return;
    base(c, g, &blocks, s);
    if (c->order == ORDER_ENDSHUFFLE)
        shuffle_last(c, &blocks, b, s);
}

void reordered_allgather(const coll *c, const group *g, const blockmap *b, sched_builder *s,
                         reorder_pattern pattern, reordered_base *base)
{
    int *order = sched_borrow(s, (size_t)g->size * sizeof *order);
    group reordered = *g;

    if (!order)
        return;
    if (!reorder_ranks(pattern, g->topo, NULL, g->size, order)) {
        sched_fail(s, SCHED_NO_MEMORY);
        return;
    }
    for (int i = 0; i < g->size; i++)
        if (order[i] == g->index)
            reordered.index = i;
    reordered.ranks = order;
    reordered_blocks(c, &reordered, b, s, order, base);
}
