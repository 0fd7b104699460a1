/* critical_path.c - see critical_path.h. */
#include "critical_path.h"

#include <stdlib.h>
#include <string.h>

/* All steps of all ranks in one row; a message is known by its send. */
typedef struct node {
    int rank, index, peer; /* peer: of a send its receive, and the other way; else -1 */
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
    sched *const *of;
    int p, n, phase;    /* phase: this one only, or -1 */
    const sched *named; /* the schedule that names most phases */
    const int *region;
    int *base;    /* [p + 1] */
    int *leading; /* [p]: phases before those that a rank leaves out */
    node *nodes;
    port *out, *in; /* [2 p]: local, between regions */
    int *heap, nheap;
    int *work, nwork; /* steps that are ready */
    int64_t now;
} model;

static const step *step_of(const model *m, int g)
{
    return &m->of[m->nodes[g].rank]->steps[m->nodes[g].index];
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
    m->named = m->of[0];
    for (int r = 1; r < m->p; r++)
        if (m->of[r]->nphases > m->named->nphases)
            m->named = m->of[r];
    for (int r = 0; r < m->p; r++)
        m->leading[r] = count_leading(m->of[r], m->named);
}

static bool in_phase(const model *m, int g)
{
    int rank = m->nodes[g].rank, phase = step_of(m, g)->phase;

    if (phase >= m->leading[rank])
        phase += m->named->nphases - m->of[rank]->nphases;
    return m->phase < 0 || phase == m->phase;
}

/* ---- matching: the k-th message of a to b is the k-th that b has from a ---- */

typedef struct end {
    int from, to, order, g;
} end;

static int compare_ends(const void *left, const void *right)
{
    const end *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int list_ends(const model *m, step_kind kind, end *list)
{
    int n = 0;

    for (int g = 0; g < m->n; g++) {
        const step *s = step_of(m, g);
        int me = m->nodes[g].rank;
        if (s->kind == kind)
            list[n++] = kind == STEP_SEND ? (end){me, s->peer, g, g} : (end){s->peer, me, g, g};
    }
    qsort(list, (size_t)n, sizeof *list, compare_ends);
    return n;
}

static bool match(model *m)
{
    end *sends = malloc(2 * ((size_t)m->n + 1) * sizeof *sends), *receives = sends + m->n + 1;
    int n;

    if (!sends)
        return false;
    n = list_ends(m, STEP_SEND, sends);
    list_ends(m, STEP_RECV, receives);
    for (int i = 0; i < n; i++) {
        m->nodes[sends[i].g].peer = receives[i].g;
        m->nodes[receives[i].g].peer = sends[i].g;
    }
    free(sends);
    return true;
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
        int from = s->rank, to = m->nodes[s->peer].rank;
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
    const sched *s = m->of[n->rank];

    for (int k = s->succ_at[n->index]; k < s->succ_at[n->index + 1]; k++) {
        int next = m->base[n->rank] + s->succ[k];
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

    if (!step_is_message(step_of(m, g))) {
        retire(m, g);
        return;
    }
    n->ready = true;
    if (!m->nodes[n->peer].ready)
        return;
    int send = step_of(m, g)->kind == STEP_SEND ? g : n->peer;
    int from = m->nodes[send].rank, to = m->nodes[m->nodes[send].peer].rank;
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
    node *s = &m->nodes[send], *r = &m->nodes[s->peer];
    port *a = port_of(m->out, m, s->rank, r->rank), *b = port_of(m->in, m, r->rank, s->rank);

    m->now = s->end;
    lengthen(r, s->chain + s->size, s->messages + 1);
    a->busy = b->busy = false;
    retire(m, send);
    retire(m, s->peer);
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
    for (int g = 0; g < m->n; g++) {
        node *n = &m->nodes[g];
        n->waiting = 0;
        n->ready = n->started = false;
        n->chain = n->messages = 0;
    }
    for (int i = 0; i < 2 * m->p; i++)
        m->out[i] = m->in[i] = (port){false, -1, -1};
    for (int g = 0; g < m->n; g++) {
        const node *n = &m->nodes[g];
        const sched *s = m->of[n->rank];
        for (int k = s->succ_at[n->index]; in_phase(m, g) && k < s->succ_at[n->index + 1]; k++)
            m->nodes[m->base[n->rank] + s->succ[k]].waiting++;
    }
}

/* The receives, or all others, that wait for nothing. */
static void begin(model *m, bool receives)
{
    for (int g = 0; g < m->n; g++)
        if (in_phase(m, g) && m->nodes[g].waiting == 0 &&
            (step_of(m, g)->kind == STEP_RECV) == receives)
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
    int level = topo_regions(t), g = 0;

    m->region = t && level < t->nlevels ? t->level[level].region : NULL;
    for (int r = 0; r < m->p; r++) {
        m->base[r] = g;
        for (int i = 0; i < m->of[r]->nsteps; i++, g++)
            m->nodes[g] = (node){.rank = r, .index = i, .peer = -1};
    }
    for (g = 0; g < m->n; g++)
        m->nodes[g].size = size_of(m->of[m->nodes[g].rank], step_of(m, g));
}

static bool allocate(model *m)
{
    size_t n = (size_t)m->n + 1, p = (size_t)m->p;

    m->base = malloc((2 * p + 1) * sizeof *m->base);
    m->nodes = malloc(n * sizeof *m->nodes);
    m->out = malloc(4 * p * sizeof *m->out);
    m->heap = malloc(2 * n * sizeof *m->heap);
    m->leading = m->base ? m->base + p + 1 : NULL;
    m->in = m->out ? m->out + 2 * p : NULL;
    m->work = m->heap ? m->heap + n : NULL;
    return m->base && m->nodes && m->out && m->heap;
}

static void find(model *m, critical_path *result)
{
    *result = (critical_path){.nphases = m->named->nphases};
    for (int i = 0; i < m->named->nphases; i++) {
        result->phase[i] = m->named->phase[i];
        result->phase_on_ports[i] = run(m, i);
    }
    result->on_ports = run(m, -1);
    for (int g = 0; g < m->n; g++)
        if (m->nodes[g].chain > result->chain) {
            result->chain = m->nodes[g].chain;
            result->messages = m->nodes[g].messages;
        }
}

bool critical_path_find(sched *const of[], int p, const topo *t, critical_path *result)
{
    model m = {.of = of, .p = p, .phase = -1};
    bool done = false;

    for (int r = 0; r < p; r++)
        m.n += of[r]->nsteps;
    if (allocate(&m)) {
        fill(&m, t);
        match_phases(&m);
        done = match(&m);
    }
    if (done)
        find(&m, result);
    free(m.heap);
    free(m.out);
    free(m.nodes);
    free(m.base);
    return done;
}
