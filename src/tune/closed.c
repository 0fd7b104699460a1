/* SPDX-License-Identifier: BSD-3-Clause */
/* closed.c - see closed.h. */
#include "tune/closed.h"

#include "tune/costs.h"
#include "tune/memory.h"

#include <stdlib.h>

/* Picoseconds, and those for 2^20 bytes. */
typedef struct rates {
    int64_t latency, overhead, byte;
} rates;

typedef struct walk {
    const sched *s;
    const closed_call *c;
    int rank;
    rates way[WAYS];
    int64_t copy, reduce;
    int64_t *ready;   /* [nsteps]: when what a step waits for has ended */
    int64_t *arrival; /* [nsteps]: of the k-th message sent */
    int sent, received;
    int64_t processor, wire; /* until when it is busy */
    int64_t busy, end;
} walk;

static int64_t bytes_of_step(const walk *w, const step *st)
{
    return costs_bytes(w->s, st, w->c->count, w->c->size);
}

static bool is_far(const walk *w, int peer)
{
    const topo *t = w->c->t;

    return t && t->node[peer] != t->node[w->rank];
}

static const rates *rates_to(const walk *w, int peer)
{
    return &w->way[is_far(w, peer) ? WAY_NETWORK : WAY_NODE];
}

static int64_t take_processor(walk *w, int64_t ready, int64_t takes)
{
    w->processor = costs_larger(w->processor, ready) + takes;
    w->busy += takes;
    return w->processor;
}

static int64_t do_send(walk *w, int64_t ready, int64_t bytes, const rates *r)
{
    int64_t posted = take_processor(w, ready, r->overhead);

    w->wire = costs_larger(w->wire, posted) + costs_work(bytes, r->byte);
    w->arrival[w->sent++] = w->wire + r->latency;
    return posted;
}

/* Handled when it comes: that holds up no message after it in program order. */
static int64_t do_receive(walk *w, int64_t ready, int64_t bytes, const rates *r)
{
    int64_t at;

    if (w->received < w->sent) {
        at = w->arrival[w->received];
    } else {
        w->wire = costs_larger(w->wire, ready) + costs_work(bytes, r->byte);
        at = w->wire + r->overhead + r->latency;
    }
    w->received++;
    w->busy += r->overhead;
    return costs_larger(at, ready) + r->overhead;
}

static int64_t do_step(walk *w, int i)
{
    const step *st = &w->s->steps[i];
    int64_t bytes = bytes_of_step(w, st), ready = w->ready[i];

    if (st->kind == STEP_FENCE)
        return ready;
    if (st->kind == STEP_COPY || st->kind == STEP_REDUCE)
        return take_processor(w, ready,
                              costs_work(bytes, st->kind == STEP_COPY ? w->copy : w->reduce));
    return st->kind == STEP_SEND ? do_send(w, ready, bytes, rates_to(w, st->peer))
                                 : do_receive(w, ready, bytes, rates_to(w, st->peer));
}

static void do_steps(walk *w)
{
    const sched *s = w->s;

    for (int i = 0; i < s->nsteps; i++) {
        int64_t end = do_step(w, i);
        w->end = costs_larger(w->end, end);
        for (int k = s->succ_at[i]; k < s->succ_at[i + 1]; k++)
            w->ready[s->succ[k]] = costs_larger(w->ready[s->succ[k]], end);
    }
}

static rates rates_of(const way_constants *k, int64_t sharing)
{
    return (rates){costs_time(k->latency), costs_time(k->overhead),
                   costs_larger(costs_rate(k->bandwidth), sharing * costs_rate(k->shared))};
}

static walk walk_of(const sched *s, int rank, const closed_call *c)
{
    walk w = {.s = s,
              .c = c,
              .rank = rank,
              .copy = costs_rate(c->k->copy),
              .reduce = costs_rate(c->k->reduce)};

    w.way[WAY_NODE] = rates_of(&c->k->way[WAY_NODE], c->inside);
    w.way[WAY_NETWORK] = rates_of(&c->k->way[WAY_NETWORK], c->far);
    return w;
}

closed_traffic closed_traffic_of(const sched *s, int rank, const closed_call *c)
{
    walk w = walk_of(s, rank, c);
    closed_traffic t = {0};

    for (int i = 0; i < s->nsteps; i++) {
        int64_t bytes = step_is_message(&s->steps[i]) ? bytes_of_step(&w, &s->steps[i]) : 0;
        if (bytes == 0)
            continue;
        if (is_far(&w, s->steps[i].peer)) {
            t.far += bytes;
            t.longest = costs_larger(t.longest, bytes);
        } else {
            t.inside += bytes;
        }
    }
    return t;
}

bool closed_find(const sched *s, int rank, const closed_call *c, closed_form *result)
{
    walk w = walk_of(s, rank, c);

    w.ready = tune_allocated(calloc(2 * ((size_t)s->nsteps + 1), sizeof *w.ready));
    if (!w.ready)
        return false;
    w.arrival = w.ready + s->nsteps + 1;
    do_steps(&w);
    *result = (closed_form){.time = costs_larger(costs_larger(w.end, w.wire), w.busy),
                            .steps = s->nsteps};
    free(w.ready);
    return true;
}
