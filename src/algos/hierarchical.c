/* hierarchical.c - see hierarchical.h. */
#include "algos/hierarchical.h"

#include "algos/region.h"
#include "algos/tree.h"
#include "topo/reorder.h"

extern const algo algo_allgather_bruck, algo_allgather_ring;

/* Member k's item becomes that of the k-th rank of the new order. */
typedef struct arranged {
    group g;
    blockmap b;
} arranged;

/* The group in the order that suits the pattern, and its items with it; or both as they are. */
static arranged arrange(reorder_pattern pattern, const group *g, const blockmap *b, bool reorder,
                        sched_builder *s)
{
    arranged r = {*g, *b};
    size_t n = (size_t)g->size;
    int *order = reorder ? sched_borrow(s, n * sizeof *order) : NULL;
    int *index_of = reorder ? sched_borrow(s, (size_t)b->blocks * sizeof *index_of) : NULL;

    if (!order || !index_of || !g->topo)
        return r;
    if (!reorder_ranks(pattern, g->topo, g->ranks, g->size, order)) {
        sched_fail(s, SCHED_NO_MEMORY);
        return r;
    }
    itemlist items = items_begin(b, g->size, s);
    for (int i = 0; i < g->size; i++)
        index_of[peer(g, i)] = i;
    for (int k = 0; k < g->size; k++) {
        items_add(&items, b, index_of[order[k]]);
        items_next(&items);
        if (index_of[order[k]] == g->index)
            r.g.index = k;
    }
    r.g.ranks = order;
    r.b = items.map;
    return r;
}

static void gather(const coll *c, const group *local, const blockmap *mine, bool reorder,
                   sched_builder *s)
{
    arranged r = arrange(REORDER_GATHER, local, mine, reorder, s);

    sched_phase(s, "gather");
    tree_gather((tree)c->variant, &r.g, &r.b, s);
}

/* A ring where blocks travel one by one, and so are large; else Bruck. */
static void exchange(const coll *c, const group *leaders, const blockmap *b, bool reorder,
                     sched_builder *s)
{
    bool large = sched_form(s) == FORM_BLOCK;
    arranged r = arrange(large ? REORDER_RING : REORDER_BRUCK, leaders, b, reorder, s);

    (large ? &algo_allgather_ring : &algo_allgather_bruck)->compile(c, &r.g, &r.b, s);
}

/* The first rank of every node, with all its node's blocks. */
static void exchange_nodes(const coll *c, const regions *p, const group *g, const blockmap *b,
                           bool reorder, sched_builder *s)
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
    exchange(c, &leaders, &items.map, reorder, s);
}

static void broadcast(const coll *c, const group *local, const blockmap *b, bool reorder,
                      sched_builder *s)
{
    int *ranks =
        reorder && local->topo ? sched_borrow(s, (size_t)local->size * sizeof *ranks) : NULL;
    group g = *local;

    if (ranks && !reorder_ranks(REORDER_BROADCAST, g.topo, local->ranks, g.size, ranks))
        sched_fail(s, SCHED_NO_MEMORY);
    for (int i = 0; ranks && i < g.size; i++)
        if (ranks[i] == peer(local, local->index))
            g.index = i;
    if (ranks)
        g.ranks = ranks;
    sched_phase(s, "broadcast");
    tree_broadcast((tree)c->variant, &g, b, s);
}

void hierarchical_allgather(const coll *c, const group *g, const blockmap *b, sched_builder *s,
                            bool reorder)
{
    int level = topo_regions(g->topo);
    regions p;

    if (!g->topo || level == g->topo->nlevels) { /* everybody is a leader */
        exchange(c, g, b, reorder, s);
        return;
    }
    if (!regions_make(&p, g, level, s))
        return;
    group local = regions_local(&p, g);
    blockmap mine = regions_local_items(&p, b, s);

    gather(c, &local, &mine, reorder, s);
    exchange_nodes(c, &p, g, b, reorder, s);
    broadcast(c, &local, b, reorder, s);
}
