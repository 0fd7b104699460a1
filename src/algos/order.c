/* order.c - see order.h. */
#include "algos/order.h"

/* Ranks to indices of members. */
static bool to_members(const group *g, int *order, sched_builder *s)
{
    int *index_of = g->ranks ? sched_borrow(s, (size_t)g->topo->p * sizeof *index_of) : NULL;

    if (!g->ranks)
        return true;
    for (int i = 0; index_of && i < g->size; i++)
        index_of[g->ranks[i]] = i;
    for (int i = 0; index_of && i < g->size; i++)
        order[i] = index_of[order[i]];
    return index_of != NULL;
}

const int *order_members(reorder_pattern pattern, const group *g, sched_builder *s)
{
    int *order = sched_borrow(s, (size_t)g->size * sizeof *order);

    for (int i = 0; order && i < g->size; i++)
        order[i] = i;
    if (!order || !g->topo)
        return order;
    if (!reorder_ranks(pattern, g->topo, g->ranks, g->size, order)) {
        sched_fail(s, SCHED_NO_MEMORY);
        return NULL;
    }
    return to_members(g, order, s) ? order : NULL;
}

const int *order_tree(reorder_pattern pattern, const group *g, int root, sched_builder *s)
{
    int *members = sched_borrow(s, (size_t)g->size * sizeof *members), n = 0;
    const int *order;
    group first;

    if (!members)
        return NULL;
    members[n++] = root;
    for (int i = 0; i < g->size; i++)
        if (i != root)
            members[n++] = i;
    if (!order_group(g, members, s, &first) || !(order = order_members(pattern, &first, s)))
        return NULL;

    int *result = sched_borrow(s, (size_t)n * sizeof *result);
    for (int i = 0; result && i < n; i++)
        result[i] = members[order[i]];
    return result;
}

blockmap order_items(const blockmap *b, const int *order, int n, sched_builder *s)
{
    itemlist t = items_begin(b, n, s);

    for (int i = 0; i < n; i++) {
        items_add(&t, b, order[i]);
        items_next(&t);
    }
    return t.map;
}

bool order_group(const group *g, const int *order, sched_builder *s, group *result)
{
    int *ranks = sched_borrow(s, (size_t)g->size * sizeof *ranks);

    *result = *g;
    for (int i = 0; ranks && i < g->size; i++) {
        ranks[i] = peer(g, order[i]);
        if (order[i] == g->index)
            result->index = i;
    }
    result->ranks = ranks;
    return ranks != NULL;
}

bool group_rotated(const group *g, int first, sched_builder *s, group *result)
{
    int *ranks = first ? sched_borrow(s, (size_t)g->size * sizeof *ranks) : NULL;

    *result = *g;
    if (!first)
        return true;
    for (int i = 0; ranks && i < g->size; i++)
        ranks[i] = peer(g, first + i);
    result->ranks = ranks;
    result->index = wrap(g->index - first, g->size);
    return ranks != NULL;
}
