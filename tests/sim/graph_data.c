/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_data.c - see graph_data.h. Memory failures abort: it is a test tool. */
#include "sim/graph_data.h"

#include "sim/must.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

enum { POISON = 0x5a, GAPS = 3 };

static int below(graph_data *w, int n)
{
    return (int)(sim_random(&w->seed) % (uint64_t)n);
}

/* ---- the graph ---- */

static int *shuffled(graph_data *w, int n)
{
    int *list = sim_zeroed((size_t)n, sizeof *list);

    for (int i = 0; i < n; i++) {
        int k = below(w, i + 1);
        list[i] = list[k];
        list[k] = i;
    }
    return list;
}

/* Some ranks have no edges out, others none in; a quarter of the edges is there up to four more
 * times, one up to `most` times. */
static void draw_edges(graph_data *w, int most)
{
    int wanted = below(w, 4 * w->p + 1);

    w->edges = sim_zeroed((size_t)(wanted * 5 + most), sizeof *w->edges);
    for (int i = 0; i < wanted; i++) {
        int from = below(w, w->p), to = below(w, 5) ? below(w, w->p) : from;
        int times = i == 0 ? 1 + below(w, most) : below(w, 4) ? 1 : 1 + below(w, 5);
        if (from % 7 == 3 || to % 7 == 4)
            continue;
        for (int k = 0; k < times; k++)
            w->edges[w->nedges++] = (edge){.from = from, .to = to};
    }
}

static int64_t length_of(graph_data *w, const edge *e)
{
    if (!coll_is_v(w->kind))
        return w->count;
    if (coll_shapes[w->kind].send == COLL_ONE) /* the sender decides */
        return w->count * (e->from % 4) / 2;
    return below(w, 4) ? 1 + below(w, (int)w->count + 1) : 0;
}

/* A list of so many neighbors and some nobodies; their positions are drawn: [edges]. */
static void open_side(graph_data *w, side *s, int degree, int **positions)
{
    int nobody = below(w, 3) ? 0 : below(w, 3);

    s->n = degree + nobody;
    s->peer = sim_zeroed((size_t)s->n, sizeof(int));
    s->edge = sim_zeroed((size_t)s->n, sizeof(int));
    s->counts = sim_zeroed((size_t)s->n, sizeof(int64_t));
    s->displs = sim_zeroed((size_t)s->n, sizeof(int64_t));
    *positions = shuffled(w, s->n);
    for (int i = 0; i < s->n; i++) {
        s->peer[i] = COLL_NOBODY;
        s->edge[i] = -1;
        s->counts[i] = w->count; /* of nobody: not looked at */
    }
}

static void draw_lists(graph_data *w, int rank)
{
    int out = 0, in = 0, *out_place, *in_place;

    for (int e = 0; e < w->nedges; e++) {
        out += w->edges[e].from == rank;
        in += w->edges[e].to == rank;
    }
    open_side(w, &w->out[rank], out, &out_place);
    open_side(w, &w->in[rank], in, &in_place);
    for (int e = 0, o = 0, i = 0; e < w->nedges; e++) {
        if (w->edges[e].from == rank)
            w->edges[e].out = out_place[o++];
        if (w->edges[e].to == rank)
            w->edges[e].in = in_place[i++];
    }
    free(out_place);
    free(in_place);
}

static void enter_edges(graph_data *w)
{
    for (int k = 0; k < w->nedges; k++) {
        edge *e = &w->edges[k];
        side *out = &w->out[e->from], *in = &w->in[e->to];
        e->length = length_of(w, e);
        out->peer[e->out] = e->to;
        in->peer[e->in] = e->from;
        out->edge[e->out] = in->edge[e->in] = k;
        out->counts[e->out] = in->counts[e->in] = e->length;
    }
}

/* ---- the order of matching ---- */

/* Any that is right: sources as they are drawn, but those that are one rank in the order in which
 * it sends. */
static void draw_order(graph_data *w, int rank)
{
    side *in = &w->in[rank];
    int *order = shuffled(w, in->n);

    for (int i = 0; i < in->n; i++)
        for (int k = i + 1; k < in->n; k++) {
            int a = in->edge[order[i]], b = in->edge[order[k]];
            if (a < 0 || b < 0 || w->edges[a].from != w->edges[b].from ||
                w->edges[a].out < w->edges[b].out)
                continue;
            int swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
    w->order[rank] = order;
}

/* ---- data ---- */

/* Do blocks of a sender have items in common? */
static bool is_crowded(const graph_data *w)
{
    return w->p % 2 == 1 && coll_shapes[w->kind].send >= COLL_LISTED;
}

static void set_blocks(graph_data *w, side *s, coll_extent extent)
{
    for (int i = 0; i < s->n; i++) {
        int k = extent >= COLL_LISTED ? (i + s->n / 2) % s->n : i;
        s->length += extent >= COLL_LISTED ? below(w, GAPS) : 0;
        s->displs[k] = s->length;
        s->length += s->counts[k];
    }
}

/* Blocks anywhere in the same few items. */
static void crowd_blocks(graph_data *w, side *s)
{
    for (int i = 0; i < s->n; i++) {
        int64_t end;
        if (s->edge[i] >= 0)
            s->displs[i] = below(w, (int)w->count + 2);
        end = s->displs[i] + s->counts[i];
        s->length = end > s->length ? end : s->length;
    }
}

/* The same of blocks that a type makes of items: each lies apart, and its items have places that
 * others have, too. */
static void crowd_typed(graph_data *w, edge *e)
{
    int64_t left = e->length;

    for (int k = 0; k < GRAPH_RANGES && left > 0; k++) {
        int64_t n = k == GRAPH_RANGES - 1 ? left : 1 + below(w, (int)left);
        e->range[k] = (byte_range){below(w, 2 * (int)w->count + 2), n};
        left -= n;
    }
}

static void place_items(graph_data *w, edge *e)
{
    coll_extent extent = coll_shapes[w->kind].send;

    e->range[0] = (byte_range){extent == COLL_ONE ? 0 : w->out[e->from].displs[e->out], e->length};
    if (extent == COLL_TYPED && is_crowded(w))
        crowd_typed(w, e);
}

static uint64_t *poisoned(int64_t n)
{
    uint64_t *buffer = sim_zeroed((size_t)n, sizeof *buffer);

    memset(buffer, POISON, ((size_t)n + 1) * sizeof *buffer);
    return buffer;
}

/* One block, for all. */
static void fill_one(graph_data *w, int rank)
{
    side *s = &w->out[rank];
    edge e = {.from = rank};

    s->length = length_of(w, &e);
    s->buffer = poisoned(s->length);
    for (int64_t i = 0; i < s->length; i++)
        s->buffer[i] = (uint64_t)rank << 32 | (uint64_t)i;
}

static void fill_block(const edge *e, uint64_t *to)
{
    for (int k = 0; k < GRAPH_RANGES; k++)
        for (int64_t i = 0; i < e->range[k].length; i++)
            *to++ = (uint64_t)e->from << 32 | (uint64_t)(e->range[k].at + i);
}

static void fill_side(const graph_data *w, const side *s, uint64_t *buffer)
{
    for (int k = 0; k < s->n; k++)
        if (s->edge[k] >= 0)
            fill_block(&w->edges[s->edge[k]], buffer + s->displs[k]);
}

static void place_blocks(graph_data *w, int rank)
{
    const coll_shape *shape = &coll_shapes[w->kind];

    if (shape->send == COLL_LISTED && is_crowded(w))
        crowd_blocks(w, &w->out[rank]);
    else if (shape->send != COLL_ONE)
        set_blocks(w, &w->out[rank], shape->send);
    set_blocks(w, &w->in[rank], shape->recv);
}

static void fill(graph_data *w, int rank)
{
    if (coll_shapes[w->kind].send == COLL_ONE) {
        fill_one(w, rank);
    } else {
        w->out[rank].buffer = poisoned(w->out[rank].length);
        fill_side(w, &w->out[rank], w->out[rank].buffer);
    }
    w->in[rank].buffer = poisoned(w->in[rank].length);
    w->expected[rank] = poisoned(w->in[rank].length);
    fill_side(w, &w->in[rank], w->expected[rank]);
}

void graph_data_make(graph_data *w, coll_kind kind, int p, int count, int most, uint64_t seed)
{
    *w = (graph_data){.p = p, .kind = kind, .count = count, .seed = seed};
    w->out = sim_zeroed((size_t)p, sizeof *w->out);
    w->in = sim_zeroed((size_t)p, sizeof *w->in);
    w->order = sim_zeroed((size_t)p, sizeof *w->order);
    w->expected = sim_zeroed((size_t)p, sizeof *w->expected);
    draw_edges(w, most);
    for (int r = 0; r < p; r++)
        draw_lists(w, r);
    enter_edges(w);
    for (int r = 0; r < p; r++) {
        draw_order(w, r);
        place_blocks(w, r);
    }
    for (int k = 0; k < w->nedges; k++)
        place_items(w, &w->edges[k]);
    for (int r = 0; r < p; r++)
        fill(w, r);
}

/* ---- the calls ---- */

static int64_t block_sent(const graph_data *w, int rank)
{
    return coll_shapes[w->kind].send == COLL_ONE ? w->out[rank].length : w->count;
}

static coll_side side_in_call(const side *s, coll_extent extent, int64_t block)
{
    if (extent >= COLL_LISTED)
        return (coll_side){.counts = s->counts, .displs = s->displs};
    return (coll_side){.count = block > 0};
}

coll graph_data_call(const graph_data *w, int rank, coll_neighbors *n)
{
    const coll_shape *shape = &coll_shapes[w->kind];
    const side *out = &w->out[rank], *in = &w->in[rank];

    *n = (coll_neighbors){.nsources = in->n,
                          .ndestinations = out->n,
                          .sources = in->peer,
                          .destinations = out->peer,
                          .order = w->order[rank]};
    return (coll){.kind = w->kind,
                  .p = w->p,
                  .rank = rank,
                  .neighbors = n,
                  .send = side_in_call(out, shape->send, block_sent(w, rank)),
                  .recv = side_in_call(in, shape->recv, w->count)};
}

int64_t graph_data_sent(const graph_data *w, int rank)
{
    return coll_shapes[w->kind].send >= COLL_LISTED ? 1 : block_sent(w, rank);
}

int64_t graph_data_received(const graph_data *w)
{
    return coll_shapes[w->kind].recv >= COLL_LISTED ? 1 : w->count;
}

bool graph_data_arrived(const graph_data *w)
{
    for (int r = 0; r < w->p; r++) {
        const side *in = &w->in[r];
        size_t bytes = ((size_t)in->length + 1) * sizeof *in->buffer;
        if (memcmp(in->buffer, w->expected[r], bytes) != 0)
            return false;
    }
    return true;
}

static void side_close(side *s)
{
    free(s->peer);
    free(s->edge);
    free(s->counts);
    free(s->displs);
    free(s->buffer);
}

void graph_data_free(graph_data *w)
{
    for (int r = 0; r < w->p; r++) {
        side_close(&w->out[r]);
        side_close(&w->in[r]);
        free(w->order[r]);
        free(w->expected[r]);
    }
    free(w->out);
    free(w->in);
    free(w->order);
    free(w->expected);
    free(w->edges);
}
