/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.c - see lanes.h. */
#include "algos/lanes.h"

#include "algos/circulant.h"

/* Where the root is, and whether the members of all nodes follow one another. */
static void find_root(lanes *l, const group *g, int root)
{
    const regions *p = &l->nodes;

    l->consecutive = true;
    for (int k = 0; k < p->n; k++)
        for (int i = p->first[k]; i < p->first[k + 1]; i++) {
            l->consecutive &= p->at[i] == i;
            if (p->at[i] == wrap(root, g->size)) {
                l->root_node = k;
                l->root_at = i - p->first[k];
            }
        }
}

static bool make_lane(lanes *l, const group *g, sched_builder *s)
{
    const regions *p = &l->nodes;
    int *ranks = sched_borrow(s, (size_t)p->n * sizeof *ranks);

    for (int k = 0; ranks && k < p->n && p->index < l->n; k++)
        ranks[k] = region_rank(p, k, p->index);
    if (p->index < l->n)
        l->lane = (group){.size = p->n, .index = p->mine, .ranks = ranks, .topo = g->topo};
    return ranks != NULL;
}

bool lanes_make(lanes *l, const group *g, int root, sched_builder *s)
{
    int level = topo_regions(g->topo);
    regions p;

    *l = (lanes){.n = 1, .nodes.n = g->size, .root_node = root, .lane = *g};
    if (!g->topo || level == g->topo->nlevels || !regions_make(&p, g, level, s) || p.n == 1 ||
        p.n == g->size)
        return false;
    l->nodes = p;
    l->n = l->nodes.least;
    l->lane.size = 0;
    l->local = regions_local(&l->nodes, g);
    find_root(l, g, root);
    return make_lane(l, g, s);
}

int lanes_parts(const algo_options *o, const group *g, sched_builder *s)
{
    lanes l;

    lanes_make(&l, g, 0, s);
    return parts_times(l.n, phase_parts(o, l.nodes.n, s));
}

/* ---- a vector ---- */

/* Where the items of lane i begin. */
static int lane_begin(const lanes *l, const blockmap *b, int i)
{
    return (int)((int64_t)i * b->n / l->n);
}

blockmap lanes_cut(const lanes *l, const blockmap *b, sched_builder *s)
{
    itemlist t = items_begin(b, l->local.size, s);

    for (int i = 0; i < l->local.size; i++) {
        for (int k = lane_begin(l, b, i); i < l->n && k < lane_begin(l, b, i + 1); k++)
            items_add(&t, b, k);
        items_next(&t);
    }
    return t.map;
}

blockmap lanes_part(const lanes *l, const blockmap *b, sched_builder *s)
{
    int i = l->nodes.index, begin = lane_begin(l, b, i), end = lane_begin(l, b, i + 1);
    itemlist t = items_begin(b, end - begin, s);

    for (int k = begin; k < end; k++) {
        items_add(&t, b, k);
        items_next(&t);
    }
    return t.map;
}

void lanes_share(const lanes *l, const blockmap *items, sched_builder *s)
{
    algo_options none = {0};
    const algo *how = sched_form(s) == FORM_BLOCK ? &algo_allgather_ring : &algo_allgather_bruck;

    sched_phase(s, "node");
    how->compile(&none, &l->local, items, s);
}

/* ---- scans ---- */

/* The last node's sum is not asked for. */
static void sum_node(const lanes *l, const blockmap *items, const blockrow *sum, sched_builder *s)
{
    sched_phase(s, "reduce-scatter");
    if (l->local.size > 1 && l->nodes.mine < l->nodes.n - 1)
        circulant_reduce_scatter(&l->local, items, sum, sum, s);
}

bool scan_lanes_before(scan_lanes *x, const algo_options *o, const group *g, const blockmap *b,
                       sched_builder *s)
{
    lanes *l = &x->l;
    blockmap items, part;
    blockrow sum = b->out;

    if (!lanes_make(l, g, 0, s) || !l->consecutive)
        return false;
    items = lanes_cut(l, b, s);
    if (l->local.size > 1)
        sum = scratch_row(s, b);
    x->before = scratch_row(s, b);
    sum_node(l, &items, &sum, s);
    sched_phase(s, "lane");
    if (on_lane(l)) {
        part = lanes_part(l, b, s);
        part.out = sum;
        part.in = x->before;
        phase_compile(o, &l->lane, 0, &part, s);
    }
    items.in = x->before;
    if (l->nodes.mine > 0)
        lanes_share(l, &items, s);
    return true;
}

/* ---- blocks of ranks ---- */

/* The blocks of lane i at node k. */
static void add_lane(const lanes *l, const blockmap *b, int k, int i, itemlist *to)
{
    for (; i < region_size(&l->nodes, k); i += l->n)
        items_add(to, b, l->nodes.at[l->nodes.first[k] + i]);
}

blockmap lanes_of_local(const lanes *l, const blockmap *b, sched_builder *s)
{
    itemlist t = items_begin(b, l->local.size, s);

    for (int i = 0; i < l->local.size; i++) {
        for (int k = 0; k < l->nodes.n && i < l->n; k++)
            add_lane(l, b, k, i, &t);
        items_next(&t);
    }
    return t.map;
}

blockmap lanes_of_nodes(const lanes *l, const blockmap *b, sched_builder *s)
{
    itemlist t = items_begin(b, l->nodes.n, s);

    for (int k = 0; k < l->nodes.n; k++) {
        add_lane(l, b, k, l->nodes.index, &t);
        items_next(&t);
    }
    return t.map;
}

blockmap lanes_of_node(const lanes *l, int node, const blockmap *b, sched_builder *s)
{
    int n = region_size(&l->nodes, node);
    itemlist t = items_begin(b, n, s);

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < l->nodes.n; k++)
            if (k == node)
                items_add(&t, b, l->nodes.at[l->nodes.first[k] + i]);
            else if (i < l->n)
                add_lane(l, b, k, i, &t);
        items_next(&t);
    }
    return t.map;
}

blockrow lanes_row(const lanes *l, const blockmap *items, bool is_root, const blockrow *end,
                   const blockrow *own, sched_builder *s)
{
    if (!on_lane(l))
        return *own;
    if (l->nodes.mine == l->root_node)
        return is_root ? *end : scratch_items(s, items, 0, items->n);
    return carries_others(l) ? scratch_items(s, items, l->nodes.mine, 1) : *own;
}

void lanes_hand_on(const lanes *l, const blockmap *mine, const blockrow *have, sched_builder *s)
{
    int me = l->nodes.index;

    if (!on_lane(l)) {
        recv_row(s, mine, &mine->in, me, 1, peer(&l->local, me % l->n));
        return;
    }
    if (!same_row(have, &mine->in))
        copy_row(s, mine, have, &mine->in, me, 1);
    for (int i = me + l->n; i < l->local.size; i += l->n)
        send_row(s, mine, have, i, 1, peer(&l->local, i));
}
