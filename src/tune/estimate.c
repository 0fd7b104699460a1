/* estimate.c - see estimate.h. */
#include "tune/estimate.h"

#include "tune/link.h"

#include <stdlib.h>

static const double picoseconds = 1e12;

/* A thing that does one piece of work after the other. */
typedef struct server {
    int64_t free; /* from then on */
    int64_t work; /* all it has been given */
} server;

/* Integers, so that nothing depends on how a compiler orders additions: picoseconds, and
 * picoseconds for 2^20 bytes. */
typedef struct costs {
    int64_t latency, overhead, message, shared, both, eager;
} costs;

typedef enum what {
    STARTS,  /* a message, named by its send, leaves */
    PASSES,  /* perhaps a message has passed a link, which is what is named */
    ARRIVES, /* it has come */
    ENDS     /* a step */
} what;

typedef struct event {
    int64_t at;
    uint32_t number; /* of those at one time the oldest first */
    what what;
    int step; /* or link */
} event;

typedef struct progress {
    int waiting;  /* for so many steps */
    bool posted;  /* a message's end has been begun, */
    bool arrived; /* and its data is there: a receive */
    int links;    /* of a send: that it has not passed yet */
    int64_t posted_at;
    int64_t bytes; /* of the message, or copied, or reduced */
} progress;

#define NEVER INT64_MAX

/* What a node has. */
typedef enum links { MEMORY, OUT, IN, LINKS } links;

typedef struct model {
    const stepgraph *g;
    int64_t count, size;
    const int *node;   /* of each rank, or NULL: one node */
    const int *inner;  /* the same of the coarsest region inside, or NULL: there is none */
    const topo *climb; /* where switches are known */
    int64_t switches;
    int64_t copy, reduce;
    costs way[WAYS];
    server *processor; /* [p] */
    int nodes;
    tune_link *link; /* [LINKS * nodes] */
    int64_t *told;   /* of each link: when it is to be looked at, or NEVER */
    link_flow *flow; /* of all links: as many as messages pass it */
    progress *of;    /* [g->n] */
    event *heap;
    int nheap, room;
    uint32_t events;
    int64_t end;
    int ended; /* steps */
    bool no_memory;
} model;

/* ---- events, the next first ---- */

static bool before(const event *a, const event *b)
{
    return a->at != b->at ? a->at < b->at : a->number < b->number;
}

static void push(model *m, int64_t at, what what, int step)
{
    event e = {.at = at, .number = m->events++, .what = what, .step = step};
    int i = m->nheap;

    if (i == m->room) {
        int room = 2 * m->room + 64;
        event *larger = realloc(m->heap, (size_t)room * sizeof *larger);
        if (!larger) {
            m->no_memory = true;
            return;
        }
        m->heap = larger;
        m->room = room;
    }
    m->nheap++;

    for (; i > 0 && before(&e, &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = e;
}

static event pop(model *m)
{
    event first = m->heap[0], last = m->heap[--m->nheap];
    int i = 0;

    for (int child; (child = 2 * i + 1) < m->nheap; i = child) {
        if (child + 1 < m->nheap && before(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!before(&m->heap[child], &last))
            break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = last;
    return first;
}

/* ---- work ---- */

/* Of so many bytes, at so many picoseconds for 2^20 of them. */
static int64_t work(int64_t bytes, int64_t cost)
{
    return (int64_t)((__int128)bytes * cost >> 20);
}

/* A server does it, from `from` on at the earliest. Returns when it ends. */
static int64_t served(server *s, int64_t from, int64_t takes)
{
    s->free = (s->free > from ? s->free : from) + takes;
    s->work += takes;
    return s->free;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What one message passes a link at. */
static int64_t alone_of(const model *m, links which)
{
    int64_t inner = m->way[WAY_INNER].message, node = m->way[WAY_NODE].message;

    if (which != MEMORY)
        return m->way[WAY_NETWORK].message;
    return m->inner && inner < node ? inner : node;
}

static int node_of(const model *m, int rank)
{
    return m->node ? m->node[rank] : 0;
}

static const costs *way_of(const model *m, int send)
{
    int from = stepgraph_who(m->g, m->g->rank[send]), to = stepgraph_step(m->g, send)->peer;

    if (node_of(m, from) != node_of(m, to))
        return &m->way[WAY_NETWORK];
    return &m->way[m->inner && m->inner[from] == m->inner[to] ? WAY_INNER : WAY_NODE];
}

static int climbed(const model *m, int send)
{
    return topo_distance(m->climb, stepgraph_who(m->g, m->g->rank[send]),
                         stepgraph_step(m->g, send)->peer);
}

/* Behind the links. A node's memory lets messages through as fast as the faster of its ways does:
 * what the other one takes longer for comes here. */
static int64_t delay_of(const model *m, int send)
{
    const costs *c = way_of(m, send);
    int64_t delay = c->latency;
    int d = m->climb ? climbed(m, send) : 0;

    if (d > 10)
        delay += (d / 10 - 1) * m->switches;
    if (c != &m->way[WAY_NETWORK])
        delay += work(m->of[send].bytes, c->message - alone_of(m, MEMORY));
    return delay;
}

/* A message is as long as its send's intervals; COPY and REDUCE name what they write behind what
 * they read. */
static int64_t count_bytes(const model *m, int i)
{
    const sched *s = m->g->of[m->g->rank[i]];
    const step *st = stepgraph_step(m->g, i);
    int64_t sum = 0;

    for (int k = 0; k < (step_is_message(st) ? st->n : st->n < 1 ? 0 : 1); k++) {
        interval x = s->list[st->first + k];
        sum += sched_items(s->parts, m->count, interval_end(x)) -
               sched_items(s->parts, m->count, x.offset);
    }
    return sum * m->size;
}

/* Of the processor for one end of a message, of several runs of bytes packed or unpacked. */
static int64_t handling(const model *m, int i, int64_t bytes, const costs *c)
{
    return c->overhead + (stepgraph_step(m->g, i)->n > 1 ? work(bytes, m->copy) : 0);
}

/* What its send says: folded, another rank may stand for the receiver, with other parts. */
static int64_t message_bytes(const model *m, int i)
{
    return m->of[stepgraph_step(m->g, i)->kind == STEP_SEND ? i : m->g->peer[i]].bytes;
}

/* Parts of a vector may be empty: their messages are not sent. Tokens are. */
static bool is_sent(const model *m, int i, int64_t bytes)
{
    const sched *s = m->g->of[m->g->rank[i]];

    return bytes > 0 || s->extent[SPACE_SEND] + s->extent[SPACE_RECV] == 0;
}

/* ---- what happens ---- */

static void begin_message(model *m, int send, int64_t now)
{
    progress *s = &m->of[send], *r = &m->of[m->g->peer[send]];
    bool waits = m->of[send].bytes > way_of(m, send)->eager;

    if (s->posted && (r->posted || !waits))
        push(m, larger(now, s->posted_at), STARTS, send);
}

/* A step that waits for nothing. */
static void begin_step(model *m, int i, int64_t now)
{
    const step *st = stepgraph_step(m->g, i);
    server *processor = &m->processor[m->g->rank[i]];
    progress *p = &m->of[i];

    if (step_is_message(st) && !is_sent(m, i, message_bytes(m, i))) {
        push(m, now, ENDS, i);
        return;
    }
    switch ((step_kind)st->kind) {
    case STEP_SEND:
        p->posted = true;
        p->posted_at = served(processor, now, handling(m, i, p->bytes, way_of(m, i)));
        if (p->bytes <= way_of(m, i)->eager)
            push(m, p->posted_at, ENDS, i);
        begin_message(m, i, now);
        break;
    case STEP_RECV: {
        int send = m->g->peer[i];
        int64_t bytes = m->of[send].bytes;
        const costs *c = way_of(m, send);
        p->posted = true;
        if (p->arrived)
            push(m, served(processor, now, handling(m, i, bytes, c) + work(bytes, m->copy)), ENDS,
                 i);
        else if (bytes > c->eager)
            begin_message(m, send, now);
        break;
    }
    case STEP_COPY:
        push(m, served(processor, now, work(p->bytes, m->copy)), ENDS, i);
        break;
    case STEP_REDUCE:
        push(m, served(processor, now, work(p->bytes, m->reduce)), ENDS, i);
        break;
    case STEP_FENCE:
        push(m, now, ENDS, i);
        break;
    }
}

static int link_of(const model *m, int node, links which)
{
    return (int)which * m->nodes + node;
}

/* The links that a message passes, all at once: one or two. */
static int links_of(const model *m, int send, int passed[2])
{
    int from = node_of(m, stepgraph_who(m->g, m->g->rank[send]));
    int to = node_of(m, stepgraph_step(m->g, send)->peer);
    bool folded = m->g->fold != NULL; /* one node stands for all */

    passed[0] = link_of(m, folded ? 0 : from, from == to ? MEMORY : OUT);
    passed[1] = link_of(m, folded ? 0 : to, IN);
    return from == to ? 1 : 2;
}

static void look_at_one(model *m, int which)
{
    int64_t next = m->link[which].n > 0 ? link_next(&m->link[which]) : NEVER;

    if (next < m->told[which]) {
        m->told[which] = next;
        push(m, next, PASSES, which);
    }
}

static void look_again(model *m, int which)
{
    look_at_one(m, which);
    if (m->link[which].back)
        look_at_one(m, (int)(m->link[which].back - m->link));
}

static void start(model *m, int send, int64_t now)
{
    int passed[2], n = links_of(m, send, passed);

    m->of[send].links = n;
    for (int i = 0; i < n; i++) {
        tune_link *l = &m->link[passed[i]];
        link_add(l, now, m->of[send].bytes, send, m->of[send].bytes > way_of(m, send)->eager);
        look_again(m, passed[i]);
    }
}

/* Others may have begun since the time was told: then it is later, or an earlier one was told. */
static void pass(model *m, int which, int64_t now)
{
    tune_link *l = &m->link[which];
    int send;

    if (m->told[which] != now)
        return;
    m->told[which] = NEVER;
    if (link_next(l) <= now) {
        send = link_end(l, now);
        if (--m->of[send].links == 0)
            push(m, now + delay_of(m, send), ARRIVES, send);
    }
    look_again(m, which);
}

static void arrive(model *m, int send, int64_t now)
{
    int receive = m->g->peer[send];
    const costs *c = way_of(m, send);

    m->of[receive].arrived = true;
    if (m->of[receive].posted)
        push(m,
             served(&m->processor[m->g->rank[receive]], now,
                    handling(m, receive, m->of[send].bytes, c)),
             ENDS, receive);
    if (m->of[send].bytes > c->eager)
        push(m, now, ENDS, send);
}

static void end_step(model *m, int i, int64_t now)
{
    int rank = m->g->rank[i], base = m->g->base[rank];
    const sched *s = m->g->of[rank];

    m->end = larger(m->end, now);
    m->ended++;
    for (int k = s->succ_at[i - base]; k < s->succ_at[i - base + 1]; k++)
        if (--m->of[base + s->succ[k]].waiting == 0)
            begin_step(m, base + s->succ[k], now);
}

static void run(model *m)
{
    for (int r = 0; r < m->g->p; r++) {
        const sched *s = m->g->of[r];
        for (int k = 0; k < s->nready; k++)
            begin_step(m, m->g->base[r] + s->ready[k], 0);
    }
    while (m->nheap > 0) {
        event e = pop(m);
        if (e.what == STARTS)
            start(m, e.step, e.at);
        else if (e.what == PASSES)
            pass(m, e.step, e.at);
        else if (e.what == ARRIVES)
            arrive(m, e.step, e.at);
        else
            end_step(m, e.step, e.at);
    }
}

/* ---- */

static int64_t in_picoseconds(double seconds)
{
    return (int64_t)(seconds * picoseconds + 0.5);
}

static int64_t of_rate(double bytes_per_second)
{
    return in_picoseconds((1 << 20) / bytes_per_second);
}

static costs costs_of(const way_constants *k)
{
    return (costs){.latency = in_picoseconds(k->latency),
                   .overhead = in_picoseconds(k->overhead),
                   .message = of_rate(k->bandwidth),
                   .shared = of_rate(k->shared),
                   .both = of_rate(k->both),
                   .eager = (int64_t)k->eager};
}

static bool allocate(model *m)
{
    size_t n = (size_t)m->g->n + 1, links = (size_t)LINKS * (size_t)m->nodes;

    m->processor = calloc((size_t)m->g->p, sizeof *m->processor);
    m->link = calloc(links, sizeof *m->link);
    m->told = malloc(links * sizeof *m->told);
    m->flow = malloc(2 * n * sizeof *m->flow);
    m->of = calloc(n, sizeof *m->of);
    return m->processor && m->link && m->told && m->flow && m->of;
}

/* NULL: what goes there does not matter. */
static tune_link *back_of(const model *m, int link, links which)
{
    const costs *c = &m->way[WAY_NETWORK];

    if (which == MEMORY || c->both <= c->shared)
        return NULL;
    return &m->link[link < link_of(m, 0, IN) ? link + m->nodes : link - m->nodes];
}

/* Each has room for all messages that ever pass it. */
static void make_links(model *m)
{
    link_flow *free = m->flow;
    int passed[2];

    for (int i = 0; i < m->g->n; i++)
        for (int k = 0; stepgraph_step(m->g, i)->kind == STEP_SEND && k < links_of(m, i, passed);
             k++)
            m->link[passed[k]].n++;
    for (int i = 0; i < LINKS * m->nodes; i++) {
        links which = i < link_of(m, 0, OUT) ? MEMORY : OUT;
        const costs *c = &m->way[which == MEMORY ? WAY_NODE : WAY_NETWORK];
        int n = m->link[i].n, alike = m->g->fold ? m->g->fold->alike : 1;
        m->link[i] = (tune_link){.alone = alone_of(m, which),
                                 .shared = c->shared * alike,
                                 .both = c->both * alike,
                                 .back = back_of(m, i, which),
                                 .flow = free};
        m->told[i] = NEVER;
        free += n;
    }
}

static void make_steps(model *m)
{
    for (int i = 0; i < m->g->n; i++) {
        int rank = m->g->rank[i];
        m->of[i].waiting = m->g->of[rank]->ndeps[i - m->g->base[rank]];
        m->of[i].bytes = count_bytes(m, i);
    }
}

static int64_t most_work(const model *m, links which)
{
    const tune_link *l = &m->link[link_of(m, 0, which)];
    int64_t most = 0;

    for (int i = 0; i < m->nodes; i++)
        most = larger(most, work(l[i].bytes, l[i].shared));
    return most;
}

static estimate result_of(const model *m)
{
    int64_t processor = 0;

    for (int r = 0; r < m->g->p; r++)
        processor = larger(processor, m->processor[r].work);
    return (estimate){.time = m->end,
                      .processor = processor,
                      .memory = most_work(m, MEMORY),
                      .out = most_work(m, OUT),
                      .in = most_work(m, IN)};
}

/* The coarsest regions inside nodes, of each rank; NULL: there are none. */
static const int *inner_of(const topo *t)
{
    for (int i = 0; t && i < t->nlevels; i++)
        if (t->level[i].kind > TOPO_NODE)
            return t->level[i].region;
    return NULL;
}

static bool has_switches(const topo *t)
{
    return t && t->nlevels > 0 && t->level[0].kind == TOPO_SWITCH;
}

bool estimate_find(const stepgraph *g, int64_t count, int64_t size, const topo *t,
                   const constants *k, estimate *result)
{
    model m = {.g = g,
               .count = count,
               .size = size,
               .node = t ? t->node : NULL,
               .inner = inner_of(t),
               .climb = has_switches(t) ? t : NULL,
               .switches = in_picoseconds(k->switches),
               .nodes = t && !g->fold ? t->nodes : 1,
               .copy = of_rate(k->copy),
               .reduce = of_rate(k->reduce)};
    bool done = allocate(&m);

    for (int w = 0; w < WAYS; w++)
        m.way[w] = costs_of(&k->way[w]);
    if (done) {
        make_steps(&m);
        make_links(&m);
        run(&m);
        done = !m.no_memory && m.ended == g->n;
        *result = result_of(&m);
    }
    free(m.heap);
    free(m.of);
    free(m.flow);
    free(m.told);
    free(m.link);
    free(m.processor);
    return done;
}
