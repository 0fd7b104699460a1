/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate_model.h - the machine on which schedules are simulated: what it has, and how far
 * each step is. Made by estimate_model.c, executed by estimate_run.c.
 */
#ifndef TUTTI_ESTIMATE_MODEL_H
#define TUTTI_ESTIMATE_MODEL_H

#include "topo/topo.h"
#include "tune/constants.h"
#include "tune/event_heap.h"
#include "tune/link.h"
#include "tune/step_time.h"
#include "tune/stepgraph.h"

/* A thing that does one piece of work after the other. */
typedef struct model_server {
    int64_t free; /* from then on */
    int64_t work; /* all it has been given */
    int core;     /* where ranks share them: that it has or had */
} model_server;

/* See costs.h. */
typedef struct model_costs {
    int64_t latency, overhead, message, shared, both, eager;
} model_costs;

/* The state of a step. What is read again and again is here, not behind the pointers of the graph.
 */
typedef struct step_state {
    int64_t posted_at;
    int64_t bytes; /* of the message, or copied, or reduced */
    int waiting;   /* for so many steps */
    int rank, peer;
    int next_send; /* of a send that is on its way: the next one to the same rank, or -1 */
    uint8_t kind;
    uint8_t links;    /* of a send: that it has not passed yet */
    uint8_t way;      /* of a send: index in model.way */
    bool packs : 1;   /* an end of a message of several ranges of bytes */
    bool posted : 1;  /* a message's end has been begun */
    bool arrived : 1; /* of a receive: its data is there */
} step_state;

#define NEVER INT64_MAX

/* What a node has. */
typedef enum model_links { LINK_MEMORY, LINK_OUT, LINK_IN, LINKS } model_links;

typedef struct model {
    const stepgraph *g;
    int64_t count, size;
    const int *node;   /* of each rank, or NULL: one node */
    const int *inner;  /* the same of the coarsest region inside, or NULL: there is none */
    const topo *climb; /* where switches are known */
    int64_t switches;
    int64_t copy, reduce;
    model_costs way[WAYS];
    model_server *processor; /* [p] */
    int cores;               /* of each node, where ranks share them; 0: each rank has its own */
    int64_t *core;           /* [cores * nodes]: free from then on */
    int64_t turn;            /* until a rank that waits has one */
    int *queue;              /* [p + 1]: where the queues of each rank begin */
    int *last;               /* of each queue: the last send that is on its way or waits, or -1 */
    int *home;               /* [p]: each rank's node; folded, one node stands for all */
    int nodes;
    tune_link *link;    /* [LINKS * nodes] */
    int64_t *scheduled; /* of each link: the time of its next EVENT_PASSES, or NEVER */
    link_flow *flow;    /* of all links: as many as messages pass it */
    step_state *of;     /* [g->n] */
    event_heap events;
    int64_t most;     /* nobody asks how much longer it takes */
    int64_t end;      /* of the last step whose end is known */
    int ended;        /* steps */
    step_time *times; /* [g->n], or NULL: nobody wants them */
} model;

/* What the caller gives of an execution. */
typedef struct model_question {
    const stepgraph *g;
    int64_t count, size; /* items in an element, bytes of one */
    const topo *t;
    const constants *k;
    int64_t most;
    step_time *times;
    bool shares; /* ranks share cores, which are given out (estimate_gives_cores) */
} model_question;

/* Before the execution. False: there is no memory. To be given to model_free in any case. */
bool model_make(model *m, const model_question *q);
void model_free(model *m);

/* Execute it to the end, or until it takes longer than anybody asks for. */
void model_run(model *m);

static inline int64_t model_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What one message passes a link at. */
static inline int64_t model_alone(const model *m, model_links which)
{
    int64_t inner = m->way[WAY_INNER].message, node = m->way[WAY_NODE].message;

    if (which != LINK_MEMORY)
        return m->way[WAY_NETWORK].message;
    return m->inner && inner < node ? inner : node;
}

static inline int model_node(const model *m, int rank)
{
    return m->node ? m->node[rank] : 0;
}

static inline const model_costs *model_way(const model *m, int send)
{
    return &m->way[m->of[send].way];
}

static inline int model_link(const model *m, int node, model_links which)
{
    return (int)which * m->nodes + node;
}

/* The links that a message passes, all at once: one or two. */
static inline int model_links_of(const model *m, int send, int passed[2])
{
    const step_state *p = &m->of[send];
    bool far = p->way == WAY_NETWORK;

    passed[0] = model_link(m, m->home[p->rank], far ? LINK_OUT : LINK_MEMORY);
    if (far)
        passed[1] = model_link(m, m->home[m->of[p->peer].rank], LINK_IN);
    return far ? 2 : 1;
}

static inline int *model_last(const model *m, int send)
{
    int rank = m->of[send].rank;

    return &m->last[m->queue[rank] + stepgraph_step(m->g, send)->queue];
}

#endif
