/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_edges.c - see halo.h: the edges of my node, by what has been exchanged, and who carries and
 * receives them. */
#include "algos/halo.h"

#include <string.h>

bool halo_nodes(regions *nodes, const group *g, sched_builder *s)
{
    const topo_level *l = topo_nodes(g->topo);

    return l && l->n > 1 && regions_make(nodes, g, (int)(l - g->topo->level), s);
}

/* ---- carriers and receivers ---- */

/* The first member of one of at most as many groups as there are members (halo_group). */
static int begin_of_group(int members, int groups, int group)
{
    return (int)(((int64_t)group * members + groups - 1) / groups);
}

/* Of the bundle from node a to a group of node b: spread by the distance of the nodes, which both
 * know. */
static void assign_ranks(const halo *h, int a, int b, int group, halo_bundle *x)
{
    int ranks_a = region_size(&h->nodes, a), ranks_b = region_size(&h->nodes, b);
    int distance = wrap(b - a, h->nodes.n);
    int groups = halo_groups(h->split) < ranks_b ? halo_groups(h->split) : ranks_b;
    int first = begin_of_group(ranks_b, groups, group);
    int end = begin_of_group(ranks_b, groups, group + 1);
    int carrier = (distance + (2 * group + 1) * ranks_a / (2 * groups)) % ranks_a;

    x->carrier = region_rank(&h->nodes, a, carrier);
    x->receiver = region_rank(&h->nodes, b, first + distance % (end - first));
}

/* The same of the bundle from one rank to a node. */
static void assign_source(const halo *h, int a, int b, const halo_edge *e, halo_bundle *x)
{
    int distance = wrap(b - a, h->nodes.n);

    x->carrier = e->from;
    x->receiver = region_rank(&h->nodes, b, (distance + e->from_at) % region_size(&h->nodes, b));
}

void halo_assign(const halo *h, const halo_edge *e, bool out, halo_bundle *x)
{
    int a = out ? h->nodes.mine : e->node, b = out ? e->node : h->nodes.mine;

    if (h->split == HALO_OF_SOURCES)
        assign_source(h, a, b, e, x);
    else
        assign_ranks(h, a, b, e->group, x);
}

static inline int group_of(const halo *h, int to_at, int node)
{
    int groups = halo_groups(h->split);

    return groups > 1 ? halo_group(to_at, region_size(&h->nodes, node), groups) : 0;
}

/* ---- what concerns me ---- */

enum { UNKNOWN, MINE, OF_OTHERS };

/* What of the lists is read, and where. */
typedef struct reader {
    const int64_t *at; /* next word */
    const halo *h;
    const coll_neighbors *mine;
    const int *node; /* of each rank */
    int member;      /* whose list it is */
    int rank;        /* the same */
    int groups;      /* of a node, at most */
    char *bundle[2]; /* [nodes * groups], those to my node and those from it: does this rank receive
                        or carry it? NULL if bundles are not of groups */
} reader;

/* Do I carry the bundle of the edge, or receive it for my node? */
static bool handles_bundle(const halo *h, const halo_edge *e, bool out)
{
    halo_bundle x;

    halo_assign(h, e, out, &x);
    return (out ? x.carrier : x.receiver) == h->me;
}

/* The same where bundles are of groups; found once for each, because it takes some divisions. */
static inline bool handles_group(const reader *r, const halo_edge *e, bool out)
{
    char *known = &r->bundle[out][(int64_t)e->node * r->groups + e->group];

    if (*known == UNKNOWN)
        *known = handles_bundle(r->h, e, out) ? MINE : OF_OTHERS;
    return *known == MINE;
}

/* The edge has its ends and its group. */
static inline bool concerns_me(const reader *r, const halo_edge *e, bool out)
{
    const halo *h = r->h;

    if (r->rank == h->me || h->split == HALO_ALL_EDGES)
        return true;
    if (h->split == HALO_OF_SOURCES)
        return !out && handles_bundle(h, e, out);
    return handles_group(r, e, out);
}

/* ---- lists ---- */

/* One that stays in the node: it is sent with others from there to there. */
static void add_direct(const reader *r, int to, int64_t bytes)
{
    *halo_between(r->h, r->h->direct, r->member, halo_member(r->h, to)) += bytes;
}

static inline void set_ends(const reader *r, int other, bool out, halo_edge *e)
{
    const halo *h = r->h;
    int other_at = halo_member(h, other);

    e->from = out ? r->rank : other;
    e->to = out ? other : r->rank;
    e->from_at = out ? r->member : other_at;
    e->to_at = out ? other_at : r->member;
    e->node = r->node[other];
    e->group = group_of(h, e->to_at, out ? e->node : h->nodes.mine);
}

/* False: it stays in the node, has nothing, or does not concern me. */
static inline bool read_edge(const reader *r, const int64_t *at, int position, bool out,
                             halo_edge *e)
{
    int other = (int)at[0];

    if (other < 0 || at[1] == 0)
        return false;
    if (r->node[other] == r->h->nodes.mine) {
        if (out)
            add_direct(r, other, at[1]);
        return false;
    }
    set_ends(r, other, out, e);
    if (!concerns_me(r, e, out))
        return false;
    e->at = r->rank != r->h->me ? -1 : out ? position : r->mine->order[position];
    e->position = position;
    e->length = at[1];
    e->fresh = e->listed = out ? at[2] : at[1];
    e->npieces = out ? (int)at[3] : 0;
    e->part = e->offset = e->packed = 0;
    e->piece = NULL;
    return true;
}

/* Append those of one member and one side. */
static inline void read_side(reader *r, int n, bool out, halo_edges *to)
{
    const int words = out ? HALO_DESTINATION : HALO_SOURCE;

    for (int i = 0; i < n; i++) {
        halo_edge *e = &to->all[to->n];
        if (read_edge(r, r->at + (int64_t)words * i, i, out, e))
            to->listed[to->n++] = e;
    }
    r->at += (int64_t)words * n;
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

/* They have been read in the order of (from, position), or of (to, position) those to my node. */
static void sort_as_listed(const halo *h, const halo_edges *e)
{
    bool out = e == &h->leaving;

    if (out)
        sort_pass(h, key_to, h->level->most, e->n, e->listed, h->spare);
    sort_pass(h, key_from, h->level->most, e->n, out ? h->spare : e->listed, e->bundled);
    sort_pass(h, key_node, h->nodes.n, e->n, e->bundled, e->listed);
}

void halo_sort_by_group(const halo *h, const halo_edges *e)
{
    int groups = halo_groups(h->split), most = h->level->most;
    bool out = e == &h->leaving;

    memcpy(e->bundled, e->listed, (size_t)e->n * sizeof(halo_edge *));
    for (int i = 0; i < e->n; i++)
        e->listed[i]->group =
            group_of(h, e->listed[i]->to_at, out ? e->listed[i]->node : h->nodes.mine);
    if (groups == 1)
        return;
    sort_pass(h, key_group, groups < most ? groups : most, e->n, e->listed, h->spare);
    sort_pass(h, key_node, h->nodes.n, e->n, h->spare, e->bundled);
}

/* ---- memory ---- */

/* Room for n edges. */
static bool allocate_edges(halo_edges *e, int64_t n, sched_builder *s)
{
    size_t lists = 2 * (size_t)n * sizeof(halo_edge *);

    e->all = sched_borrow_unset(s, (size_t)n * sizeof *e->all + 1);
    e->listed = sched_borrow_unset(s, lists + 1);
    if (!e->all || !e->listed)
        return false;
    e->bundled = e->listed + n;
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
    h->count = sched_borrow_unset(s, (keys + 1) * sizeof *h->count);
    h->spare = sched_borrow_unset(s, (size_t)(out > in ? out : in) * sizeof(halo_edge *) + 1);
    if (!h->direct || !h->count || !h->spare)
        return false;
    h->collected = h->direct + (size_t)members * (size_t)members;
    return allocate_edges(&h->leaving, out, s) && allocate_edges(&h->coming, in, s);
}

static bool allocate_reader(reader *r, sched_builder *s)
{
    const halo *h = r->h;
    size_t bundles;

    if (h->split == HALO_ALL_EDGES || h->split == HALO_OF_SOURCES)
        return true;
    r->groups = h->split < h->level->most ? h->split : h->level->most;
    bundles = (size_t)h->nodes.n * (size_t)r->groups;
    r->bundle[0] = sched_borrow(s, 2 * bundles);
    r->bundle[1] = r->bundle[0] ? r->bundle[0] + bundles : NULL;
    return r->bundle[0] != NULL;
}

bool halo_read_edges(halo *h, int split, const algo_options *o, const group *g, sched_builder *s)
{
    reader r = {.h = h, .mine = o->neighbors, .node = g->topo->node};

    *h = (halo){.me = g->index, .level = topo_nodes(g->topo), .split = split};
    if (!halo_nodes(&h->nodes, g, s) || !allocate(h, o->exchanged_sizes, s) ||
        !allocate_reader(&r, s))
        return false;
    r.at = o->exchanged_sizes + HALO_HEAD * halo_members(h);
    for (r.member = 0; r.member < halo_members(h); r.member++) {
        int n = (int)r.at[0], m = (int)r.at[1];
        r.at += HALO_HEAD;
        r.rank = region_rank(&h->nodes, h->nodes.mine, r.member);
        read_side(&r, n, true, &h->leaving);
        read_side(&r, m, false, &h->coming);
    }
    h->rest = r.at;
    sort_as_listed(h, &h->leaving);
    sort_as_listed(h, &h->coming);
    return true;
}
