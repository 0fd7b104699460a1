/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_edges.c - see halo.h: the edges of my node, by what has been exchanged. */
#include "algos/halo.h"

#include <string.h>

bool halo_nodes(regions *nodes, const group *g, sched_builder *s)
{
    const topo_level *l = topo_nodes(g->topo);

    return l && l->n > 1 && regions_make(nodes, g, (int)(l - g->topo->level), s);
}

typedef struct reader {
    const int64_t *at; /* next word */
    const halo *h;
    const coll_neighbors *mine;
    const int *node; /* of each rank */
} reader;

/* Of the list of a member of my node. False: it stays in the node, or has nothing. */
static bool read_edge(reader *r, int member, int position, bool out, halo_edge *e)
{
    const halo *h = r->h;
    const int64_t *at = r->at;
    int other = (int)at[0], rank = region_rank(&h->nodes, h->nodes.mine, member), other_at;

    r->at += out ? HALO_DESTINATION : HALO_SOURCE;
    if (other < 0 || at[1] == 0)
        return false;
    other_at = halo_member(h, other);
    if (r->node[other] == h->nodes.mine) {
        if (out)
            *halo_between(h, h->direct, member, other_at) += at[1];
        return false;
    }
    e->from = out ? rank : other;
    e->to = out ? other : rank;
    e->from_at = out ? member : other_at;
    e->to_at = out ? other_at : member;
    e->node = r->node[other];
    e->position = position;
    e->length = at[1];
    e->fresh = out ? at[2] : at[1];
    e->npieces = out ? (int)at[3] : 0;
    e->at = rank != h->me ? -1 : out ? position : r->mine->order[position];
    return true;
}

/* Append those of one member and one side. */
static void read_side(reader *r, int member, int n, bool out, halo_edges *to)
{
    for (int i = 0; i < n; i++)
        to->n += read_edge(r, member, i, out, to->listed[to->n]);
}

/* ---- order ---- */

typedef int edge_key(const halo_edge *e);

static inline int key_from(const halo_edge *e)
{
    return e->from_at;
}

static inline int key_to(const halo_edge *e)
{
    return e->to_at;
}

static inline int key_node(const halo_edge *e)
{
    return e->node;
}

static inline int key_group(const halo_edge *e)
{
    return e->group;
}

/* A pass of a radix sort: edges with the same key, all of them below nkeys, keep their order. */
static inline void sort_pass(const halo *h, edge_key *key, int nkeys, int n, halo_edge *const *from,
                             halo_edge **to)
{
    memset(h->count, 0, ((size_t)nkeys + 1) * sizeof *h->count);
    for (int i = 0; i < n; i++)
        h->count[key(from[i]) + 1]++;
    for (int k = 1; k < nkeys; k++)
        h->count[k] += h->count[k - 1];
    for (int i = 0; i < n; i++)
        to[h->count[key(from[i])]++] = from[i];
}

/* They have been read in the order of their positions. */
static void sort_as_listed(const halo *h, const halo_edges *e)
{
    sort_pass(h, key_to, h->level->most, e->n, e->listed, h->spare);
    sort_pass(h, key_from, h->level->most, e->n, h->spare, e->bundled);
    sort_pass(h, key_node, h->nodes.n, e->n, e->bundled, e->listed);
}

void halo_sort_by_group(const halo *h, const halo_edges *e)
{
    int groups = halo_groups(h->most), most = h->level->most;
    bool out = e == &h->leaving;

    memcpy(e->bundled, e->listed, (size_t)e->n * sizeof(halo_edge *));
    for (int i = 0; i < e->n; i++) {
        halo_edge *x = e->listed[i];
        int members = region_size(&h->nodes, out ? x->node : h->nodes.mine);
        x->group = groups > 1 ? halo_group(x->to_at, members, groups) : 0;
    }
    if (groups == 1)
        return;
    sort_pass(h, key_group, groups < most ? groups : most, e->n, e->listed, h->spare);
    sort_pass(h, key_node, h->nodes.n, e->n, h->spare, e->bundled);
}

/* ---- memory ---- */

/* Room for n edges, each of which is in the list. */
static bool allocate_edges(halo_edges *e, int64_t n, sched_builder *s)
{
    halo_edge *all = sched_borrow(s, (size_t)n * sizeof *all + 1);
    halo_edge **lists = sched_borrow(s, 2 * (size_t)n * sizeof(halo_edge *) + 1);

    if (!all || !lists)
        return false;
    for (int64_t i = 0; i < n; i++)
        lists[i] = &all[i];
    *e = (halo_edges){lists, lists + n, 0};
    return true;
}

/* The first round has found how many destinations and sources each member has. */
static bool allocate(halo *h, const int64_t *found, sched_builder *s)
{
    int members = halo_members(h);
    size_t keys = (size_t)(h->level->most > h->nodes.n ? h->level->most : h->nodes.n);
    int64_t out = 0, in = 0;

    for (int k = 0; k < members; k++) {
        out += found[2 * k];
        in += found[2 * k + 1];
    }
    h->direct = sched_borrow(s, 2 * (size_t)members * (size_t)members * sizeof *h->direct);
    h->count = sched_borrow(s, (keys + 1) * sizeof *h->count);
    h->spare = sched_borrow(s, (size_t)(out > in ? out : in) * sizeof(halo_edge *) + 1);
    if (!h->direct || !h->count || !h->spare)
        return false;
    h->collected = h->direct + (size_t)members * (size_t)members;
    return allocate_edges(&h->leaving, out, s) && allocate_edges(&h->coming, in, s);
}

bool halo_read_edges(halo *h, const algo_options *o, const group *g, sched_builder *s)
{
    reader r = {.h = h, .mine = o->neighbors, .node = g->topo->node};

    *h = (halo){.me = g->index, .level = topo_nodes(g->topo)};
    if (!halo_nodes(&h->nodes, g, s) || !allocate(h, o->exchanged_sizes, s))
        return false;
    r.at = o->exchanged_sizes + HALO_HEAD * halo_members(h);
    for (int k = 0; k < halo_members(h); k++) {
        int n = (int)r.at[0], m = (int)r.at[1];
        r.at += HALO_HEAD;
        read_side(&r, k, n, true, &h->leaving);
        read_side(&r, k, m, false, &h->coming);
    }
    h->rest = r.at;
    sort_as_listed(h, &h->leaving);
    sort_as_listed(h, &h->coming);
    return true;
}
