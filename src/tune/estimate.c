/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.c - see estimate.h. */
#include "tune/estimate.h"

#include "tune/link.h"

#include <stdlib.h>

static const double picoseconds = 1e12;

/* Tuning: on nodes of more cores than that all ranks are as slow as if all were at work. */
enum { CORES_MOST = 32, RANKS_MOST = 300 };

/* A thing that does one piece of work after the other. */
typedef struct server {
    int64_t free; /* from then on */
    int64_t work; /* all it has been given */
    int core;     /* where ranks share them: that it has or had */
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

/* In one number, so that no branch is needed to compare two, and that few bytes are sifted: from
 * the highest bit on when it is, 32 bits of its number (of those at one time the oldest first), 2
 * of what it is, 30 of its step or link. */
typedef unsigned __int128 event;

/* What is looked at again and again is here, not behind the pointers of the graph. */
typedef struct progress {
    int64_t posted_at;
    int64_t bytes; /* of the message, or copied, or reduced */
    int waiting;   /* for so many steps */
    int rank, peer;
    int behind; /* of a send that is on its way: the next one to the same rank, or -1 */
    uint8_t kind;
    uint8_t links;    /* of a send: that it has not passed yet */
    uint8_t way;      /* of a send: index in model.way */
    bool packs : 1;   /* an end of a message of several runs of bytes */
    bool posted : 1;  /* a message's end has been begun, */
    bool arrived : 1; /* and its data is there: a receive */
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
    int cores;         /* of each node, where ranks share them; 0: each rank has its own */
    int64_t *core;     /* [cores * nodes]: free from then on */
    int64_t turn;      /* until a rank that waits has one */
    int *queue;        /* [p + 1]: where the queues of each rank begin */
    int *last;         /* of each queue: the last send that is on its way or waits, or -1 */
    int *home;         /* [p]: each rank's node; folded, one node stands for all */
    int nodes;
    tune_link *link; /* [LINKS * nodes] */
    int64_t *told;   /* of each link: when it is to be looked at, or NEVER */
    link_flow *flow; /* of all links: as many as messages pass it */
    progress *of;    /* [g->n] */
    event *heap;
    int nheap, room;
    uint32_t events;
    int64_t most; /* nobody asks how much longer it takes */
    int64_t end;  /* of the last step whose end is known */
    int ended;    /* steps */
    bool no_memory;
    step_time *times; /* [g->n], or NULL: nobody wants them */
} model;

/* ---- events, the next first ---- */

enum { WIDTH = 4 }; /* of the heap: half as deep as a binary one, and in fewer lines of the cache */

static event event_make(int64_t at, uint32_t number, what what, int step)
{
    return (event)(uint64_t)at << 64 | (event)number << 32 | (uint32_t)what << 30 | (uint32_t)step;
}

static bool grow(model *m)
{
    int room = 2 * m->room + 64;
    event *larger = realloc(m->heap, (size_t)room * sizeof *larger);

    if (!larger) {
        m->no_memory = true;
        return false;
    }
    m->heap = larger;
    m->room = room;
    return true;
}

static void rise(event *heap, int i, event e)
{
    for (int up; i > 0 && e < heap[up = (i - 1) / WIDTH]; i = up)
        heap[i] = heap[up];
    heap[i] = e;
}

static void push(model *m, int64_t at, what what, int step)
{
    if (m->nheap < m->room || grow(m))
        rise(m->heap, m->nheap++, event_make(at, m->events++, what, step));
}

static int first_of(const event *heap, int i, int end)
{
    int first = i;

    for (i++; i < end; i++)
        first = heap[i] < heap[first] ? i : first;
    return first;
}

/* The hole goes down to a leaf, and the last event up from there: it seldom rises far. */
static event pop(model *m)
{
    event *heap = m->heap, first = heap[0];
    int n = --m->nheap, i = 0;

    for (int child; (child = WIDTH * i + 1) < n; i = child) {
        child = first_of(heap, child, child + WIDTH < n ? child + WIDTH : n);
        heap[i] = heap[child];
    }
    rise(heap, i, heap[n]);
    return first;
}

/* ---- work ---- */

/* Of so many bytes, at so many picoseconds for 2^20 of them. */
static int64_t work(int64_t bytes, int64_t cost)
{
    return (int64_t)((__int128)bytes * cost >> 20);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A rank that has nothing to do gives its core away, and has the one of its node that is free
 * first, after a turn, when there is something to do again; it stays on that for what comes at
 * once, behind what others have begun there. Returns when it begins. */
static int64_t core_begins(model *m, int rank, int64_t from, int64_t takes)
{
    server *s = &m->processor[rank];
    int64_t *core = &m->core[m->home[rank] * m->cores], turn = 0, begin;

    if (from > s->free || s->work == 0) {
        s->core = 0;
        for (int i = 1; i < m->cores; i++)
            s->core = core[i] < core[s->core] ? i : s->core;
        turn = m->turn;
    }
    begin = larger(from, core[s->core]) + turn;
    core[s->core] = begin + takes;
    return begin;
}

/* The processor of a step's rank does it, from `from` on at the earliest. Returns when it ends. */
static int64_t served(model *m, int i, int64_t from, int64_t takes)
{
    int rank = m->of[i].rank;
    server *s = &m->processor[rank];
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

static int find_way(const model *m, int send)
{
    int from = stepgraph_who(m->g, m->of[send].rank), to = stepgraph_step(m->g, send)->peer;

    if (node_of(m, from) != node_of(m, to))
        return WAY_NETWORK;
    return m->inner && m->inner[from] == m->inner[to] ? WAY_INNER : WAY_NODE;
}

static const costs *way_of(const model *m, int send)
{
    return &m->way[m->of[send].way];
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
    return c->overhead + (m->of[i].packs ? work(bytes, m->copy) : 0);
}

/* Where ranks share cores a core copies a message of their node, and its links let it through at
 * once. */
static bool is_copied(const model *m, int send)
{
    return m->cores && m->of[send].way != WAY_NETWORK;
}

/* Of the receiver's processor, for a message. */
static int64_t taking(const model *m, int send, int i, const costs *c)
{
    int64_t bytes = m->of[send].bytes,
            rate = larger(c->message, m->way[WAY_NODE].shared * m->cores);

    return handling(m, i, bytes, c) + (is_copied(m, send) ? work(bytes, rate) : 0);
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

    m->end = larger(m->end, at);
    if (s->succ_at[k] < s->succ_at[k + 1])
        push(m, at, ENDS, i);
    else
        m->ended++;
}

static void begin_message(model *m, int send, int64_t now)
{
    progress *s = &m->of[send], *r = &m->of[s->peer];
    bool waits = s->bytes > way_of(m, send)->eager;

    if (s->posted && (r->posted || !waits))
        push(m, larger(now, s->posted_at), STARTS, send);
}

static void begin_send(model *m, int i, int64_t now)
{
    progress *p = &m->of[i];
    const costs *c = way_of(m, i);

    p->posted = true;
    p->posted_at = served(m, i, now, handling(m, i, p->bytes, c));
    if (p->bytes <= c->eager)
        end_at(m, i, p->posted_at);
    begin_message(m, i, now);
}

static void begin_receive(model *m, int i, int64_t now)
{
    progress *p = &m->of[i];
    int64_t bytes = m->of[p->peer].bytes;
    const costs *c = way_of(m, p->peer);

    p->posted = true;
    if (p->arrived)
        end_at(m, i, served(m, i, now, taking(m, p->peer, i, c) + work(bytes, m->copy)));
    else if (bytes > c->eager)
        begin_message(m, p->peer, now);
}

static void begin_local(model *m, int i, int64_t now)
{
    progress *p = &m->of[i];
    int64_t rate = p->kind == STEP_COPY ? m->copy : m->reduce;

    end_at(m, i, p->kind == STEP_FENCE ? now : served(m, i, now, work(p->bytes, rate)));
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

static int link_of(const model *m, int node, links which)
{
    return (int)which * m->nodes + node;
}

/* The links that a message passes, all at once: one or two. */
static int links_of(const model *m, int send, int passed[2])
{
    const progress *p = &m->of[send];
    bool far = p->way == WAY_NETWORK;

    passed[0] = link_of(m, m->home[p->rank], far ? OUT : MEMORY);
    if (far)
        passed[1] = link_of(m, m->home[m->of[p->peer].rank], IN);
    return far ? 2 : 1;
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

static int *last_of(const model *m, int send)
{
    int rank = m->of[send].rank;

    return &m->last[m->queue[rank] + stepgraph_step(m->g, send)->queue];
}

static void set_out(model *m, int send, int64_t now)
{
    int passed[2], n = links_of(m, send, passed);

    if (m->times)
        m->times[send].leaves = now;
    if (is_copied(m, send)) {
        *last_of(m, send) = -1;
        push(m, now + way_of(m, send)->latency, ARRIVES, send);
        return;
    }
    m->of[send].links = (uint8_t)n;
    for (int i = 0; i < n; i++) {
        tune_link *l = &m->link[passed[i]];
        link_add(l, now, m->of[send].bytes, send, m->of[send].bytes > way_of(m, send)->eager);
        look_again(m, passed[i]);
    }
}

/* Messages from one rank to another go one behind the other. */
static void start(model *m, int send, int64_t now)
{
    int *last = last_of(m, send), before = *last;

    *last = send;
    if (before < 0)
        set_out(m, send, now);
    else
        m->of[before].behind = send;
}

static void set_out_next(model *m, int send, int64_t now)
{
    int next = m->of[send].behind;

    if (next < 0)
        *last_of(m, send) = -1;
    else
        set_out(m, next, now);
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
        if (--m->of[send].links == 0) {
            push(m, now + delay_of(m, send), ARRIVES, send);
            set_out_next(m, send, now);
        }
    }
    look_again(m, which);
}

static void arrive(model *m, int send, int64_t now)
{
    const progress *s = &m->of[send];
    progress *r = &m->of[s->peer];
    const costs *c = way_of(m, send);
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
    int64_t now = (int64_t)(e >> 64);
    int step = (int)(e & ((1U << 30) - 1));

    switch ((what)((uint32_t)e >> 30)) {
    case STARTS:
        start(m, step, now);
        break;
    case PASSES:
        pass(m, step, now);
        break;
    case ARRIVES:
        arrive(m, step, now);
        break;
    case ENDS:
        end_step(m, step, now);
        break;
    }
}

static void run(model *m)
{
    for (int r = 0; r < m->g->p; r++) {
        const sched *s = m->g->of[r];
        for (int k = 0; k < s->nready; k++)
            begin_step(m, m->g->base[r] + s->ready[k], 0);
    }
    while (m->nheap > 0 && m->end <= m->most)
        happen(m, pop(m));
}

/* ---- */

static int64_t in_picoseconds(double seconds)
{
    return (int64_t)(seconds * picoseconds + 0.5);
}

static int64_t of_rate(double bytes_per_second)
{
    return bytes_per_second > 0 ? in_picoseconds((1 << 20) / bytes_per_second) : 0;
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

static int count_queues(const model *m)
{
    int n = 0;

    for (int r = 0; r < m->g->p; r++)
        n += m->g->of[r]->nqueues;
    return n;
}

static bool allocate(model *m)
{
    size_t n = (size_t)m->g->n + 1, links = (size_t)LINKS * (size_t)m->nodes;

    m->processor = calloc((size_t)m->g->p, sizeof *m->processor);
    m->home = calloc((size_t)m->g->p, sizeof *m->home);
    m->core = calloc((size_t)m->cores * (size_t)m->nodes + 1, sizeof *m->core);
    m->queue = malloc(((size_t)m->g->p + 1) * sizeof *m->queue);
    m->last = malloc(((size_t)count_queues(m) + 1) * sizeof *m->last);
    m->link = calloc(links, sizeof *m->link);
    m->told = malloc(links * sizeof *m->told);
    m->flow = malloc(2 * n * sizeof *m->flow);
    m->of = malloc(n * sizeof *m->of);
    return m->processor && m->home && m->core && m->queue && m->last && m->link && m->told &&
           m->flow && m->of;
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
        for (int k = m->of[i].kind == STEP_SEND ? links_of(m, i, passed) : 0; k > 0; k--)
            m->link[passed[k - 1]].n++;
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

static void make_step(model *m, int i)
{
    const step *st = stepgraph_step(m->g, i);
    int rank = m->g->rank[i];
    progress *p = &m->of[i];

    *p = (progress){.rank = rank,
                    .peer = m->g->peer[i],
                    .kind = st->kind,
                    .packs = st->n > 1,
                    .behind = -1,
                    .waiting = m->g->of[rank]->ndeps[i - m->g->base[rank]],
                    .bytes = count_bytes(m, i)};
    if (st->kind == STEP_SEND)
        p->way = (uint8_t)find_way(m, i);
}

static void make_steps(model *m)
{
    for (int i = 0; i < m->g->n; i++)
        make_step(m, i);
    for (int r = 0; !m->g->fold && r < m->g->p; r++)
        m->home[r] = node_of(m, r);
}

static void make_queues(model *m)
{
    m->queue[0] = 0;
    for (int r = 0; r < m->g->p; r++)
        m->queue[r + 1] = m->queue[r] + m->g->of[r]->nqueues;
    for (int i = 0; i < m->queue[m->g->p]; i++)
        m->last[i] = -1;
}

static int64_t most_work(const model *m, links which)
{
    const tune_link *l = &m->link[link_of(m, 0, which)];
    int64_t most = 0;

    for (int i = 0; i < m->nodes; i++)
        most = larger(most, work(l[i].bytes, l[i].shared));
    return most;
}

/* The work of its ranks, for each core; of the node that has most. */
static int64_t work_of_cores(const model *m)
{
    int64_t most = 0;

    for (int node = 0; m->cores && node < m->nodes; node++) {
        int64_t sum = 0;
        for (int r = 0; r < m->g->p; r++)
            sum += m->home[r] == node ? m->processor[r].work : 0;
        most = larger(most, sum / m->cores);
    }
    return most;
}

static estimate result_of(const model *m)
{
    int64_t processor = 0;

    for (int r = 0; r < m->g->p; r++)
        processor = larger(processor, m->processor[r].work);
    return (estimate){.time = m->end,
                      .steps = m->ended,
                      .longer = m->end > m->most,
                      .processor = processor,
                      .cores = work_of_cores(m),
                      .memory = most_work(m, MEMORY),
                      .out = most_work(m, OUT),
                      .in = most_work(m, IN)};
}

bool estimate_gives_cores(const constants *k, int p)
{
    return k->load > 1 && k->cores <= CORES_MOST && p <= RANKS_MOST;
}

static bool has_switches(const topo *t)
{
    return t && t->nlevels > 0 && t->level[0].kind == TOPO_SWITCH;
}

static bool find(const stepgraph *g, int64_t count, int64_t size, const topo *t, const constants *k,
                 int64_t most, step_time *times, estimate *result)
{
    const topo_level *inner = topo_inner(t);
    bool shares = estimate_gives_cores(k, g->p) && !g->fold;
    constants own = shares ? constants_alone(k) : *k;
    model m = {.g = g,
               .count = count,
               .size = size,
               .node = t ? t->node : NULL,
               .inner = inner ? inner->region : NULL,
               .climb = has_switches(t) ? t : NULL,
               .switches = in_picoseconds(k->switches),
               .cores = shares ? (k->cores < 1 ? 1 : (int)k->cores) : 0,
               .turn = in_picoseconds(k->way[WAY_NODE].turn),
               .nodes = t && !g->fold ? t->nodes : 1,
               .copy = of_rate(own.copy),
               .reduce = of_rate(own.reduce),
               .most = most,
               .times = times};
    bool done = allocate(&m);

    for (int w = 0; w < WAYS; w++) {
        m.way[w] = costs_of(&own.way[w]);
        if (shares) /* those that wait look one after the other: half a round of them, or a whole */
            m.way[w].latency += in_picoseconds(k->load * k->way[w].turn * 3 / 4);
    }
    for (int i = 0; times && i < g->n; i++)
        times[i] = (step_time){STEP_NEVER, STEP_NEVER, STEP_NEVER, STEP_NEVER};
    if (done) {
        make_steps(&m);
        make_queues(&m);
        make_links(&m);
        run(&m);
        *result = result_of(&m);
        done = !m.no_memory && (m.ended == g->n || result->longer);
    }
    free(m.heap);
    free(m.of);
    free(m.flow);
    free(m.told);
    free(m.link);
    free(m.last);
    free(m.queue);
    free(m.core);
    free(m.home);
    free(m.processor);
    return done;
}

bool estimate_find(const stepgraph *g, int64_t count, int64_t size, const topo *t,
                   const constants *k, int64_t most, estimate *result)
{
    return find(g, count, size, t, k, most, NULL, result);
}

bool estimate_watch(const stepgraph *g, int64_t count, int64_t size, const topo *t,
                    const constants *k, step_time *times, estimate *result)
{
    return find(g, count, size, t, k, ESTIMATE_ALL, times, result);
}
