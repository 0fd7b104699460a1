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
