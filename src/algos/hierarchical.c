/* SPDX-License-Identifier: BSD-3-Clause */
/* hierarchical.c - what the hierarchical allgathers have in common. */
#include "algos/levels.h"
#include "algos/order.h"

/* Member k's item becomes that of the k-th member of the new order. */
typedef struct arranged {
    group g;
    blockmap b;
} arranged;

/* The group in the order that suits the pattern, and its items with it; or both as they are. */
static arranged arrange(reorder_pattern pattern, const group *g, const blockmap *b, bool reorder,
                        sched_builder *s)
{
    arranged r = {*g, *b};
    const int *order = reorder && g->topo ? order_members(pattern, g, s) : NULL;

    if (order && order_group(g, order, s, &r.g))
        r.b = items_chosen(b, order, g->size, s);
    return r;
}

static void gather_node(const algo_options *o, const group *local, const blockmap *mine,
                        bool reorder, sched_builder *s)
{
    arranged r = arrange(REORDER_GATHER, local, mine, reorder, s);

    sched_phase(s, "gather");
    tree_gather((tree)o->variant, &r.g, &r.b, s);
}

/* A ring where blocks travel one by one, and so are large; else Bruck. */
static void among_leaders(const algo_options *o, const group *leaders, const blockmap *b,
                          bool reorder, sched_builder *s)
{
    bool large = sched_form(s) == FORM_BLOCK;
    arranged r = arrange(large ? REORDER_RING : REORDER_BRUCK, leaders, b, reorder, s);

    (large ? &algo_allgather_ring : &algo_allgather_bruck)->compile(o, &r.g, &r.b, s);
}

static void broadcast_node(const algo_options *o, const group *local, const blockmap *b,
                           bool reorder, sched_builder *s)
{
    const int *order = reorder ? order_members(REORDER_BROADCAST, local, s) : NULL;
    group g = *local;

    if (order && !order_group(local, order, s, &g))
        return;
    sched_phase(s, "broadcast");
    tree_broadcast((tree)o->variant, &g, b, s);
}

void hierarchical_allgather(const algo_options *o, const group *g, const blockmap *b,
                            sched_builder *s, bool reorder)
{
    division d;

    if (!levels_divide(&d, g, 0, topo_regions(g->topo), s)) { /* everybody is a leader */
        among_leaders(o, g, b, reorder, s);
        return;
    }
    blockmap mine = regions_local_items(&d.p, b, s), nodes = levels_items(&d, b, s);

    gather_node(o, &d.local, &mine, reorder, s);
    sched_phase(s, "leaders");
    if (leads(&d))
        among_leaders(o, &d.leaders, &nodes, reorder, s);
    broadcast_node(o, &d.local, b, reorder, s);
}
