/* estimate.c - see estimate.h. */
#include "tune/estimate.h"

#include <stdlib.h>
#include <string.h>

static const double picoseconds = 1e12;

/* A thing that does one piece of work after the other. */
typedef struct server {
    int64_t free; /* from then on */
    int64_t work; /* all it has been given */
} server;

/* Integers, so that nothing depends on how a compiler orders additions: picoseconds, and
 * picoseconds for 2^20 bytes. */
typedef struct costs {
    int64_t latency, overhead, message, shared, eager;
} costs;

typedef enum what {
    STARTS,  /* a message, named by its send, leaves */
    ARRIVES, /* it has come */
    ENDS     /* a step */
} what;

typedef struct event {
    int64_t at;
    uint32_t number; /* of those at one time the oldest first */
    what what;
    int step;
} event;

typedef struct progress {
    int waiting;  /* for so many steps */
    bool posted;  /* a message's end has been begun, */
    bool arrived; /* and its data is there: a receive */
    int64_t posted_at;
} progress;

typedef struct model {
    const stepgraph *g;
    int64_t bytes;
    const int *node; /* of each rank, or NULL */
    int64_t copy, reduce;
    costs way[WAYS];
    server *processor;         /* [p] */
    server *memory, *out, *in; /* [nodes] */
    int nodes;
    progress *of; /* [g->n] */
    event *heap;  /* of at most three for each step */
    int nheap;
    uint32_t events;
    int64_t end;
} model;

/* ---- events, the next first ---- */

static bool before(const event *a, const event *b)
{
    return a->at != b->at ? a->at < b->at : a->number < b->number;
}

static void push(model *m, int64_t at, what what, int step)
{
    event e = {.at = at, .number = m->events++, .what = what, .step = step};
    int i = m->nheap++;

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

/* A server does it, from `from` on at the earliest. Returns when it begins. */
static int64_t serve(server *s, int64_t from, int64_t work)
{
    int64_t begin = s->free > from ? s->free : from;

    s->free = begin + work;
    s->work += work;
    return begin;
}

/* The end of it. */
static int64_t served(server *s, int64_t from, int64_t work)
{
    return serve(s, from, work) + work;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int node_of(const model *m, int rank)
{
    return m->node ? m->node[rank] : 0;
}

static const costs *way_of(const model *m, int send)
{
    int from = m->g->rank[send], to = m->g->rank[m->g->peer[send]];

    return &m->way[node_of(m, from) == node_of(m, to) ? WAY_NODE : WAY_NETWORK];
}

/* A message is as long as its send's intervals; COPY and REDUCE name what they write behind what
 * they read. */
static int64_t bytes_of(const model *m, int i)
{
    const sched *s = m->g->of[m->g->rank[i]];
    const step *st = stepgraph_step(m->g, i);
    int64_t sum = 0;

    for (int k = 0; k < (step_is_message(st) ? st->n : st->n < 1 ? 0 : 1); k++) {
        interval x = s->list[st->first + k];
        sum += sched_items(s->parts, m->bytes, interval_end(x)) -
               sched_items(s->parts, m->bytes, x.offset);
    }
    return sum;
}

/* Of the processor for one end of a message, of several runs of bytes packed or unpacked. */
static int64_t handling(const model *m, int i, int64_t bytes, const costs *c)
{
    return c->overhead + (stepgraph_step(m->g, i)->n > 1 ? work(bytes, m->copy) : 0);
}

/* ---- what happens ---- */

static void begin_message(model *m, int send, int64_t now)
{
    progress *s = &m->of[send], *r = &m->of[m->g->peer[send]];
    bool waits = bytes_of(m, send) > way_of(m, send)->eager;

    if (s->posted && (r->posted || !waits))
        push(m, larger(now, s->posted_at), STARTS, send);
}

/* A step that waits for nothing. */
static void begin_step(model *m, int i, int64_t now)
{
    const step *st = stepgraph_step(m->g, i);
    server *processor = &m->processor[m->g->rank[i]];
    progress *p = &m->of[i];

    switch ((step_kind)st->kind) {
    case STEP_SEND:
        p->posted = true;
        p->posted_at = served(processor, now, handling(m, i, bytes_of(m, i), way_of(m, i)));
        if (bytes_of(m, i) <= way_of(m, i)->eager)
            push(m, p->posted_at, ENDS, i);
        begin_message(m, i, now);
        break;
    case STEP_RECV: {
        int send = m->g->peer[i];
        int64_t bytes = bytes_of(m, send);
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
        push(m, served(processor, now, work(bytes_of(m, i), m->copy)), ENDS, i);
        break;
    case STEP_REDUCE:
        push(m, served(processor, now, work(bytes_of(m, i), m->reduce)), ENDS, i);
        break;
    case STEP_FENCE:
        push(m, now, ENDS, i);
        break;
    }
}

/* It passes what it shares with others. */
static void start(model *m, int send, int64_t now)
{
    const costs *c = way_of(m, send);
    int from = node_of(m, m->g->rank[send]), to = node_of(m, m->g->rank[m->g->peer[send]]);
    int64_t bytes = bytes_of(m, send), shared = work(bytes, c->shared), end;

    if (from == to) {
        end = served(&m->memory[from], now, shared);
    } else {
        int64_t leaves = serve(&m->out[from], now, shared);
        end = served(&m->in[to], leaves, shared);
    }
    push(m, larger(end, now + work(bytes, c->message)) + c->latency, ARRIVES, send);
}

static void arrive(model *m, int send, int64_t now)
{
    int receive = m->g->peer[send];
    const costs *c = way_of(m, send);

    m->of[receive].arrived = true;
    if (m->of[receive].posted)
        push(m,
             served(&m->processor[m->g->rank[receive]], now,
                    handling(m, receive, bytes_of(m, send), c)),
             ENDS, receive);
    if (bytes_of(m, send) > c->eager)
        push(m, now, ENDS, send);
}

static void end_step(model *m, int i, int64_t now)
{
    int rank = m->g->rank[i], base = m->g->base[rank];
    const sched *s = m->g->of[rank];

    m->end = larger(m->end, now);
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
                   .eager = (int64_t)k->eager};
}

static bool allocate(model *m)
{
    size_t n = (size_t)m->g->n + 1, p = (size_t)m->g->p, nodes = (size_t)m->nodes;

    m->processor = calloc(p + 3 * nodes, sizeof *m->processor);
    m->of = calloc(n, sizeof *m->of);
    m->heap = malloc(3 * n * sizeof *m->heap);
    if (!m->processor || !m->of || !m->heap)
        return false;
    m->memory = m->processor + p;
    m->out = m->memory + nodes;
    m->in = m->out + nodes;
    return true;
}

static void count_dependencies(model *m)
{
    for (int r = 0; r < m->g->p; r++)
        for (int i = 0; i < m->g->of[r]->nsteps; i++)
            m->of[m->g->base[r] + i].waiting = m->g->of[r]->ndeps[i];
}

static int64_t most_work(const server *s, int n)
{
    int64_t most = 0;

    for (int i = 0; i < n; i++)
        most = larger(most, s[i].work);
    return most;
}

bool estimate_find(const stepgraph *g, int64_t bytes, const topo *t, const constants *k,
                   estimate *result)
{
    model m = {.g = g,
               .bytes = bytes,
               .node = t ? t->node : NULL,
               .nodes = t ? t->nodes : 1,
               .copy = of_rate(k->copy),
               .reduce = of_rate(k->reduce)};
    bool done = allocate(&m);

    for (int w = 0; w < WAYS; w++)
        m.way[w] = costs_of(&k->way[w]);
    if (done) {
        count_dependencies(&m);
        run(&m);
        *result = (estimate){.time = m.end,
                             .processor = most_work(m.processor, g->p),
                             .memory = most_work(m.memory, m.nodes),
                             .out = most_work(m.out, m.nodes),
                             .in = most_work(m.in, m.nodes)};
    }
    free(m.processor);
    free(m.of);
    free(m.heap);
    return done;
}
