/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c - see order.h. */
#include "algos/order.h"

#include <stdlib.h>

typedef struct member {
    int rank, index;
} member;

static int compare_members(const void *left, const void *right)
{
    const member *a = left, *b = right;

    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Ranks to indices of members. Sorted: a table of all ranks would be too long for each of many
 * small groups. */
static bool to_members(const group *g, int *order, sched_builder *s)
{
    size_t n = (size_t)g->size;
    member *sorted = g->ranks ? sched_borrow(s, n * sizeof *sorted) : NULL;

    if (!g->ranks || !sorted)
        return !g->ranks;
    for (int i = 0; i < g->size; i++)
        sorted[i] = (member){g->ranks[i], i};
    qsort(sorted, n, sizeof *sorted, compare_members);
    for (int i = 0; i < g->size; i++) {
        const member *found =
            bsearch(&(member){.rank = order[i]}, sorted, n, sizeof *sorted, compare_members);
        order[i] = found->index;
    }
    return true;
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
