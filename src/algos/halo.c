/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.c - see halo.h: which bundles there are. */
#include "algos/halo.h"

#include <stdlib.h>

bool halo_nodes(regions *nodes, const group *g, sched_builder *s)
{
    const topo *t = g->topo;

    for (int i = 0; t && i < t->nlevels; i++)
        if (t->level[i].kind == TOPO_NODE)
            return regions_make(nodes, g, i, s);
    return false;
}

/* ---- what the ranks of a node say to each other ---- */

/* Numbers that a rank has to say: two and two for each edge. */
static int64_t words_of(const int64_t counts[2])
{
    return 2 + 2 * (counts[0] + counts[1]);
}

void halo_size_exchange(const algo_options *o, const group *g, sched_builder *s)
{
    const int64_t *counts = o->exchanged_sizes;
    int64_t own[2] = {o->neighbors->ndestinations, o->neighbors->nsources};
    regions nodes;
    interval mine = interval_make(SPACE_SEND, 0, counts ? words_of(own) : 2);
    int64_t at = 0;

    if (!halo_nodes(&nodes, g, s))
        return;
    for (int k = 0; k < region_size(&nodes, nodes.mine); k++) {
        int rank = region_rank(&nodes, nodes.mine, k);
        interval theirs = interval_make(SPACE_RECV, at, counts ? words_of(counts + 2 * k) : 2);
        if (rank == g->index) {
            sched_copy(s, mine, theirs);
        } else {
            sched_recv(s, theirs, rank);
            sched_send(s, mine, rank);
        }
        at = interval_end(theirs);
    }
}

/* ---- the edges of my node ---- */

typedef struct reader {
    const int64_t *at;
    const halo *h;
    const coll_neighbors *mine;
} reader;

static int node_of(const halo *h, const group *g, int rank)
{
    return rank < 0 ? h->nodes.mine : g->topo->node[rank];
}

/* How many edges the lists have in all, on both sides. */
static int count_edges(reader r)
{
    int n = 0;

    for (int k = 0; k < region_size(&r.h->nodes, r.h->nodes.mine); k++) {
        int both = (int)(r.at[0] + r.at[1]);
        n += both;
        r.at += 2 + 2 * both;
    }
    return n;
}

/* Those of one member and one side that leave the node and have data: appended. */
static int read_side(reader *r, const group *g, int member, int n, bool out, halo_edge *to)
{
    int added = 0;

    for (int i = 0; i < n; i++, r->at += 2) {
        int peer = (int)r->at[0];
        if (r->at[1] == 0 || node_of(r->h, g, peer) == r->h->nodes.mine)
            continue;
        to[added++] = (halo_edge){.from = out ? member : peer,
                                  .to = out ? peer : member,
                                  .length = r->at[1],
                                  .at = member != r->h->me ? -1
                                        : out              ? i
                                                           : r->mine->order[i]};
    }
    return added;
}

/* ---- their order ---- */

typedef struct sorted_edge {
    halo_edge e;
    int node, position; /* of the other end; in the lists: what is equal stays in their order */
} sorted_edge;

static int compare_edges(const void *a, const void *b)
{
    const sorted_edge *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->e.from != y->e.from)
        return x->e.from < y->e.from ? -1 : 1;
    if (x->e.to != y->e.to)
        return x->e.to < y->e.to ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

static bool sort_edges(const halo *h, const group *g, halo_edge *edges, int n, bool out,
                       sched_builder *s)
{
    sorted_edge *sorted = sched_borrow(s, (size_t)n * sizeof *sorted + 1);

    if (!sorted)
        return false;
    for (int i = 0; i < n; i++)
        sorted[i] = (sorted_edge){edges[i], node_of(h, g, out ? edges[i].to : edges[i].from), i};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_edges);
    for (int i = 0; i < n; i++)
        edges[i] = sorted[i].e;
    return true;
}

/* ---- bundles ---- */

/* Position of a rank among those of its node. */
static int member_of(const halo *h, int node, int rank)
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

/* Carrier and receiver of the k-th bundle of n from node a to node b: spread by the distance of the
 * nodes, which both know. source: member of a, of the bundle's first block. */
static void assign(const halo *h, const halo_form *f, int a, int b, int k, int n, int source,
                   halo_bundle *x)
{
    int ranks_a = region_size(&h->nodes, a), ranks_b = region_size(&h->nodes, b);
    int distance = wrap(b - a, h->nodes.n);
    int carrier = f->carries_own ? source : (distance + k * ranks_a / n) % ranks_a;
    int receiver = (distance + (f->carries_own ? source : k * ranks_b / n)) % ranks_b;

    x->carrier = region_rank(&h->nodes, a, carrier);
    x->receiver = region_rank(&h->nodes, b, receiver);
}

static int other_node(const halo *h, const group *g, const halo_edge *e, bool out)
{
    return node_of(h, g, out ? e->to : e->from);
}

/* Number of the bundle that a source's blocks are in. */
static int bundle_of(const halo *h, int node, int n, int rank)
{
    return (int)((int64_t)member_of(h, node, rank) * n / region_size(&h->nodes, node));
}

/* One edge more. */
static void add_edge(const halo *h, halo_bundle *x, halo_edge *e)
{
    e->repeated = h->same && x->n > 0 && e[-1].from == e->from;
    e->offset = e->repeated ? e[-1].offset : x->length;
    x->length += e->repeated ? 0 : e->length;
    x->n++;
}

static bool make_bundles(const halo *h, const halo_form *f, const algo_options *o, const group *g,
                         halo_edge *edge, int n, bool out, halo_bundles *result, sched_builder *s)
{
    halo_bundle *at = sched_borrow(s, (size_t)n * sizeof *at + 1);
    int last = -1, last_k = -1;

    if (!at)
        return false;
    *result = (halo_bundles){at, 0};
    for (int i = 0; i < n; i++) {
        int other = other_node(h, g, &edge[i], out);
        int a = out ? h->nodes.mine : other, b = out ? other : h->nodes.mine;
        int divided = f->bundles(region_size(&h->nodes, a), o->parameter);
        int k = bundle_of(h, a, divided, edge[i].from);
        if (other != last || k != last_k) {
            halo_bundle *x = &at[result->n++];
            *x = (halo_bundle){.node = other, .edge = &edge[i]};
            assign(h, f, a, b, k, divided, member_of(h, a, edge[i].from), x);
        }
        add_edge(h, &at[result->n - 1], &edge[i]);
        last = other;
        last_k = k;
    }
    return true;
}

bool halo_read(halo *h, const halo_form *f, const algo_options *o, const group *g,
               const blockmap *b, sched_builder *s)
{
    reader r = {.at = o->exchanged_sizes, .h = h, .mine = o->neighbors};
    halo_edge *out, *in;
    int nout = 0, nin = 0, most;

    h->me = g->index;
    h->same = b->mine == 0;
    most = count_edges(r);
    out = sched_borrow(s, (size_t)most * sizeof *out + 1);
    in = sched_borrow(s, (size_t)most * sizeof *in + 1);
    if (!out || !in)
        return false;
    for (int k = 0; k < region_size(&h->nodes, h->nodes.mine); k++) {
        int member = region_rank(&h->nodes, h->nodes.mine, k), n = (int)r.at[0], m = (int)r.at[1];
        r.at += 2;
        nout += read_side(&r, g, member, n, true, out + nout);
        nin += read_side(&r, g, member, m, false, in + nin);
    }
    return sort_edges(h, g, out, nout, true, s) && sort_edges(h, g, in, nin, false, s) &&
           make_bundles(h, f, o, g, out, nout, true, &h->out, s) &&
           make_bundles(h, f, o, g, in, nin, false, &h->in, s);
}
