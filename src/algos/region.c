/* SPDX-License-Identifier: BSD-3-Clause */
/* region.c - see region.h. */
#include "algos/region.h"

/* Number the regions by first appearance and count their members; returns how many there are. */
static int number_regions(const topo_level *l, const group *g, int *number, int *first)
{
    int n = 0;

    for (int i = 0; i < g->size; i++) {
        int *known = &number[l->region[peer(g, i)]];
        if (*known == 0)
            *known = ++n;
        first[*known]++;
    }
    return n;
}

static void list_members(regions *p, const topo_level *l, const group *g, const int *number,
                         int *next, int *at, int *ranks)
{
    for (int i = 0; i < p->n; i++)
        next[i] = p->first[i];
    for (int i = 0; i < g->size; i++) {
        int region = number[l->region[peer(g, i)]] - 1, to = next[region]++;
        at[to] = i;
        ranks[to] = peer(g, i);
        if (i == g->index) {
            p->mine = region;
            p->index = to - p->first[region];
        }
    }
}

/* All ranks in their order: the topology knows their regions. */
static bool regions_of_all(regions *p, const topo_level *l, const group *g, sched_builder *s)
{
    int *ranks = l->member ? l->member : sched_borrow(s, (size_t)g->size * sizeof *ranks);

    if (!ranks)
        return false;
    for (int i = 0; !l->member && i < g->size; i++)
        ranks[i] = i;
    *p = (regions){.n = l->n,
                   .least = l->least,
                   .mine = l->region[g->index],
                   .first = l->first,
                   .at = ranks,
                   .ranks = ranks};
    while (ranks[p->first[p->mine] + p->index] != g->index)
        p->index++;
    return true;
}

bool regions_make(regions *p, const group *g, int level, sched_builder *s)
{
    const topo_level *l = &g->topo->level[level];
    size_t n = (size_t)g->size;
    int *number, *first, *at, *ranks, *next;

    if (!g->ranks && g->size == g->topo->p)
        return regions_of_all(p, l, g, s);
    number = sched_borrow(s, ((size_t)l->n + 4 * n + 2) * sizeof *number);
    if (!number)
        return false;
    first = number + l->n;
    at = first + n + 1;
    ranks = at + n;
    next = ranks + n;
    *p = (regions){.first = first, .at = at, .ranks = ranks, .least = g->size};
    p->n = number_regions(l, g, number, first);
    for (int i = 0; i < p->n; i++) {
        p->least = first[i + 1] < p->least ? first[i + 1] : p->least;
        first[i + 1] += first[i];
    }
    list_members(p, l, g, number, next, at, ranks);
    return true;
}

group regions_local(const regions *p, const group *g)
{
    return (group){.size = region_size(p, p->mine),
                   .index = p->index,
                   .ranks = p->ranks + p->first[p->mine],
                   .topo = g->topo};
}

void regions_add(const regions *p, int i, const blockmap *b, itemlist *to)
{
    i = wrap(i, p->n);
    for (int k = p->first[i]; k < p->first[i + 1]; k++)
        items_add(to, b, p->at[k]);
}

blockmap regions_local_items(const regions *p, const blockmap *b, sched_builder *s)
{
    return items_chosen(b, p->at + p->first[p->mine], region_size(p, p->mine), s);
}
