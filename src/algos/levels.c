/* SPDX-License-Identifier: BSD-3-Clause */
/* levels.c - see levels.h. */
#include "algos/levels.h"

#include "algos/order.h"

/* ---- the division ---- */

static bool find_regions(division *d, const group *g, int level, sched_builder *s)
{
    for (; g->topo && level < g->topo->nlevels; level++) {
        if (!regions_make(&d->p, g, level, s))
            return false;
        d->next = level + 1;
        if (d->p.n > 1 && d->p.n < g->size)
            return true;
    }
    return false;
}

/* The leader of region k. */
static int leader_of(const division *d, int k, int root, const group *g)
{
    int n = region_size(&d->p, k);

    if (root == LAST_LEADS)
        return n - 1;
    for (int i = 0; i < n; i++)
        if (d->p.at[d->p.first[k] + i] == wrap(root, g->size))
            return i;
    return 0;
}

static bool choose_leaders(division *d, const group *g, int root, sched_builder *s)
{
    const regions *p = &d->p;
    int *ranks = sched_borrow(s, (size_t)p->n * sizeof *ranks);

    d->consecutive = true;
    d->leader = leader_of(d, p->mine, root, g);
    for (int k = 0; ranks && k < p->n; k++) {
        int leader = leader_of(d, k, root, g);
        ranks[k] = region_rank(p, k, leader);
        if (root >= 0 && p->at[p->first[k] + leader] == wrap(root, g->size))
            d->root = k;
    }
    for (int i = 0; i < g->size; i++)
        d->consecutive &= p->at[i] == i;
    if (p->index == d->leader)
        d->leaders = (group){.size = p->n, .index = p->mine, .ranks = ranks, .topo = g->topo};
    return ranks != NULL;
}

bool levels_divide(division *d, const group *g, int root, int level, sched_builder *s)
{
    *d = (division){.leaders = *g, .root = root, .p.n = g->size};
    if (!find_regions(d, g, level, s)) {
        d->p.n = g->size;
        return false;
    }
    d->leaders.size = 0;
    d->root = 0;
    d->local = regions_local(&d->p, g);
    return choose_leaders(d, g, root, s);
}

int levels_parts(const algo_options *o, const group *g, sched_builder *s)
{
    division d;

    levels_divide(&d, g, 0, topo_regions(g->topo), s);
    return phase_parts(o, d.p.n, s);
}

blockmap levels_items(const division *d, const blockmap *b, sched_builder *s)
{
    itemlist t = items_begin(b, d->p.n, s);

    for (int k = 0; k < d->p.n; k++) {
        regions_add(&d->p, k, b, &t);
        items_next(&t);
    }
    return t.map;
}

/* ---- one vector ---- */

void levels_bcast(const group *g, int root, const blockmap *b, int level, sched_builder *s)
{
    division d;
    bool divided = levels_divide(&d, g, root, level, s);
    group r;

    if (leads(&d) && group_rotated(&d.leaders, d.root, s, &r))
        tree_broadcast(TREE_BINOMIAL, &r, b, s);
    if (divided)
        levels_bcast(&d.local, d.leader, b, d.next, s);
}

blockmap levels_reduce_region(const algo_options *o, const division *d, bool is_root,
                              const blockmap *b, sched_builder *s)
{
    blockmap local = *b, leaders = *b;

    if (d->local.size == 1)
        return leaders;
    if (leads(d) && !is_root)
        local.in = scratch_row(s, b);
    levels_reduce(o, &d->local, d->leader, &local, d->next, s);
    leaders.out = local.in;
    return leaders;
}

void levels_reduce(const algo_options *o, const group *g, int root, const blockmap *b, int level,
                   sched_builder *s)
{
    algo_options all = *o, between = *o;
    division d;

    all.root = root;
    if (!levels_divide(&d, g, root, level, s) || (o->noncommutative && !d.consecutive)) {
        algo_reduce_binomial.compile(&all, g, b, s);
        return;
    }
    blockmap leaders = levels_reduce_region(o, &d, g->index == root, b, s);

    between.root = d.root;
    if (leads(&d))
        algo_reduce_binomial.compile(&between, &d.leaders, &leaders, s);
}

/* ---- scans ---- */

bool scan_levels_divide(scan_levels *l, const group *g, const blockmap *b, int level,
                        sched_builder *s)
{
    if (!levels_divide(&l->d, g, LAST_LEADS, level, s) || !l->d.consecutive)
        return false;
    if (leads(&l->d) || l->d.p.mine > 0)
        l->before = scratch_row(s, b);
    return true;
}

void scan_levels_before(const scan_levels *l, const algo_options *o, const blockmap *b,
                        const blockrow *sum, sched_builder *s)
{
    blockmap leaders = *b, local = *b;

    leaders.out = *sum;
    leaders.in = local.in = l->before;
    if (leads(&l->d))
        phase_compile(o, &l->d.leaders, 0, &leaders, s);
    if (l->d.p.mine > 0)
        levels_bcast(&l->d.local, l->d.leader, &local, l->d.next, s);
}

/* ---- blocks ---- */

/* A leader holds those of its region, its own one with them. */
static blockrow region_row(const division *d, const blockmap *local, bool is_root,
                           const blockrow *end, const blockrow *own, sched_builder *s)
{
    if (is_root)
        return *end;
    if (!leads(d) || d->local.size == 1)
        return *own;
    return scratch_items(s, local, 0, local->n);
}

void levels_gather(tree t, const group *g, int root, const blockmap *b, const blockrow *from,
                   const blockrow *to, int level, sched_builder *s)
{
    division d;

    if (!levels_divide(&d, g, root, level, s)) {
        tree_collect(t, g, root, b, from, to, s);
        return;
    }
    blockmap local = regions_local_items(&d.p, b, s), regions = levels_items(&d, b, s);
    blockrow row = region_row(&d, &local, g->index == root, to, from, s);

    if (leads(&d) && g->index != root && !same_row(&row, from))
        copy_row(s, &local, from, &row, d.leader, 1);
    levels_gather(t, &d.local, d.leader, &local, from, &row, d.next, s);
    if (leads(&d))
        tree_collect(t, &d.leaders, d.root, &regions, &row, to, s);
}

void levels_scatter(tree t, const group *g, int root, const blockmap *b, const blockrow *from,
                    const blockrow *to, int level, sched_builder *s)
{
    division d;

    if (!levels_divide(&d, g, root, level, s)) {
        tree_distribute(t, g, root, b, from, to, s);
        return;
    }
    blockmap local = regions_local_items(&d.p, b, s), regions = levels_items(&d, b, s);
    blockrow row = region_row(&d, &local, g->index == root, from, to, s);

    if (leads(&d))
        tree_distribute(t, &d.leaders, d.root, &regions, from, &row, s);
    if (leads(&d) && g->index != root && !same_row(&row, to))
        copy_row(s, &local, &row, to, d.leader, 1);
    levels_scatter(t, &d.local, d.leader, &local, &row, to, d.next, s);
}
