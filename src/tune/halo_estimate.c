/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_estimate.c - see halo_estimate.h. */
#include "tune/halo_estimate.h"

#include "algos/halo.h"
#include "tune/costs.h"

#include <string.h>

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
    int *handed;      /* [ranks]: the last bundle that it got blocks of, from 1 */
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
    for (int i = 0; i < e->h->leaving.n; i++) {
        const halo_edge *x = e->h->leaving.listed[i];
        count_sent(&e->of[CROSS][x->from_at], x->length);
        e->leaving.messages++;
        e->leaving.bytes += x->length;
    }
    for (int i = 0; i < e->h->coming.n; i++) {
        const halo_edge *x = e->h->coming.listed[i];
        count_received(&e->of[CROSS][x->to_at], x->length);
    }
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
            if (b->edge[k]->from == b->carrier)
                e->of[COLLECT][carrier].copied += b->edge[k]->fresh;
        count_sent(&e->of[CROSS][carrier], b->length);
        e->leaving.messages++;
        e->leaving.bytes += b->length;
    }
    for (int i = 0; i < e->ranks * e->ranks; i++)
        if (e->h->collected[i] > 0)
            count_way(e, i / e->ranks, i % e->ranks, e->h->collected[i]);
}

/* The bundle of this number, from 1, handed out by its receiver. */
static void count_handed_out(estimator *e, const halo_bundle *b, int number, int receiver)
{
    for (int k = 0; k < b->n; k++) {
        int to = b->edge[k]->to_at;
        bool first = e->handed[to] != number;
        e->handed[to] = number;
        if (to == receiver) {
            e->of[HAND_OUT][to].copied += b->edge[k]->length;
            continue;
        }
        e->of[HAND_OUT][to].messages += first;
        e->of[HAND_OUT][receiver].messages += first;
        e->of[HAND_OUT][to].in += b->edge[k]->length;
        e->of[HAND_OUT][receiver].out += b->edge[k]->length;
    }
}

/* What is fresh of what comes in only its source knows: as much as of what goes out. */
static void count_in(estimator *e)
{
    int64_t all = 0;

    for (int i = 0; i < e->h->leaving.n; i++)
        all += e->h->leaving.listed[i]->length;
    for (int i = 0; i < e->h->in.n; i++) {
        const halo_bundle *b = &e->h->in.at[i];
        int receiver = halo_member(e->h, b->receiver);
        int64_t bytes = 0;
        for (int k = 0; k < b->n; k++)
            bytes += b->edge[k]->length;
        if (all > 0)
            bytes = (int64_t)((double)bytes * (double)e->leaving.bytes / (double)all);
        count_received(&e->of[CROSS][receiver], bytes);
        count_handed_out(e, b, i + 1, receiver);
    }
}

/* ---- how long that takes ---- */

static const way_constants *way_of(const estimator *e, int stage)
{
    return &e->k->way[stage == CROSS ? WAY_NETWORK : WAY_NODE];
}

static int64_t rank_time(const estimator *e, int stage, int rank)
{
    const way_constants *way = way_of(e, stage);
    const load *l = &e->of[stage][rank];

    return l->messages * costs_time(way->overhead) +
           costs_work(costs_larger(l->out, l->in), costs_rate(way->bandwidth)) +
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
    return costs_work(costs_larger(out, in), costs_rate(way_of(e, stage)->shared));
}

/* Two stages at the same time. */
static int64_t stage_time(const estimator *e, int stage, int beside)
{
    bool any = false;
    int64_t longest = shared_time(e, stage, &any);

    for (int i = 0; i < e->ranks; i++)
        longest = costs_larger(longest, rank_time(e, stage, i) + rank_time(e, beside, i));
    return longest + (any ? costs_time(way_of(e, stage)->latency) : 0);
}

static int64_t form_time(const estimator *e, bool linear)
{
    if (linear)
        return stage_time(e, CROSS, INSIDE);
    return stage_time(e, COLLECT, INSIDE) + stage_time(e, CROSS, NOTHING) +
           stage_time(e, HAND_OUT, NOTHING);
}

static bool allocate(estimator *e, sched_builder *s)
{
    size_t ranks = (size_t)e->ranks;

    e->of[0] = sched_borrow(s, STAGES * ranks * sizeof *e->of[0]);
    e->handed = sched_borrow(s, ranks * sizeof *e->handed);
    for (int i = 1; e->of[0] && i < STAGES; i++)
        e->of[i] = e->of[i - 1] + ranks;
    return e->of[0] && e->handed;
}

static bool estimate_form(estimator *e, halo *h, halo_form f, int64_t *time, sched_builder *s)
{
    bool linear = f.algo == ALGO_neighbor_alltoall_linear;
    int split = f.algo == ALGO_neighbor_alltoall_node ? f.parameter : HALO_OF_SOURCES;

    if (!linear && !halo_make_bundles(h, split, s))
        return false;
    memset(e->of[0], 0, STAGES * (size_t)e->ranks * sizeof *e->of[0]);
    memset(e->handed, 0, (size_t)e->ranks * sizeof *e->handed);
    e->leaving = (halo_leaving){0};
    count_inside(e);
    if (linear) {
        count_linear(e);
    } else {
        count_out(e);
        count_in(e);
    }
    *time = form_time(e, linear);
    return true;
}

bool halo_estimate(const coll *c, const topo *t, const constants *k, const halo_form *list, int n,
                   int first, int step, int64_t *time, halo_leaving *leaving)
{
    sched_builder *s = sched_begin(c->p, FORM_STEP); /* for its memory */
    group everyone = {.size = c->p, .index = c->rank, .topo = t};
    algo_options o = {
        .neighbors = c->neighbors, .exchanged_sizes = c->exchanged_sizes, .round = HALO_LISTS};
    sched *none = NULL;
    halo h;
    estimator e = {.k = k, .h = &h};
    bool done = s && halo_read_edges(&h, HALO_ALL_EDGES, &o, &everyone, s);

    if (!s)
        return false;
    e.ranks = done ? halo_members(&h) : 0;
    done = done && allocate(&e, s);
    for (int i = first; done && i < n; i += step) {
        done = estimate_form(&e, &h, list[i], &time[i], s);
        leaving[i] = e.leaving;
    }
    done &= sched_commit(s, &none) == SCHED_OK;
    sched_free(none);
    return done;
}

int halo_fastest(const int64_t *time, int n, bool with_first)
{
    int best = with_first ? 0 : 1;

    for (int i = best + 1; i < n; i++)
        if (time[i] < time[best])
            best = i;
    return !with_first || (double)time[best] < 0.9 * (double)time[0] ? best : 0;
}
