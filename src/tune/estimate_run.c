/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate_run.c - what happens on the machine of estimate_model.h, one event after the other. */
#include "tune/estimate_model.h"

#include "tune/costs.h"

/* ---- processors and cores ---- */

/* A rank that has nothing to do gives its core away, and has the one of its node that is free
 * first, after a turn, when there is something to do again; it stays on that for what comes at
 * once, after what others have begun there. Returns when it begins. */
static int64_t core_begins(model *m, int rank, int64_t from, int64_t takes)
{
    model_server *s = &m->processor[rank];
    int64_t *core = &m->core[m->home[rank] * m->cores], turn = 0, begin;

    if (from > s->free || s->work == 0) {
        s->core = 0;
        for (int i = 1; i < m->cores; i++)
            s->core = core[i] < core[s->core] ? i : s->core;
        turn = m->turn;
    }
    begin = model_later(from, core[s->core]) + turn;
    core[s->core] = begin + takes;
    return begin;
}

/* The processor of a step's rank does it, from `from` on at the earliest. Returns when it ends. */
static int64_t served(model *m, int i, int64_t from, int64_t takes)
{
    int rank = m->of[i].rank;
    model_server *s = &m->processor[rank];
    int64_t begin = s->free > from ? s->free : from;

    if (m->cores)
        begin = core_begins(m, rank, begin, takes);
    s->free = begin + takes;
    s->work += takes;
    if (m->times) {
        m->times[i].begin = begin;
        m->times[i].end = s->free;
    }
    return s->free;
}

static int climbed(const model *m, int send)
{
    return topo_distance(m->climb, stepgraph_who(m->g, m->g->rank[send]),
                         stepgraph_step(m->g, send)->peer);
}

/* After the links. A node's memory lets messages through as fast as the faster of its ways does:
 * what the other one takes longer for comes here. */
static int64_t delay_of(const model *m, int send)
{
    const model_costs *c = model_way(m, send);
    int64_t delay = c->latency;
    int d = m->climb ? climbed(m, send) : 0;

    if (d > 10)
        delay += (d / 10 - 1) * m->switches;
    if (c != &m->way[WAY_NETWORK])
        delay += costs_work(m->of[send].bytes, c->message - model_alone(m, LINK_MEMORY));
    return delay;
}

/* Time of the processor for one end of a message. A message of several ranges of bytes is packed or
 * unpacked. */
static int64_t handling(const model *m, int i, int64_t bytes, const model_costs *c)
{
    return c->overhead + (m->of[i].packs ? costs_work(bytes, m->copy) : 0);
}

/* Where ranks share cores a core copies a message of their node, and its links let it through at
 * once. */
static bool is_copied(const model *m, int send)
{
    return m->cores && m->of[send].way != WAY_NETWORK;
}

/* Time of the receiver's processor for a message. */
static int64_t taking(const model *m, int send, int i, const model_costs *c)
{
    int64_t bytes = m->of[send].bytes,
            rate = model_later(c->message, m->way[WAY_NODE].shared * m->cores);

    return handling(m, i, bytes, c) + (is_copied(m, send) ? costs_work(bytes, rate) : 0);
}

/* What its send says: folded, another rank may stand for the receiver, with other parts. */
static int64_t message_bytes(const model *m, int i)
{
    return m->of[m->of[i].kind == STEP_SEND ? i : m->of[i].peer].bytes;
}

/* Parts of a vector may be empty: their messages are not sent. Tokens are. */
static bool is_sent(const model *m, int i)
{
    const sched *s = m->g->of[m->of[i].rank];

    return message_bytes(m, i) > 0 || s->extent[SPACE_SEND] + s->extent[SPACE_RECV] == 0;
}

/* ---- what happens ---- */

/* Where nobody waits for it nothing happens then. */
static void end_at(model *m, int i, int64_t at)
{
    int rank = m->of[i].rank, k = i - m->g->base[rank];
    const sched *s = m->g->of[rank];

    m->end = model_later(m->end, at);
    if (s->succ_at[k] < s->succ_at[k + 1])
        event_push(&m->events, at, EVENT_ENDS, i);
    else
        m->ended++;
}

static void begin_message(model *m, int send, int64_t now)
{
    step_state *s = &m->of[send], *r = &m->of[s->peer];
    bool waits = s->bytes > model_way(m, send)->eager;

    if (s->posted && (r->posted || !waits))
        event_push(&m->events, model_later(now, s->posted_at), EVENT_STARTS, send);
}

static void begin_send(model *m, int i, int64_t now)
{
    step_state *p = &m->of[i];
    const model_costs *c = model_way(m, i);

    p->posted = true;
    p->posted_at = served(m, i, now, handling(m, i, p->bytes, c));
    if (p->bytes <= c->eager)
        end_at(m, i, p->posted_at);
    begin_message(m, i, now);
}

static void begin_receive(model *m, int i, int64_t now)
{
    step_state *p = &m->of[i];
    int64_t bytes = m->of[p->peer].bytes;
    const model_costs *c = model_way(m, p->peer);

    p->posted = true;
    if (p->arrived)
        end_at(m, i, served(m, i, now, taking(m, p->peer, i, c) + costs_work(bytes, m->copy)));
    else if (bytes > c->eager)
        begin_message(m, p->peer, now);
}

static void begin_local(model *m, int i, int64_t now)
{
    step_state *p = &m->of[i];
    int64_t rate = p->kind == STEP_COPY ? m->copy : m->reduce;

    end_at(m, i, p->kind == STEP_FENCE ? now : served(m, i, now, costs_work(p->bytes, rate)));
}

/* A step that waits for nothing. */
static void begin_step(model *m, int i, int64_t now)
{
    int kind = m->of[i].kind;

    if (kind > STEP_RECV)
        begin_local(m, i, now);
    else if (!is_sent(m, i))
        end_at(m, i, now);
    else if (kind == STEP_SEND)
        begin_send(m, i, now);
    else
        begin_receive(m, i, now);
}

static void schedule_link(model *m, int which)
{
    int64_t next = m->link[which].n > 0 ? link_next(&m->link[which]) : NEVER;

    if (next < m->scheduled[which]) {
        m->scheduled[which] = next;
        event_push(&m->events, next, EVENT_PASSES, which);
    }
}

static void schedule_links(model *m, int which)
{
    schedule_link(m, which);
    if (m->link[which].back)
        schedule_link(m, (int)(m->link[which].back - m->link));
}

static void set_out_message(model *m, int send, int64_t now)
{
    int passed[2], n = model_links_of(m, send, passed);

    if (m->times)
        m->times[send].leaves = now;
    if (is_copied(m, send)) {
        *model_last(m, send) = -1;
        event_push(&m->events, now + model_way(m, send)->latency, EVENT_ARRIVES, send);
        return;
    }
    m->of[send].links = (uint8_t)n;
    for (int i = 0; i < n; i++) {
        tune_link *l = &m->link[passed[i]];
        link_add(l, now, m->of[send].bytes, send, m->of[send].bytes > model_way(m, send)->eager);
        schedule_links(m, passed[i]);
    }
}

/* Messages from one rank to another go one after the other. */
static void start_message(model *m, int send, int64_t now)
{
    int *last = model_last(m, send), before = *last;

    *last = send;
    if (before < 0)
        set_out_message(m, send, now);
    else
        m->of[before].next_send = send;
}

static void set_out_next(model *m, int send, int64_t now)
{
    int next = m->of[send].next_send;

    if (next < 0)
        *model_last(m, send) = -1;
    else
        set_out_message(m, next, now);
}

/* Messages may have begun on the link since the event was pushed: then the next one passes later,
 * or an earlier event was pushed, too. */
static void pass(model *m, int which, int64_t now)
{
    tune_link *l = &m->link[which];
    int send;

    if (m->scheduled[which] != now)
        return;
    m->scheduled[which] = NEVER;
    if (link_next(l) <= now) {
        send = link_end(l, now);
        if (--m->of[send].links == 0) {
            event_push(&m->events, now + delay_of(m, send), EVENT_ARRIVES, send);
            set_out_next(m, send, now);
        }
    }
    schedule_links(m, which);
}

static void deliver_message(model *m, int send, int64_t now)
{
    const step_state *s = &m->of[send];
    step_state *r = &m->of[s->peer];
    const model_costs *c = model_way(m, send);
    int64_t taken = now;

    if (m->times)
        m->times[send].arrives = now;
    r->arrived = true;
    if (r->posted) {
        taken = served(m, s->peer, now, taking(m, send, s->peer, c));
        end_at(m, s->peer, taken);
    }
    if (s->bytes > c->eager)
        end_at(m, send, is_copied(m, send) ? taken : now);
}

static void end_step(model *m, int i, int64_t now)
{
    int rank = m->of[i].rank, base = m->g->base[rank];
    const sched *s = m->g->of[rank];

    m->ended++;
    for (int k = s->succ_at[i - base]; k < s->succ_at[i - base + 1]; k++)
        if (--m->of[base + s->succ[k]].waiting == 0)
            begin_step(m, base + s->succ[k], now);
}

static void happen(model *m, event e)
{
    int64_t now = event_time(e);
    int step = event_subject(e);

    switch (event_kind_of(e)) {
    case EVENT_STARTS:
        start_message(m, step, now);
        break;
    case EVENT_PASSES:
        pass(m, step, now);
        break;
    case EVENT_ARRIVES:
        deliver_message(m, step, now);
        break;
    case EVENT_ENDS:
        end_step(m, step, now);
        break;
    }
}

void model_run(model *m)
{
    for (int r = 0; r < m->g->p; r++) {
        const sched *s = m->g->of[r];
        for (int k = 0; k < s->nready; k++)
            begin_step(m, m->g->base[r] + s->ready[k], 0);
    }
    while (m->events.n > 0 && m->end <= m->most)
        happen(m, event_pop(&m->events));
}
