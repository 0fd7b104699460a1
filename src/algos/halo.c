/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.c - see halo.h: which bundles there are, by what has been exchanged. */
#include "algos/halo.h"

#include <stdlib.h>

bool halo_nodes(regions *nodes, const group *g, sched_builder *s)
{
    const topo *t = g->topo;

    for (int i = 0; t && i < t->nlevels; i++)
        if (t->level[i].kind == TOPO_NODE)
            return t->nodes > 1 && regions_make(nodes, g, i, s);
    return false;
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

/* False: it stays in the node, or has nothing. */
static bool read_edge(reader *r, int member, int position, bool out, halo_edge *e)
{
    const int64_t *at = r->at;
    int other = (int)at[0];
    bool mine = member == r->h->me;

    r->at += out ? HALO_DESTINATION : HALO_SOURCE;
    if (other < 0 || at[1] == 0 || r->node[other] == r->h->nodes.mine)
        return false;
    *e = (halo_edge){.from = out ? member : other,
                     .to = out ? other : member,
                     .node = r->node[other],
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
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

/* ---- bundles ---- */

int halo_member(const halo *h, int node, int rank)
{
    int low = 0, high = region_size(&h->nodes, node) - 1;

    while (low < high) { /* members ascend */
        int middle = (low + high) / 2;
        if (region_rank(&h->nodes, node, middle) < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many bundles the blocks of so many ranks are divided into. */
static int divided(const halo *h, int ranks)
{
    return h->most != HALO_OF_SOURCES && h->most < ranks ? h->most : ranks;
}

/* Carrier and receiver of the k-th bundle from node a to node b: spread by the distance of the
 * nodes, which both know; and apart, for where a node sends over some distance, it mostly receives
 * over the same, too. */
static void assign_ranks(const halo *h, int a, int b, int k, halo_bundle *x)
{
    int ranks_a = region_size(&h->nodes, a), ranks_b = region_size(&h->nodes, b);
    int distance = wrap(b - a, h->nodes.n), n = divided(h, ranks_a);
    bool of_source = h->most == HALO_OF_SOURCES;
    int carrier = of_source ? k : distance + k * ranks_a / n;
    int receiver = distance + (of_source ? k : (2 * k + 1) * ranks_b / (2 * n));

    x->carrier = region_rank(&h->nodes, a, carrier % ranks_a);
    x->receiver = region_rank(&h->nodes, b, receiver % ranks_b);
}

/* From n edges, which are put in order. */
static bool make_bundles(const halo *h, halo_edge *edge, int n, bool out, halo_bundles *result,
                         sched_builder *s)
{
    halo_bundle *at = sched_borrow(s, (size_t)n * sizeof *at + 1);
    int last_node = -1, last_k = -1;

    if (!at)
        return false;
    qsort(edge, (size_t)n, sizeof *edge, compare_edges);
    *result = (halo_bundles){at, 0};
    for (int i = 0; i < n; i++) {
        int node = edge[i].node, a = out ? h->nodes.mine : node, b = out ? node : h->nodes.mine;
        int ranks = region_size(&h->nodes, a);
        int k = (int)((int64_t)halo_member(h, a, edge[i].from) * divided(h, ranks) / ranks);
        if (node != last_node || k != last_k) {
            at[result->n] = (halo_bundle){.edge = &edge[i]};
            assign_ranks(h, a, b, k, &at[result->n++]);
        }
        at[result->n - 1].n++;
        last_node = node;
        last_k = k;
    }
    return true;
}

/* ---- what is fresh, and pieces of the rest ---- */

/* What the third round has found for the receiver of these bundles. */
static const int64_t *read_fresh(const halo *h, const int64_t *at)
{
    for (int i = 0; i < h->in.n; i++)
        for (int k = 0; h->in.at[i].receiver == h->me && k < h->in.at[i].n; k++) {
            h->in.at[i].edge[k].fresh = *at++;
            h->in.at[i].edge[k].npieces = (int)*at++;
        }
    return at;
}

static const int64_t *take_pieces(halo_edge *e, const int64_t *at)
{
    e->piece = (const byte_range *)(const void *)at;
    return at + HALO_PIECE * e->npieces;
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
        for (int k = 0; h->in.at[i].receiver == h->me && k < h->in.at[i].n; k++)
            at = take_pieces(&h->in.at[i].edge[k], at);
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

    *h = (halo){.me = g->index, .most = most};
    if (!halo_nodes(&h->nodes, g, s))
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
    if (o->round > HALO_LISTS)
        r.at = read_fresh(h, r.at);
    if (o->round > HALO_LISTS + 1 && !read_pieces(h, edges, r.at, s))
        return false;
    place_blocks(&h->out);
    place_blocks(&h->in);
    return true;
}
