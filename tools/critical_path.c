/* SPDX-License-Identifier: BSD-3-Clause */
/* critical_path.c - see critical_path.h. */
#include "critical_path.h"

#include "tune/stepgraph.h"

#include <stdlib.h>
#include <string.h>

/* A step; a message is known by its send. */
typedef struct node {
    int waiting;
    bool ready, started;
    int64_t chain;
    int messages;
    int64_t size;
    int next_out, next_in; /* lists of ready messages: of the port that sends, that receives; -1 */
    int64_t end;           /* heap */
} node;

/* A port and the messages that are ready for it, oldest first. */
typedef struct port {
    bool busy;
    int head, tail;
} port;

typedef struct model {
    stepgraph graph;
    int phase;          /* this one only, or -1 */
    const sched *named; /* the schedule that names most phases */
    const int *region;
    int *leading; /* [p]: phases before those that a rank leaves out */
    node *nodes;
    port *out, *in; /* [2 p]: local, between regions */
    int *heap, nheap;
    int *work, nwork; /* steps that are ready */
    int64_t now;
} model;

static const sched *sched_of(const model *m, int g)
{
    return m->graph.of[m->graph.rank[g]];
}

/* ---- phases ---- */

/* A rank that has no part in an inner algorithm does not name its phases: its own list is that of
 * m->named without some in the middle, or at the end. */
static int count_leading(const sched *s, const sched *named)
{
    int n = 0;

    while (n < s->nphases && strcmp(s->phase[n], named->phase[n]) == 0)
        n++;
    return s->nphases ? n : named->nphases;
}

static void match_phases(model *m)
{
    m->named = m->graph.of[0];
    for (int r = 1; r < m->graph.p; r++)
        if (m->graph.of[r]->nphases > m->named->nphases)
            m->named = m->graph.of[r];
    for (int r = 0; r < m->graph.p; r++)
        m->leading[r] = count_leading(m->graph.of[r], m->named);
}

static bool in_phase(const model *m, int g)
{
    int rank = m->graph.rank[g], phase = stepgraph_step(&m->graph, g)->phase;

    if (phase >= m->leading[rank])
        phase += m->named->nphases - m->graph.of[rank]->nphases;
    return m->phase < 0 || phase == m->phase;
}

/* ---- ports ---- */

static port *port_of(port *ports, const model *m, int rank, int other)
{
    return &ports[2 * rank + (m->region && m->region[rank] != m->region[other])];
}

static void enqueue(model *m, port *q, int g, bool out)
{
    *(out ? &m->nodes[g].next_out : &m->nodes[g].next_in) = -1;
    if (q->head < 0)
        q->head = g;
    else
        *(out ? &m->nodes[q->tail].next_out : &m->nodes[q->tail].next_in) = g;
    q->tail = g;
}

static void heap_push(model *m, int g)
{
    int i = m->nheap++;

    for (; i > 0 && m->nodes[m->heap[(i - 1) / 2]].end > m->nodes[g].end; i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = g;
}

static int heap_pop(model *m)
{
    int first = m->heap[0], last = m->heap[--m->nheap], i = 0;

    for (int child; (child = 2 * i + 1) < m->nheap; i = child) {
        if (child + 1 < m->nheap && m->nodes[m->heap[child + 1]].end < m->nodes[m->heap[child]].end)
            child++;
        if (m->nodes[m->heap[child]].end >= m->nodes[last].end)
            break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = last;
    return first;
}

/* Start the oldest message of this port whose other port is free; drop those that have started. */
static void start_one(model *m, port *q, bool out)
{
    int *link = &q->head, before = -1;

    while (!q->busy && *link >= 0) {
        int g = *link;
        node *s = &m->nodes[g];
        int from = m->graph.rank[g], to = m->graph.rank[m->graph.peer[g]];
        port *a = port_of(m->out, m, from, to), *b = port_of(m->in, m, to, from);

        if (!s->started && !a->busy && !b->busy) {
            a->busy = b->busy = s->started = true;
            s->end = m->now + s->size;
            heap_push(m, g);
        }
        int *next = out ? &s->next_out : &s->next_in;
        if (s->started) {
            if (q->tail == g)
                q->tail = before;
            *link = *next;
        } else {
            before = g;
            link = next;
        }
    }
}

/* ---- run ---- */

static void lengthen(node *n, int64_t chain, int messages)
{
    if (chain > n->chain) {
        n->chain = chain;
        n->messages = messages;
    }
}

static void retire(model *m, int g)
{
    const node *n = &m->nodes[g];
    const sched *s = sched_of(m, g);
    int base = m->graph.base[m->graph.rank[g]];

    for (int k = s->succ_at[g - base]; k < s->succ_at[g - base + 1]; k++) {
        int next = base + s->succ[k];
        if (!in_phase(m, next))
            continue;
        lengthen(&m->nodes[next], n->chain, n->messages);
        if (--m->nodes[next].waiting == 0)
            m->work[m->nwork++] = next;
    }
}

/* A message is ready when both of its ends are. */
static void make_ready(model *m, int g)
{
    node *n = &m->nodes[g];

    if (!step_is_message(stepgraph_step(&m->graph, g))) {
        retire(m, g);
        return;
    }
    n->ready = true;
    if (!m->nodes[m->graph.peer[g]].ready)
        return;
    int send = stepgraph_step(&m->graph, g)->kind == STEP_SEND ? g : m->graph.peer[g];
    int from = m->graph.rank[send], to = m->graph.rank[m->graph.peer[send]];
    port *a = port_of(m->out, m, from, to), *b = port_of(m->in, m, to, from);
    enqueue(m, a, send, true);
    enqueue(m, b, send, false);
    start_one(m, a, true);
}

static void drain(model *m)
{
    for (int i = 0; i < m->nwork; i++) /* it grows meanwhile */
        make_ready(m, m->work[i]);
    m->nwork = 0;
}

static void complete(model *m, int send)
{
    int receive = m->graph.peer[send], from = m->graph.rank[send], to = m->graph.rank[receive];
    node *s = &m->nodes[send], *r = &m->nodes[receive];
    port *a = port_of(m->out, m, from, to), *b = port_of(m->in, m, to, from);

    m->now = s->end;
    lengthen(r, s->chain + s->size, s->messages + 1);
    a->busy = b->busy = false;
    retire(m, send);
    retire(m, receive);
    drain(m);
    start_one(m, a, true);
    start_one(m, b, false);
}

/* Tokens hold nothing: their message takes as long however many it names. */
static int64_t size_of(const sched *s, const step *st)
{
    int64_t size = 0;

    if (s->extent[SPACE_SEND] + s->extent[SPACE_RECV] == 0)
        return 1;
    for (int i = 0; i < st->n; i++)
        size += (int64_t)s->list[st->first + i].length;
    return size;
}

static void reset(model *m, int phase)
{
    m->phase = phase;
    m->now = 0;
    m->nheap = m->nwork = 0;
    for (int g = 0; g < m->graph.n; g++) {
        node *n = &m->nodes[g];
        n->waiting = 0;
        n->ready = n->started = false;
        n->chain = n->messages = 0;
    }
    for (int i = 0; i < 2 * m->graph.p; i++)
        m->out[i] = m->in[i] = (port){false, -1, -1};
    for (int g = 0; g < m->graph.n; g++) {
        const sched *s = sched_of(m, g);
        int base = m->graph.base[m->graph.rank[g]];
        for (int k = s->succ_at[g - base]; in_phase(m, g) && k < s->succ_at[g - base + 1]; k++)
            m->nodes[base + s->succ[k]].waiting++;
    }
}

/* The receives, or all others, that wait for nothing. */
static void begin(model *m, bool receives)
{
    for (int g = 0; g < m->graph.n; g++)
        if (in_phase(m, g) && m->nodes[g].waiting == 0 &&
            (stepgraph_step(&m->graph, g)->kind == STEP_RECV) == receives)
            m->work[m->nwork++] = g;
}

/* Receives first: then messages that could start at once are ready in the order of their sends. */
static int64_t run(model *m, int phase)
{
    reset(m, phase);
    begin(m, true);
    begin(m, false);
    drain(m);
    while (m->nheap > 0)
        complete(m, heap_pop(m));
    return m->now;
}

static void fill(model *m, const topo *t)
{
    int level = topo_regions(t);

    m->region = t && level < t->nlevels ? t->level[level].region : NULL;
    for (int g = 0; g < m->graph.n; g++)
        m->nodes[g] = (node){.size = size_of(sched_of(m, g), stepgraph_step(&m->graph, g))};
}

static bool allocate(model *m)
{
    size_t n = (size_t)m->graph.n + 1, p = (size_t)m->graph.p;

    m->leading = malloc(p * sizeof *m->leading);
    m->nodes = malloc(n * sizeof *m->nodes);
    m->out = malloc(4 * p * sizeof *m->out);
    m->heap = malloc(2 * n * sizeof *m->heap);
    m->in = m->out ? m->out + 2 * p : NULL;
    m->work = m->heap ? m->heap + n : NULL;
    return m->leading && m->nodes && m->out && m->heap;
}

static void find(model *m, critical_path *result)
{
    *result = (critical_path){.nphases = m->named->nphases};
    for (int i = 0; i < m->named->nphases; i++) {
        result->phase[i] = m->named->phase[i];
        result->phase_on_ports[i] = run(m, i);
    }
    result->on_ports = run(m, -1);
    for (int g = 0; g < m->graph.n; g++)
        if (m->nodes[g].chain > result->chain) {
            result->chain = m->nodes[g].chain;
            result->messages = m->nodes[g].messages;
        }
}

bool critical_path_find(sched *const of[], int p, const topo *t, critical_path *result)
{
    model m = {.phase = -1};
    bool done = stepgraph_make(&m.graph, of, p, NULL) && allocate(&m);

    if (done) {
        fill(&m, t);
        match_phases(&m);
        find(&m, result);
    }
    free(m.heap);
    free(m.out);
    free(m.nodes);
    free(m.leading);
    stepgraph_free(&m.graph);
    return done;
}
