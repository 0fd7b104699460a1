/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_steps.c - see halo.h: the steps of one rank. Between two ranks of a node messages come in
 * this order: edges inside the node, blocks for carriers, blocks from receivers. The first two are
 * one message where both are short.
 */
#include "algos/halo.h"
#include "algos/neighbors.h"

typedef struct maker {
    const halo *h;
    const blockmap *b;
    const coll_neighbors *neighbors;
    sched_builder *s;
} maker;

static interval block_sent(const maker *m, const halo_edge *e)
{
    return m->b->mine == 0 ? m->b->own : row_at(&m->b->out, e->at);
}

static interval in_bundle(const halo_bundle *x, int64_t offset, int64_t length)
{
    return interval_make(SPACE_SCRATCH, x->data.offset + offset, length);
}

/* What is fresh of a block of mine that is not fresh as a whole, piece by piece. to: the bundle, if
 * I carry it; NULL: it is added to the open message. */
static void take_fresh_pieces(const maker *m, const halo_edge *e, const halo_bundle *to)
{
    int64_t at = e->packed, done = e->part;

    for (int i = 0; i < e->npieces; i++) {
        const byte_range *r = &e->piece[i];
        int64_t end = e->part + r->at + r->length, from = end - r->length;
        from = from < e->offset ? e->offset : from;
        from = from < done ? done : from;
        if (from < end) {
            interval fresh =
                interval_make(SPACE_SCRATCH, at + r->length - (end - from), end - from);
            if (to)
                sched_copy(m->s, fresh, in_bundle(to, from, end - from));
            else
                sched_add(m->s, fresh);
            done = end;
        }
        at += r->length;
    }
}

/* A block of mine, as far as it is fresh; to as above. */
static void take_fresh(const maker *m, const halo_edge *e, const halo_bundle *to)
{
    if (e->fresh > 0 && e->fresh < e->length)
        take_fresh_pieces(m, e, to);
    else if (e->fresh > 0 && to)
        sched_copy(m->s, block_sent(m, e), in_bundle(to, e->offset, e->length));
    else if (e->fresh > 0)
        sched_add(m->s, block_sent(m, e));
}

static void add_mine(const maker *m, const halo_bundle *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->edge[i]->from == m->h->me)
            take_fresh(m, x->edge[i], NULL);
}

/* ---- inside the node of the sources ---- */

/* Blocks of mine that are not fresh as a whole: what is fresh of them is taken from a copy. */
static void pack_blocks(const maker *m)
{
    for (int i = 0; i < m->h->out.n; i++)
        for (int k = 0; k < m->h->out.at[i].n; k++) {
            halo_edge *e = m->h->out.at[i].edge[k];
            if (e->from != m->h->me || e->fresh == 0 || e->fresh == e->length)
                continue;
            interval copy = sched_scratch(m->s, e->length);
            e->packed = copy.offset;
            sched_copy(m->s, block_sent(m, e), copy);
        }
}

/* With direct ones, if they go together. */
static void send_to_carrier(const maker *m, int carrier, bool together)
{
    const coll_neighbors *n = m->neighbors;

    sched_open(m->s, STEP_SEND, carrier);
    for (int i = 0; together && i < n->ndestinations; i++)
        if (n->destinations[i] == carrier)
            sched_add(m->s, m->b->mine == 0 ? m->b->own : row_at(&m->b->out, i));
    for (int i = 0; i < m->h->out.n; i++)
        if (m->h->out.at[i].carrier == carrier)
            add_mine(m, &m->h->out.at[i]);
    sched_close(m->s);
}

/* What is fresh of a source lies together. */
static void receive_as_carrier(const maker *m, int source, bool together)
{
    const coll_neighbors *n = m->neighbors;

    sched_open(m->s, STEP_RECV, source);
    for (int i = 0; together && i < n->nsources; i++)
        if (n->sources[n->order[i]] == source)
            sched_add(m->s, row_at(&m->b->in, n->order[i]));
    for (int i = 0; i < m->h->out.n; i++) {
        const halo_bundle *x = &m->h->out.at[i];
        for (int k = 0; x->carrier == m->h->me && k < x->n; k++)
            if (x->edge[k]->from == source)
                sched_add(m->s, in_bundle(x, x->edge[k]->offset, x->edge[k]->fresh));
    }
    sched_close(m->s);
}

/* Edges inside the node, but for those that travel with blocks for a carrier. */
static void exchange_inside(const maker *m, const algo_options *o, const group *g)
{
    int n = region_size(&m->h->nodes, m->h->nodes.mine);
    bool *out = sched_borrow(m->s, (size_t)g->size * sizeof *out);
    bool *in = sched_borrow(m->s, (size_t)g->size * sizeof *in);

    if (!out || !in)
        return;
    for (int k = 0; k < n; k++) {
        int rank = region_rank(&m->h->nodes, m->h->nodes.mine, k);
        out[rank] = !halo_is_one_message(m->h, m->h->nodes.index, k);
        in[rank] = !halo_is_one_message(m->h, k, m->h->nodes.index);
    }
    neighbors_linear(o, g, m->b, out, in, m->s);
}

static void copy_own(const maker *m, const halo_bundle *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->edge[i]->from == m->h->me)
            take_fresh(m, x->edge[i], x);
}

static void collect(const maker *m)
{
    const halo *h = m->h;
    int n = region_size(&h->nodes, h->nodes.mine);

    for (int i = 0; i < h->out.n; i++) {
        halo_bundle *x = &h->out.at[i];
        if (x->carrier != h->me || !halo_is_collected(x))
            continue;
        x->data = sched_scratch(m->s, x->length);
        copy_own(m, x);
    }
    for (int k = 0; k < n; k++) {
        int rank = region_rank(&h->nodes, h->nodes.mine, k);
        if (rank == h->me)
            continue;
        send_to_carrier(m, rank, halo_is_one_message(h, h->nodes.index, k));
        receive_as_carrier(m, rank, halo_is_one_message(h, k, h->nodes.index));
    }
}

/* ---- between nodes ---- */

static bool is_for_me_alone(const halo *h, const halo_bundle *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->edge[i]->to != h->me || x->edge[i]->npieces > 0)
            return false;
    return true;
}

static void cross_nodes(const maker *m)
{
    const halo *h = m->h;

    for (int i = 0; i < h->in.n; i++) {
        halo_bundle *x = &h->in.at[i];
        if (x->receiver != h->me)
            continue;
        if (!is_for_me_alone(h, x)) {
            x->data = sched_scratch(m->s, x->length);
            sched_recv(m->s, x->data, x->carrier);
            continue;
        }
        sched_open(m->s, STEP_RECV, x->carrier);
        for (int k = 0; k < x->n; k++)
            sched_add(m->s, row_at(&m->b->in, x->edge[k]->at));
        sched_close(m->s);
    }
    for (int i = 0; i < h->out.n; i++) {
        const halo_bundle *x = &h->out.at[i];
        if (x->carrier != h->me)
            continue;
        if (halo_is_collected(x)) {
            sched_send(m->s, x->data, x->receiver);
            continue;
        }
        sched_open(m->s, STEP_SEND, x->receiver);
        add_mine(m, x);
        sched_close(m->s);
    }
}

/* ---- inside the node of the destinations ---- */

/* The i-th range of a block in its bundle; there is at least one. */
static interval range_of(const halo_bundle *x, const halo_edge *e, int i)
{
    if (e->npieces == 0)
        return in_bundle(x, e->offset, e->length);
    return in_bundle(x, e->part + e->piece[i].at, e->piece[i].length);
}

static int ranges_of(const halo_edge *e)
{
    return e->npieces > 0 ? e->npieces : 1;
}

static void hand_to_other(const maker *m, const halo_bundle *x, int to)
{
    sched_open(m->s, STEP_SEND, to);
    for (int i = 0; i < x->n; i++)
        for (int k = 0; x->edge[i]->to == to && k < ranges_of(x->edge[i]); k++)
            sched_add(m->s, range_of(x, x->edge[i], k));
    sched_close(m->s);
}

/* A block is received as a whole, whatever its type is. */
static void keep_block(const maker *m, const halo_bundle *x, const halo_edge *e)
{
    interval whole = range_of(x, e, 0);

    if (ranges_of(e) > 1) {
        whole = sched_scratch(m->s, e->length);
        for (int64_t k = 0, at = whole.offset; k < e->npieces; at += e->piece[k++].length)
            sched_copy(m->s, range_of(x, e, (int)k),
                       interval_make(SPACE_SCRATCH, at, e->piece[k].length));
    }
    sched_copy(m->s, whole, row_at(&m->b->in, e->at));
}

static void hand_out(const maker *m, const halo_bundle *x)
{
    const halo *h = m->h;

    for (int k = 0; k < region_size(&h->nodes, h->nodes.mine); k++) {
        int to = region_rank(&h->nodes, h->nodes.mine, k);
        if (to != h->me)
            hand_to_other(m, x, to);
    }
    for (int i = 0; i < x->n; i++)
        if (x->edge[i]->to == h->me)
            keep_block(m, x, x->edge[i]);
}

static void receive_handed_out(const maker *m, const halo_bundle *x)
{
    sched_open(m->s, STEP_RECV, x->receiver);
    for (int i = 0; i < x->n; i++)
        if (x->edge[i]->to == m->h->me)
            sched_add(m->s, row_at(&m->b->in, x->edge[i]->at));
    sched_close(m->s);
}

static void distribute(const maker *m)
{
    for (int i = 0; i < m->h->in.n; i++) {
        const halo_bundle *x = &m->h->in.at[i];
        if (x->receiver != m->h->me)
            receive_handed_out(m, x);
        else if (!is_for_me_alone(m->h, x))
            hand_out(m, x);
    }
}

void halo_compile(int split, const algo_options *o, const group *g, const blockmap *b,
                  sched_builder *s)
{
    halo h;
    maker m = {&h, b, o->neighbors, s};

    if (!o->exchanged_sizes || !g->topo || g->topo->nodes == 1) {
        neighbors_linear(o, g, b, NULL, NULL, s);
        return;
    }
    if (!halo_read(&h, split, o, g, s))
        return;
    exchange_inside(&m, o, g);
    pack_blocks(&m);
    collect(&m);
    cross_nodes(&m);
    distribute(&m);
}
