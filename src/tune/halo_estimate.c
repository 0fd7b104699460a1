/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_estimate.c - see halo_estimate.h. */
#include "tune/halo_estimate.h"

#include "algos/halo.h"
#include "tune/costs.h"

#include <stdlib.h>

/* What a rank of the node does in one stage, in messages and bytes, sent and received. */
typedef struct load {
    int64_t messages, out, in, copied;
} load;

enum { NOTHING, INSIDE, COLLECT, CROSS, HAND_OUT, STAGES };

typedef struct estimator {
    const constants *k;
    const halo *h;
    int ranks;        /* of the node */
    load *of[STAGES]; /* [ranks] each */
    bool *handed;     /* [ranks]: to whom, of one bundle */
    halo_leaving leaving;
} estimator;

int halo_forms(const topo *t, const algo_set *without, halo_form list[HALO_FORMS])
{
    int n = 0, most = topo_most_on_node(t);

    list[n++] = (halo_form){ALGO_neighbor_alltoall_linear, 0};
    if (t->nodes == 1 || most == 1)
        return n;
    if (!algo_set_has(without, ALGO_neighbor_alltoall_partner))
        list[n++] = (halo_form){ALGO_neighbor_alltoall_partner, 0};
    for (int k = 1; k < most && n < HALO_FORMS; k *= 2)
        if (!algo_set_has(without, ALGO_neighbor_alltoall_node))
            list[n++] = (halo_form){ALGO_neighbor_alltoall_node, k};
    return n;
}

/* ---- what each rank does ---- */

static load *load_of(const estimator *e, int stage, int rank)
{
    return &e->of[stage][halo_member(e->h, rank)];
}

static void count_sent(load *l, int64_t bytes)
{
    l->messages++;
    l->out += bytes;
}

static void count_received(load *l, int64_t bytes)
{
    l->messages++;
    l->in += bytes;
}

static void count_inside(estimator *e)
{
    for (int i = 0; i < e->ranks * e->ranks; i++)
        if (e->h->direct[i] > 0 && i / e->ranks != i % e->ranks) {
            count_sent(&e->of[INSIDE][i / e->ranks], e->h->direct[i]);
            count_received(&e->of[INSIDE][i % e->ranks], e->h->direct[i]);
        }
}

static void count_linear(estimator *e)
{
    for (int i = 0; i < e->h->out.n; i++)
        for (const halo_edge *x = e->h->out.at[i].edge;
             x < e->h->out.at[i].edge + e->h->out.at[i].n; x++) {
            count_sent(load_of(e, CROSS, x->from), x->length);
            e->leaving.messages++;
            e->leaving.bytes += x->length;
        }
    for (int i = 0; i < e->h->in.n; i++)
        for (const halo_edge *x = e->h->in.at[i].edge; x < e->h->in.at[i].edge + e->h->in.at[i].n;
             x++)
            count_received(load_of(e, CROSS, x->to), x->length);
}

/* What travels with edges inside the node costs no message. */
static void count_way(estimator *e, int from, int to, int64_t bytes)
{
    int message = halo_is_one_message(e->h, from, to) ? 0 : 1;

    e->of[COLLECT][from].messages += message;
    e->of[COLLECT][from].out += bytes;
    e->of[COLLECT][to].messages += message;
    e->of[COLLECT][to].in += bytes;
}

static void count_out(estimator *e)
{
    for (int i = 0; i < e->h->out.n; i++) {
        const halo_bundle *b = &e->h->out.at[i];
        int carrier = halo_member(e->h, b->carrier);
        for (int k = 0; halo_is_collected(b) && k < b->n; k++)
            if (b->edge[k].from == b->carrier)
                e->of[COLLECT][carrier].copied += b->edge[k].fresh;
        count_sent(&e->of[CROSS][carrier], b->length);
        e->leaving.messages++;
        e->leaving.bytes += b->length;
    }
    for (int i = 0; i < e->ranks * e->ranks; i++)
        if (e->h->collected[i] > 0)
            count_way(e, i / e->ranks, i % e->ranks, e->h->collected[i]);
}

/* A bundle, handed out by its receiver. */
static void count_handed_out(estimator *e, const halo_bundle *b)
{
    int receiver = halo_member(e->h, b->receiver);

    for (int i = 0; i < e->ranks; i++)
        e->handed[i] = false;
    for (int k = 0; k < b->n; k++) {
        int to = halo_member(e->h, b->edge[k].to);
        bool first = !e->handed[to];
        e->handed[to] = true;
        if (to == receiver) {
            e->of[HAND_OUT][to].copied += b->edge[k].length;
            continue;
        }
        e->of[HAND_OUT][to].messages += first;
        e->of[HAND_OUT][receiver].messages += first;
        e->of[HAND_OUT][to].in += b->edge[k].length;
        e->of[HAND_OUT][receiver].out += b->edge[k].length;
    }
}

/* What is fresh of what comes in only its source knows: as much as of what goes out. */
static void count_in(estimator *e)
{
    int64_t all = 0;

    for (int i = 0; i < e->h->out.n; i++)
        for (int k = 0; k < e->h->out.at[i].n; k++)
            all += e->h->out.at[i].edge[k].length;
    for (int i = 0; i < e->h->in.n; i++) {
        const halo_bundle *b = &e->h->in.at[i];
        int64_t bytes = 0;
        for (int k = 0; k < b->n; k++)
            bytes += b->edge[k].length;
        if (all > 0)
            bytes = (int64_t)((double)bytes * (double)e->leaving.bytes / (double)all);
        count_received(load_of(e, CROSS, b->receiver), bytes);
        count_handed_out(e, b);
    }
}

/* ---- how long that takes ---- */

static int64_t larger_number(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static const way_constants *way_of(const estimator *e, int stage)
{
    return &e->k->way[stage == CROSS ? WAY_NETWORK : WAY_NODE];
}

static int64_t rank_time(const estimator *e, int stage, int rank)
{
    const way_constants *way = way_of(e, stage);
    const load *l = &e->of[stage][rank];

    return l->messages * costs_time(way->overhead) +
           costs_work(larger_number(l->out, l->in), costs_rate(way->bandwidth)) +
           costs_work(l->copied, costs_rate(e->k->copy));
}

/* Of what all ranks share. *any: they do something. */
static int64_t shared_time(const estimator *e, int stage, bool *any)
{
    int64_t out = 0, in = 0;

    for (int i = 0; i < e->ranks; i++) {
        out += e->of[stage][i].out;
        in += e->of[stage][i].in;
        *any |= e->of[stage][i].messages > 0;
    }
    return costs_work(larger_number(out, in), costs_rate(way_of(e, stage)->shared));
}

/* Two stages at the same time. */
static int64_t stage_time(const estimator *e, int stage, int beside)
{
    bool any = false;
    int64_t longest = shared_time(e, stage, &any);

    for (int i = 0; i < e->ranks; i++)
        longest = larger_number(longest, rank_time(e, stage, i) + rank_time(e, beside, i));
    return longest + (any ? costs_time(way_of(e, stage)->latency) : 0);
}

static int64_t form_time(const estimator *e, bool linear)
{
    if (linear)
        return stage_time(e, CROSS, INSIDE);
    return stage_time(e, COLLECT, INSIDE) + stage_time(e, CROSS, NOTHING) +
           stage_time(e, HAND_OUT, NOTHING);
}

static int64_t count_shared(const halo *h)
{
    int64_t n = 0;

    for (int i = 0; i < h->out.n; i++)
        for (int k = 0; k < h->out.at[i].n; k++)
            n += h->out.at[i].edge[k].npieces > 0;
    return n;
}

static bool estimate_form(const coll *c, const topo *t, const constants *k, halo_form f,
                          int64_t *time, halo_leaving *leaving, int64_t *shared)
{
    sched_builder *s = sched_begin(c->p, FORM_STEP); /* for its memory */
    group everyone = {.size = c->p, .index = c->rank, .topo = t};
    algo_options o = {
        .neighbors = c->neighbors, .exchanged_sizes = c->exchanged_sizes, .round = HALO_LISTS};
    bool linear = f.algo == ALGO_neighbor_alltoall_linear, done;
    sched *none = NULL;
    halo h;
    estimator e = {.k = k, .h = &h};
    size_t ranks;

    if (!s)
        return false;
    done = halo_read(&h, f.algo == ALGO_neighbor_alltoall_node ? f.parameter : HALO_OF_SOURCES, &o,
                     &everyone, s);
    e.ranks = done ? region_size(&h.nodes, h.nodes.mine) : 0;
    ranks = (size_t)e.ranks;
    for (int i = 0; done && i < STAGES; i++)
        done = (e.of[i] = sched_borrow(s, ranks * sizeof *e.of[i]));
    done = done && (e.handed = sched_borrow(s, ranks * sizeof *e.handed));
    if (done)
        count_inside(&e);
    if (done && linear)
        count_linear(&e);
    if (done && !linear) {
        count_out(&e);
        count_in(&e);
    }
    *time = done ? form_time(&e, linear) : 0;
    *leaving = e.leaving;
    *shared = done ? count_shared(&h) : 0;
    done &= sched_commit(s, &none) == SCHED_OK;
    sched_free(none);
    return done;
}

bool halo_estimate(const coll *c, const topo *t, const constants *k, const halo_form *list, int n,
                   int64_t *time, halo_leaving *leaving, int64_t *shared)
{
    for (int i = 0; i < n; i++)
        if (!estimate_form(c, t, k, list[i], &time[i], &leaving[i], shared))
            return false;
    return true;
}

int halo_fastest(const int64_t *time, int n)
{
    int best = 0;

    for (int i = 1; i < n; i++)
        if (time[i] < time[best])
            best = i;
    return (double)time[best] < 0.9 * (double)time[0] ? best : 0;
}
