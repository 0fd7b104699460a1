/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.c - see halo.h: which bundles there are, by what has been exchanged. */
#include "algos/halo.h"

#include <stdlib.h>

bool halo_nodes(regions *nodes, const group *g, sched_builder *s)
{
    const topo_level *l = topo_nodes(g->topo);

    return l && l->n > 1 && regions_make(nodes, g, (int)(l - g->topo->level), s);
}

/* ---- the edges of my node ---- */

typedef struct reader {
    const int64_t *at; /* next word */
    const halo *h;
    const coll_neighbors *mine;
    const int *node; /* of each rank */
} reader;

static int node_size(const halo *h)
{
    return region_size(&h->nodes, h->nodes.mine);
}

/* How many edges there are in all, on both sides: the first round has found 2 words for each. */
static size_t count_edges(const halo *h, const int64_t *found)
{
    size_t n = 0;

    for (int k = 0; k < 2 * node_size(h); k++)
        n += (size_t)found[k];
    return n;
}

/* Of a row for each member of my node, what is from one rank to another. */
static int64_t *between(const halo *h, int64_t *rows, int from, int to)
{
    return &rows[halo_member(h, from) * node_size(h) + halo_member(h, to)];
}

static int group_of(const halo *h, int node, int rank)
{
    int members = region_size(&h->nodes, node);

    return halo_group(halo_member(h, rank), members, halo_groups(h->most));
}

/* False: it stays in the node, or has nothing. */
static bool read_edge(reader *r, int member, int position, bool out, halo_edge *e)
{
    const int64_t *at = r->at;
    int other = (int)at[0];
    bool mine = member == r->h->me;

    r->at += out ? HALO_DESTINATION : HALO_SOURCE;
    if (other < 0 || at[1] == 0)
        return false;
    if (r->node[other] == r->h->nodes.mine) {
        if (out)
            *between(r->h, r->h->direct, member, other) += at[1];
        return false;
    }
    *e = (halo_edge){.from = out ? member : other,
                     .to = out ? other : member,
                     .node = r->node[other],
                     .group = group_of(r->h, r->node[out ? other : member], out ? other : member),
                     .position = position,
                     .length = at[1],
                     .fresh = out ? at[2] : at[1],
                     .npieces = out ? (int)at[3] : 0,
                     .at = !mine ? -1
                           : out ? position
                                 : r->mine->order[position]};
    return true;
}

/* Append those of one member and one side. Returns how many. */
static int read_side(reader *r, int member, int n, bool out, halo_edge *to)
{
    int added = 0;

    for (int i = 0; i < n; i++)
        added += read_edge(r, member, i, out, &to[added]);
    return added;
}

static int compare_edges(const void *a, const void *b)
{
    const halo_edge *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

/* ---- bundles ---- */

/* The first member of one of at most as many groups as there are members (halo_group). */
static int begin_of_group(int members, int groups, int group)
{
    return (int)(((int64_t)group * members + groups - 1) / groups);
}

/* Carrier and receiver of the bundle from node a to a group of node b: spread by the distance of
 * the nodes, which both know. */
static void assign_ranks(const halo *h, int a, int b, int group, halo_bundle *x)
{
    int ranks_a = region_size(&h->nodes, a), ranks_b = region_size(&h->nodes, b);
    int distance = wrap(b - a, h->nodes.n);
    int groups = halo_groups(h->most) < ranks_b ? halo_groups(h->most) : ranks_b;
    int first = begin_of_group(ranks_b, groups, group);
    int end = begin_of_group(ranks_b, groups, group + 1);
    int carrier = (distance + (2 * group + 1) * ranks_a / (2 * groups)) % ranks_a;

    x->carrier = region_rank(&h->nodes, a, carrier);
    x->receiver = region_rank(&h->nodes, b, first + distance % (end - first));
}

/* The same of the bundle from one rank to a node. */
static void assign_source(const halo *h, int a, int b, int from, halo_bundle *x)
{
    int distance = wrap(b - a, h->nodes.n), k = halo_member(h, from);

    x->carrier = from;
    x->receiver = region_rank(&h->nodes, b, (distance + k) % region_size(&h->nodes, b));
}

/* Are both blocks in one bundle? */
static bool are_together(const halo *h, const halo_edge *a, const halo_edge *b)
{
    return a->node == b->node && a->group == b->group &&
           (h->most != HALO_OF_SOURCES || a->from == b->from);
}

/* From n edges, which are put in order. */
static bool make_bundles(const halo *h, halo_edge *edge, int n, bool out, halo_bundles *result,
                         sched_builder *s)
{
    halo_bundle *at = sched_borrow(s, (size_t)n * sizeof *at + 1);

    if (!at)
        return false;
    qsort(edge, (size_t)n, sizeof *edge, compare_edges);
    *result = (halo_bundles){at, 0};
    for (int i = 0; i < n; i++) {
        const halo_edge *e = &edge[i];
        int a = out ? h->nodes.mine : e->node, b = out ? e->node : h->nodes.mine;
        if (i == 0 || !are_together(h, &edge[i - 1], e)) {
            at[result->n] = (halo_bundle){.edge = &edge[i]};
            if (h->most == HALO_OF_SOURCES)
                assign_source(h, a, b, e->from, &at[result->n++]);
            else
                assign_ranks(h, a, b, e->group, &at[result->n++]);
        }
        at[result->n - 1].n++;
    }
    return true;
}

/* ---- inside the node ---- */

bool halo_is_collected(const halo_bundle *x)
{
    return x->edge[0].from != x->carrier || x->edge[x->n - 1].from != x->carrier;
}

bool halo_is_one_message(const halo *h, int from, int to)
{
    enum { MOST = 16384 }; /* to copy more takes longer than a message */
    int64_t direct = h->direct[from * node_size(h) + to];
    int64_t collected = h->collected[from * node_size(h) + to];

    return direct > 0 && collected > 0 && direct + collected <= MOST;
}

static void count_collected(const halo *h)
{
    for (int i = 0; i < h->out.n; i++) {
        const halo_bundle *x = &h->out.at[i];
        for (int k = 0; k < x->n; k++)
            if (x->edge[k].from != x->carrier)
                *between(h, h->collected, x->edge[k].from, x->carrier) += x->edge[k].fresh;
    }
}

static bool allocate_rows(halo *h, sched_builder *s)
{
    size_t n = (size_t)node_size(h);

    h->direct = sched_borrow(s, 2 * n * n * sizeof *h->direct);
    h->collected = h->direct ? h->direct + n * n : NULL;
    return h->direct != NULL;
}

/* ---- what is fresh, and pieces of the rest ---- */

/* What the third round has found for the receiver of these bundles. NULL: blocks have other lengths
 * at their sources. */
static const int64_t *read_fresh(const halo *h, const int64_t *at)
{
    bool fits = true;

    for (int i = 0; i < h->in.n; i++)
        for (int k = 0; h->in.at[i].receiver == h->me && k < h->in.at[i].n; k++) {
            halo_edge *e = &h->in.at[i].edge[k];
            e->fresh = *at++;
            e->npieces = (int)*at++;
            fits &= e->npieces > 0 || e->fresh == e->length;
        }
    return fits ? at : NULL;
}

static const int64_t *take_pieces(halo_edge *e, const int64_t *at)
{
    e->piece = (const byte_range *)(const void *)at;
    return at + HALO_PIECE * e->npieces;
}

static bool pieces_fit(const halo_edge *e)
{
    int64_t length = 0;

    for (int i = 0; i < e->npieces; i++)
        length += e->piece[i].length;
    return e->npieces == 0 || length == e->length;
}

static int compare_positions(const void *a, const void *b)
{
    const halo_edge *x = *(halo_edge *const *)a, *y = *(halo_edge *const *)b;

    return x->position < y->position ? -1 : 1;
}

/* Mine are in the order of my list; then come, to a receiver, those of others. */
static bool read_pieces(const halo *h, size_t edges, const int64_t *at, sched_builder *s)
{
    halo_edge **mine = sched_borrow(s, edges * sizeof(halo_edge *) + 1);
    size_t n = 0;

    if (!mine)
        return false;
    for (int i = 0; i < h->out.n; i++)
        for (int k = 0; k < h->out.at[i].n; k++)
            if (h->out.at[i].edge[k].from == h->me)
                mine[n++] = &h->out.at[i].edge[k];
    qsort(mine, n, sizeof(halo_edge *), compare_positions);
    for (size_t i = 0; i < n; i++)
        at = take_pieces(mine[i], at);
    for (int i = 0; i < h->in.n; i++)
        for (int k = 0; h->in.at[i].receiver == h->me && k < h->in.at[i].n; k++) {
            at = take_pieces(&h->in.at[i].edge[k], at);
            if (!pieces_fit(&h->in.at[i].edge[k]))
                return sched_fail(s, SCHED_MISMATCH);
        }
    return true;
}

static void place_blocks(halo_bundles *all)
{
    for (halo_bundle *x = all->at; x < all->at + all->n; x++)
        for (int k = 0; k < x->n; k++) {
            halo_edge *e = &x->edge[k];
            e->offset = x->length;
            e->part = k > 0 && e[-1].from == e->from ? e[-1].part : x->length;
            x->length += e->fresh;
        }
}

bool halo_read(halo *h, int most, const algo_options *o, const group *g, sched_builder *s)
{
    reader r = {.h = h, .mine = o->neighbors, .node = g->topo->node};
    halo_edge *out, *in;
    size_t edges;
    int nout = 0, nin = 0;

    *h = (halo){.me = g->index, .most = most, .level = topo_nodes(g->topo)};
    if (!halo_nodes(&h->nodes, g, s) || !allocate_rows(h, s))
        return false;
    edges = count_edges(h, o->exchanged_sizes);
    out = sched_borrow(s, edges * sizeof *out + 1);
    in = sched_borrow(s, edges * sizeof *in + 1);
    if (!out || !in)
        return false;
    r.at = o->exchanged_sizes + 2 * node_size(h);
    for (int k = 0; k < node_size(h); k++) {
        int member = region_rank(&h->nodes, h->nodes.mine, k), n = (int)r.at[0], m = (int)r.at[1];
        r.at += HALO_HEAD;
        nout += read_side(&r, member, n, true, out + nout);
        nin += read_side(&r, member, m, false, in + nin);
    }
    if (!make_bundles(h, out, nout, true, &h->out, s) ||
        !make_bundles(h, in, nin, false, &h->in, s))
        return false;
    if (o->round > HALO_LISTS && !(r.at = read_fresh(h, r.at)))
        return sched_fail(s, SCHED_MISMATCH);
    if (o->round > HALO_LISTS + 1 && !read_pieces(h, edges, r.at, s))
        return false;
    count_collected(h);
    place_blocks(&h->out);
    place_blocks(&h->in);
    return true;
}
