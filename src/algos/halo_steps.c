/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_steps.c - see halo.h: the steps of one rank. Between two ranks of a node messages come in
 * this order: edges inside the node, blocks for carriers, blocks from receivers.
 */
#include "algos/halo.h"
#include "algos/neighbors.h"

typedef struct maker {
    const halo *h;
    const blockmap *b;
    sched_builder *s;
} maker;

static interval block_sent(const maker *m, const halo_edge *e)
{
    return m->h->same ? m->b->own : row_at(&m->b->out, e->at);
}

static interval block_in(const halo_bundle *x, const halo_edge *e)
{
    return interval_make(SPACE_SCRATCH, x->data.offset + e->offset, e->length);
}

/* Blocks of this source, as it sends them, or where they lie at the carrier. */
static void add_source(const maker *m, const halo_bundle *x, int source, bool sent)
{
    for (int i = 0; i < x->n; i++)
        if (x->edge[i].from == source && !x->edge[i].repeated)
            sched_add(m->s, sent ? block_sent(m, &x->edge[i]) : block_in(x, &x->edge[i]));
}

/* ---- inside the node of the sources ---- */

static void send_to_carrier(const maker *m, int carrier)
{
    sched_open(m->s, STEP_SEND, carrier);
    for (int i = 0; i < m->h->out.n; i++)
        if (m->h->out.at[i].carrier == carrier)
            add_source(m, &m->h->out.at[i], m->h->me, true);
    sched_close(m->s);
}

static void receive_as_carrier(const maker *m, int source)
{
    sched_open(m->s, STEP_RECV, source);
    for (int i = 0; i < m->h->out.n; i++)
        if (m->h->out.at[i].carrier == m->h->me)
            add_source(m, &m->h->out.at[i], source, false);
    sched_close(m->s);
}

static void copy_own(const maker *m, const halo_bundle *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->edge[i].from == m->h->me && !x->edge[i].repeated)
            sched_copy(m->s, block_sent(m, &x->edge[i]), block_in(x, &x->edge[i]));
}

/* Has the bundle blocks of others than its carrier? */
static bool is_joined(const halo_bundle *x)
{
    return x->edge[0].from != x->carrier || x->edge[x->n - 1].from != x->carrier;
}

static void collect(const maker *m)
{
    const halo *h = m->h;
    int n = region_size(&h->nodes, h->nodes.mine);

    for (int i = 0; i < h->out.n; i++) {
        halo_bundle *x = &h->out.at[i];
        if (x->carrier != h->me || !is_joined(x))
            continue;
        x->data = sched_scratch(m->s, x->length);
        copy_own(m, x);
    }
    for (int k = 0; k < n; k++) {
        int rank = region_rank(&h->nodes, h->nodes.mine, k);
        if (rank == h->me)
            continue;
        send_to_carrier(m, rank);
        receive_as_carrier(m, rank);
    }
}

/* ---- between nodes ---- */

static bool is_for_me_alone(const halo *h, const halo_bundle *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->edge[i].to != h->me || x->edge[i].repeated)
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
            sched_add(m->s, row_at(&m->b->in, x->edge[k].at));
        sched_close(m->s);
    }
    for (int i = 0; i < h->out.n; i++) {
        const halo_bundle *x = &h->out.at[i];
        if (x->carrier != h->me)
            continue;
        if (is_joined(x)) {
            sched_send(m->s, x->data, x->receiver);
            continue;
        }
        sched_open(m->s, STEP_SEND, x->receiver);
        add_source(m, x, h->me, true);
        sched_close(m->s);
    }
}

/* ---- inside the node of the destinations ---- */

static void hand_out(const maker *m, const halo_bundle *x)
{
    const halo *h = m->h;
    int n = region_size(&h->nodes, h->nodes.mine);

    for (int k = 0; k < n; k++) {
        int to = region_rank(&h->nodes, h->nodes.mine, k);
        if (to == h->me)
            continue;
        sched_open(m->s, STEP_SEND, to);
        for (int i = 0; i < x->n; i++)
            if (x->edge[i].to == to)
                sched_add(m->s, block_in(x, &x->edge[i]));
        sched_close(m->s);
    }
    for (int i = 0; i < x->n; i++)
        if (x->edge[i].to == h->me)
            sched_copy(m->s, block_in(x, &x->edge[i]), row_at(&m->b->in, x->edge[i].at));
}

static void receive_handed_out(const maker *m, const halo_bundle *x)
{
    sched_open(m->s, STEP_RECV, x->receiver);
    for (int i = 0; i < x->n; i++)
        if (x->edge[i].to == m->h->me)
            sched_add(m->s, row_at(&m->b->in, x->edge[i].at));
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

void halo_compile(int most, const algo_options *o, const group *g, const blockmap *b,
                  sched_builder *s)
{
    halo h = {.most = most};
    maker m = {&h, b, s};

    if (!o->exchanged_sizes || !halo_nodes(&h.nodes, g, s)) {
        neighbors_linear(o, g, b, NULL, s);
        return;
    }
    if (!halo_read(&h, o, g, b, s))
        return;
    neighbors_linear(o, g, b, g->topo->node, s);
    collect(&m);
    cross_nodes(&m);
    distribute(&m);
}
