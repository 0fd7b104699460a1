/* hierarchical.c - see hierarchical.h. */
#include "algos/hierarchical.h"

#include "algos/order.h"
#include "algos/region.h"
#include "algos/tree.h"

extern const algo algo_allgather_bruck, algo_allgather_ring;

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
    itemlist items;

    if (!order || !order_group(g, order, s, &r.g))
        return r;
    items = items_begin(b, g->size, s);
    for (int k = 0; k < g->size; k++) {
        items_add(&items, b, order[k]);
        items_next(&items);
    }
    r.b = items.map;
    return r;
}

static void gather(const algo_options *o, const group *local, const blockmap *mine, bool reorder,
                   sched_builder *s)
{
    arranged r = arrange(REORDER_GATHER, local, mine, reorder, s);

    sched_phase(s, "gather");
    tree_gather((tree)o->variant, &r.g, &r.b, s);
}

/* A ring where blocks travel one by one, and so are large; else Bruck. */
static void exchange(const algo_options *o, const group *leaders, const blockmap *b, bool reorder,
                     sched_builder *s)
{
    bool large = sched_form(s) == FORM_BLOCK;
    arranged r = arrange(large ? REORDER_RING : REORDER_BRUCK, leaders, b, reorder, s);

    (large ? &algo_allgather_ring : &algo_allgather_bruck)->compile(o, &r.g, &r.b, s);
}

/* The first rank of every node, with all its node's blocks. */
static void exchange_nodes(const algo_options *o, const regions *p, const group *g,
                           const blockmap *b, bool reorder, sched_builder *s)
{
    itemlist items = items_begin(b, p->n, s);
    int *ranks = sched_borrow(s, (size_t)p->n * sizeof *ranks);

    sched_phase(s, "leaders");
    if (p->index > 0 || !ranks)
        return;
    for (int k = 0; k < p->n; k++) {
        ranks[k] = region_rank(p, k, 0);
        regions_add(p, k, b, &items);
        items_next(&items);
    }
    group leaders = {.size = p->n, .index = p->mine, .ranks = ranks, .topo = g->topo};
    exchange(o, &leaders, &items.map, reorder, s);
}

static void broadcast(const algo_options *o, const group *local, const blockmap *b, bool reorder,
                      sched_builder *s)
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
    int level = topo_regions(g->topo);
    regions p;

    if (!g->topo || level == g->topo->nlevels) { /* everybody is a leader */
        exchange(o, g, b, reorder, s);
        return;
    }
    if (!regions_make(&p, g, level, s))
        return;
    group local = regions_local(&p, g);
    blockmap mine = regions_local_items(&p, b, s);

    gather(o, &local, &mine, reorder, s);
    exchange_nodes(o, &p, g, b, reorder, s);
    broadcast(o, &local, b, reorder, s);
}
