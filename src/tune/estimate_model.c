/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate_model.c - see estimate_model.h. */
#include "tune/estimate_model.h"

#include "tune/costs.h"
#include "tune/memory.h"

#include <stdlib.h>

static int find_way(const model *m, int send)
{
    int from = stepgraph_who(m->g, m->of[send].rank), to = stepgraph_step(m->g, send)->peer;

    if (model_node(m, from) != model_node(m, to))
        return WAY_NETWORK;
    return m->inner && m->inner[from] == m->inner[to] ? WAY_INNER : WAY_NODE;
}

static model_costs costs_of(const way_constants *k)
{
    return (model_costs){.latency = costs_time(k->latency),
                         .overhead = costs_time(k->overhead),
                         .message = costs_rate(k->bandwidth),
                         .shared = costs_rate(k->shared),
                         .both = costs_rate(k->both),
                         .eager = (int64_t)k->eager};
}

static int count_queues(const model *m)
{
    int n = 0;

    for (int r = 0; r < m->g->p; r++)
        n += m->g->of[r]->nqueues;
    return n;
}

static bool allocate_model(model *m)
{
    size_t n = (size_t)m->g->n + 1, links = (size_t)LINKS * (size_t)m->nodes;

    m->processor = tune_allocated(calloc((size_t)m->g->p, sizeof *m->processor));
    m->home = tune_allocated(calloc((size_t)m->g->p, sizeof *m->home));
    m->core = tune_allocated(calloc((size_t)m->cores * (size_t)m->nodes + 1, sizeof *m->core));
    m->queue = tune_allocated(malloc(((size_t)m->g->p + 1) * sizeof *m->queue));
    m->last = tune_allocated(malloc(((size_t)count_queues(m) + 1) * sizeof *m->last));
    m->link = tune_allocated(calloc(links, sizeof *m->link));
    m->scheduled = tune_allocated(malloc(links * sizeof *m->scheduled));
    m->flow = tune_allocated(malloc(2 * n * sizeof *m->flow));
    m->of = tune_allocated(malloc(n * sizeof *m->of));
    return m->processor && m->home && m->core && m->queue && m->last && m->link && m->scheduled &&
           m->flow && m->of;
}

/* NULL: what goes there does not matter. */
static tune_link *back_of(const model *m, int link, model_links which)
{
    const model_costs *c = &m->way[WAY_NETWORK];

    if (which == LINK_MEMORY || c->both <= c->shared)
        return NULL;
    return &m->link[link < model_link(m, 0, LINK_IN) ? link + m->nodes : link - m->nodes];
}

/* Each has room for all messages that ever pass it. */
static void make_links(model *m)
{
    link_flow *free = m->flow;
    int passed[2];

    for (int i = 0; i < m->g->n; i++)
        for (int k = m->of[i].kind == STEP_SEND ? model_links_of(m, i, passed) : 0; k > 0; k--)
            m->link[passed[k - 1]].n++;
    for (int i = 0; i < LINKS * m->nodes; i++) {
        model_links which = i < model_link(m, 0, LINK_OUT) ? LINK_MEMORY : LINK_OUT;
        const model_costs *c = &m->way[which == LINK_MEMORY ? WAY_NODE : WAY_NETWORK];
        int n = m->link[i].n, folded = m->g->fold ? m->g->fold->represents : 1;
        m->link[i] = (tune_link){.alone = model_alone(m, which),
                                 .shared = c->shared * folded,
                                 .both = c->both * folded,
                                 .back = back_of(m, i, which),
                                 .flow = free};
        m->scheduled[i] = NEVER;
        free += n;
    }
}

static void make_step(model *m, int i)
{
    const step *st = stepgraph_step(m->g, i);
    int rank = m->g->rank[i];
    step_state *p = &m->of[i];

    *p = (step_state){.rank = rank,
                      .peer = m->g->peer[i],
                      .kind = st->kind,
                      .packs = st->n > 1,
                      .next_send = -1,
                      .waiting = m->g->of[rank]->ndeps[i - m->g->base[rank]],
                      .bytes = costs_bytes(m->g->of[rank], st, m->count, m->size)};
    if (st->kind == STEP_SEND)
        p->way = (uint8_t)find_way(m, i);
}

static void make_steps(model *m)
{
    for (int i = 0; i < m->g->n; i++)
        make_step(m, i);
    for (int r = 0; !m->g->fold && r < m->g->p; r++)
        m->home[r] = model_node(m, r);
}

static void make_queues(model *m)
{
    m->queue[0] = 0;
    for (int r = 0; r < m->g->p; r++)
        m->queue[r + 1] = m->queue[r] + m->g->of[r]->nqueues;
    for (int i = 0; i < m->queue[m->g->p]; i++)
        m->last[i] = -1;
}

static bool has_switches(const topo *t)
{
    return t && t->nlevels > 0 && t->level[0].kind == TOPO_SWITCH;
}

/* Where ranks share cores, those that wait look one after the other: that takes half a round, or a
 * whole one. */
static void make_ways(model *m, const constants *own, bool shares)
{
    for (int w = 0; w < WAYS; w++) {
        m->way[w] = costs_of(&own->way[w]);
        if (shares)
            m->way[w].latency += costs_time(own->load * own->way[w].turn * 3 / 4);
    }
}

bool model_make(model *m, const model_question *q)
{
    const topo_level *inner = topo_inner(q->t);
    constants own = q->shares ? constants_alone(q->k) : *q->k;

    *m = (model){.g = q->g,
                 .count = q->count,
                 .size = q->size,
                 .node = q->t ? q->t->node : NULL,
                 .inner = inner ? inner->region : NULL,
                 .climb = has_switches(q->t) ? q->t : NULL,
                 .switches = costs_time(q->k->switches),
                 .cores = !q->shares        ? 0
                          : q->k->cores < 1 ? 1
                                            : (int)q->k->cores,
                 .turn = costs_time(q->k->way[WAY_NODE].turn),
                 .nodes = q->t && !q->g->fold ? q->t->nodes : 1,
                 .copy = costs_rate(own.copy),
                 .reduce = costs_rate(own.reduce),
                 .most = q->most,
                 .times = q->times};
    make_ways(m, &own, q->shares);
    for (int i = 0; q->times && i < q->g->n; i++)
        q->times[i] = (step_time){STEP_NEVER, STEP_NEVER, STEP_NEVER, STEP_NEVER};
    if (!allocate_model(m))
        return false;
    make_steps(m);
    make_queues(m);
    make_links(m);
    return true;
}

void model_free(model *m)
{
    free(m->events.at);
    free(m->of);
    free(m->flow);
    free(m->scheduled);
    free(m->link);
    free(m->last);
    free(m->queue);
    free(m->core);
    free(m->home);
    free(m->processor);
}
