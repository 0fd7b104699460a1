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

/* ---- the exchange of lists ---- */

/* Numbers in a rank's list: how many edges it has, in two parts, and two for each. */
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
    const int *node; /* of each rank */
} reader;

/* How many edges the lists have in all, on both sides. */
static int count_edges(reader r)
{
    int n = 0;

    for (int k = 0; k < region_size(&r.h->nodes, r.h->nodes.mine); k++) {
        n += (int)(r.at[0] + r.at[1]);
        r.at += words_of(r.at);
    }
    return n;
}

/* Append those of one member and one side that leave the node and have data; returns how many. */
static int read_side(reader *r, int member, int n, bool out, halo_edge *to)
{
    bool mine = member == r->h->me;
    int added = 0;

    for (int i = 0; i < n; i++, r->at += 2) {
        int peer = (int)r->at[0], at = out || !mine ? i : r->mine->order[i];
        if (peer < 0 || r->at[1] == 0 || r->node[peer] == r->h->nodes.mine)
            continue;
        to[added++] = (halo_edge){.from = out ? member : peer,
                                  .to = out ? peer : member,
                                  .node = r->node[peer],
                                  .length = r->at[1],
                                  .at = mine ? at : -1,
                                  .position = i};
    }
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

/* How many bundles the blocks of so many ranks are divided into. */
static int divided(const halo *h, int ranks)
{
    return h->most != HALO_OF_SOURCES && h->most < ranks ? h->most : ranks;
}

/* Carrier and receiver of the k-th bundle from node a to node b: spread by the distance of the
 * nodes, which both know. */
static void assign_ranks(const halo *h, int a, int b, int k, halo_bundle *x)
{
    int ranks_a = region_size(&h->nodes, a), ranks_b = region_size(&h->nodes, b);
    int distance = wrap(b - a, h->nodes.n), n = divided(h, ranks_a);
    bool of_source = h->most == HALO_OF_SOURCES;
    int carrier = of_source ? k : (distance + k * ranks_a / n) % ranks_a;
    int receiver = (distance + (of_source ? k : k * ranks_b / n)) % ranks_b;

    x->carrier = region_rank(&h->nodes, a, carrier);
    x->receiver = region_rank(&h->nodes, b, receiver);
}

static void append_edge(const halo *h, halo_bundle *x, halo_edge *e)
{
    e->repeated = h->same && x->n > 0 && e[-1].from == e->from;
    e->offset = e->repeated ? e[-1].offset : x->length;
    x->length += e->repeated ? 0 : e->length;
    x->n++;
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
        int k = (int)((int64_t)member_of(h, a, edge[i].from) * divided(h, ranks) / ranks);
        if (node != last_node || k != last_k) {
            at[result->n] = (halo_bundle){.edge = &edge[i]};
            assign_ranks(h, a, b, k, &at[result->n++]);
        }
        append_edge(h, &at[result->n - 1], &edge[i]);
        last_node = node;
        last_k = k;
    }
    return true;
}

bool halo_read(halo *h, const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    reader r = {.at = o->exchanged_sizes, .h = h, .mine = o->neighbors, .node = g->topo->node};
    size_t bytes = (size_t)count_edges(r) * sizeof(halo_edge) + 1;
    halo_edge *out = sched_borrow(s, bytes), *in = sched_borrow(s, bytes);
    int nout = 0, nin = 0;

    if (!out || !in)
        return false;
    h->me = g->index;
    h->same = b->mine == 0;
    for (int k = 0; k < region_size(&h->nodes, h->nodes.mine); k++) {
        int member = region_rank(&h->nodes, h->nodes.mine, k), n = (int)r.at[0], m = (int)r.at[1];
        r.at += 2;
        nout += read_side(&r, member, n, true, out + nout);
        nin += read_side(&r, member, m, false, in + nin);
    }
    return make_bundles(h, out, nout, true, &h->out, s) &&
           make_bundles(h, in, nin, false, &h->in, s);
}
