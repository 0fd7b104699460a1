/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.c - the simulator: see sim.h. Memory failures abort: it is a test tool. */
#include "sim/sim.h"

#include "sim/mailbox.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xa5 };
enum { NO_ROOM, ROOM, HELD };

typedef enum event_kind { EVENT_ISSUE, EVENT_DELIVER, EVENT_RETIRE } event_kind;

/* ISSUE and RETIRE: of (rank, step). DELIVER: message of (from, send) to (rank, step). */
typedef struct event {
    event_kind kind;
    int rank, step, from, send;
    unsigned char *data; /* DELIVER: the buffered eager data, or NULL */
} event;

typedef struct state {
    int32_t *waiting;    /* [step] */
    int *depth;          /* [step]: messages on the longest chain that ends with it */
    int32_t *behind;     /* [step]: the next send of its queue, or -1 */
    unsigned char *room; /* [step]: ROOM: the ring is free for this send; HELD: it waits for that */
    int done;
    mailbox box;
    int messages;
    int open[2]; /* sends, receives */
    int64_t sent, received;
} state;

typedef struct sim {
    const sim_rank *ranks;
    int p;
    const sim_options *o;
    sim_result *r;
    state *state;
    event *events;
    int nevents, cap;
    uint64_t random;
} sim;

uint64_t sim_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void push(sim *m, event e)
{
    if (m->nevents == m->cap) {
        m->cap = m->cap ? 2 * m->cap : 256;
        m->events = must(realloc(m->events, (size_t)m->cap * sizeof *m->events));
    }
    m->events[m->nevents++] = e;
}

static int64_t items_before(const sim *m, int rank, sched_space space, int64_t element)
{
    const sim_rank *r = &m->ranks[rank];

    return sched_items(r->sched->parts, r->count[space], element);
}

static int64_t items(const sim *m, int rank, interval i)
{
    return items_before(m, rank, i.space, interval_end(i)) -
           items_before(m, rank, i.space, i.offset);
}

static unsigned char *address(const sim *m, int rank, interval i)
{
    return (unsigned char *)m->ranks[rank].buffer[i.space] +
           (size_t)items_before(m, rank, i.space, i.offset) * m->o->size[i.space];
}

static size_t bytes(const sim *m, int rank, interval i)
{
    return (size_t)items(m, rank, i) * m->o->size[i.space];
}

static size_t message_bytes(const sim *m, int rank, const step *st)
{
    const sched *s = m->ranks[rank].sched;
    size_t sum = 0;

    for (int i = 0; i < st->n; i++)
        sum += bytes(m, rank, s->list[st->first + i]);
    return sum;
}

/* Parts without data: both sides know, and nothing is sent. */
static bool is_empty(const sim *m, int rank, const step *st)
{
    return m->ranks[rank].sched->parts > 1 && message_bytes(m, rank, st) == 0;
}

__attribute__((format(printf, 2, 3))) static void fail(sim *m, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(m->r->error, sizeof m->r->error, format, list);
    va_end(list);
}

static unsigned char *gather(const sim *m, int rank, const step *st)
{
    const sched *s = m->ranks[rank].sched;
    unsigned char *data = must(malloc(message_bytes(m, rank, st) + 1)), *at = data;

    for (int i = 0; i < st->n; i++) {
        interval v = s->list[st->first + i];
        memcpy(at, address(m, rank, v), bytes(m, rank, v));
        at += bytes(m, rank, v);
    }
    return data;
}

/* ---- messages ---- */

static void match(sim *m, int to, int step, int from, int send, unsigned char *data)
{
    push(m, (event){EVENT_DELIVER, to, step, from, send, data});
}

static void count_open(sim *m, int rank, step_kind kind, int by)
{
    int *open = &m->state[rank].open[kind == STEP_RECV], *most = &m->r->max_open[kind == STEP_RECV];

    *open += by;
    if (*open > *most)
        *most = *open;
}

static void count_sent(sim *m, int rank, const step *st)
{
    int64_t size = (int64_t)(message_bytes(m, rank, st) / m->o->size[SPACE_RECV]);

    if (m->o->traffic)
        m->o->traffic(m->o->context, rank, st->peer, size);
    m->state[rank].messages++;
    m->state[rank].sent += size;
    m->state[st->peer].received += size;
    if (size > m->r->max_size)
        m->r->max_size = size;
}

/* ---- rings ---- */

/* All sends of one queue in program order; the first has room. */
static void order_sends(sim *m, int rank)
{
    const sched *s = m->ranks[rank].sched;
    state *t = &m->state[rank];
    int32_t *last = must(malloc((size_t)s->nqueues * sizeof *last + 1));

    t->behind = must(malloc((size_t)s->nsteps * sizeof *t->behind + 1));
    t->room = must(calloc((size_t)s->nsteps + 1, 1));
    memset(last, -1, (size_t)s->nqueues * sizeof *last);
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        t->behind[i] = -1;
        if (st->kind != STEP_SEND || is_empty(m, rank, st))
            continue;
        if (last[st->queue] < 0)
            t->room[i] = ROOM;
        else
            t->behind[last[st->queue]] = i;
        last[st->queue] = i;
    }
    free(last);
}

static bool has_room(sim *m, int rank, int index)
{
    unsigned char *room = &m->state[rank].room[index];

    if (m->o->sends != SIM_RINGS || *room == ROOM)
        return true;
    *room = HELD;
    return false;
}

/* The message has been read. */
static void make_room(sim *m, int rank, int index)
{
    int next = m->state[rank].behind[index];

    if (next < 0)
        return;
    if (m->state[rank].room[next] == HELD)
        push(m, (event){.kind = EVENT_ISSUE, .rank = rank, .step = next});
    m->state[rank].room[next] = ROOM;
}

static void post_send(sim *m, int rank, int index)
{
    const step *st = &m->ranks[rank].sched->steps[index];
    if (is_empty(m, rank, st)) {
        push(m, (event){.kind = EVENT_RETIRE, .rank = rank, .step = index});
        return;
    }
    if (!has_room(m, rank, index))
        return;
    bool mixed = m->o->sends == SIM_MIXED || m->o->sends == SIM_RINGS;
    bool eager = m->o->sends == SIM_EAGER || (mixed && sim_random(&m->random) & 1);
    unsigned char *data = eager ? gather(m, rank, st) : NULL;
    mailbox *box = &m->state[st->peer].box;
    envelope *posted = mailbox_take(box->posted, rank, st->tag);

    count_open(m, rank, STEP_SEND, 1);
    if (eager)
        push(m, (event){.kind = EVENT_RETIRE, .rank = rank, .step = index});
    if (posted)
        match(m, posted->rank, posted->step, rank, index, data);
    else
        mailbox_append(box->arrived, (envelope){NULL, rank, index, st->tag, rank, data});
    free(posted);
    count_sent(m, rank, st);
}

static void post_recv(sim *m, int rank, int index)
{
    const sched *s = m->ranks[rank].sched;
    const step *st = &s->steps[index];
    if (is_empty(m, rank, st)) {
        push(m, (event){.kind = EVENT_RETIRE, .rank = rank, .step = index});
        return;
    }
    mailbox *box = &m->state[rank].box;
    envelope *arrived = mailbox_take(box->arrived, st->peer, st->tag);

    count_open(m, rank, STEP_RECV, 1);
    for (int i = 0; i < st->n; i++)
        memset(address(m, rank, s->list[st->first + i]), POISON,
               bytes(m, rank, s->list[st->first + i]));
    if (arrived)
        match(m, rank, index, arrived->rank, arrived->step, arrived->data);
    else
        mailbox_append(box->posted, (envelope){NULL, rank, index, st->tag, st->peer, NULL});
    free(arrived);
}

/* ---- events ---- */

static void retire(sim *m, int rank, int index)
{
    const sched *s = m->ranks[rank].sched;
    state *t = &m->state[rank];

    t->done++;
    if (step_is_message(&s->steps[index]) && !is_empty(m, rank, &s->steps[index]))
        count_open(m, rank, (step_kind)s->steps[index].kind, -1);
    if (t->depth[index] > m->r->critical_path)
        m->r->critical_path = t->depth[index];
    for (int k = s->succ_at[index]; k < s->succ_at[index + 1]; k++) {
        int next = s->succ[k];
        if (t->depth[index] > t->depth[next])
            t->depth[next] = t->depth[index];
        if (--t->waiting[next] == 0)
            push(m, (event){.kind = EVENT_ISSUE, .rank = rank, .step = next});
    }
}

static void run_local(sim *m, int rank, int index)
{
    const sched *s = m->ranks[rank].sched;
    const step *st = &s->steps[index];

    if (st->kind != STEP_FENCE) {
        interval from = s->list[st->first], to = s->list[st->first + 1];
        if (bytes(m, rank, from) != bytes(m, rank, to))
            fail(m, "rank %d step %d: lengths differ", rank, index);
        else if (from.offset % s->parts != to.offset % s->parts)
            fail(m, "rank %d step %d: from one part to another", rank, index);
        else if (st->kind == STEP_COPY) {
            memcpy(address(m, rank, to), address(m, rank, from), bytes(m, rank, from));
            m->r->copied += items(m, rank, to);
        } else {
            m->o->op(address(m, rank, from), address(m, rank, to), items(m, rank, to));
            m->r->reduced += items(m, rank, to);
        }
    }
    retire(m, rank, index);
}

static void issue(sim *m, int rank, int index)
{
    switch (m->ranks[rank].sched->steps[index].kind) {
    case STEP_SEND:
        post_send(m, rank, index);
        break;
    case STEP_RECV:
        post_recv(m, rank, index);
        break;
    default:
        run_local(m, rank, index);
    }
}

/* Are both sides of the message the same parts, in the same order? */
static bool same_parts(const sched *from, const step *send, const sched *to, const step *recv)
{
    int64_t done[2] = {0}; /* elements of the interval that each side is at */

    if (from->parts != to->parts)
        return false;
    for (int i = 0, k = 0; i < send->n && k < recv->n && from->parts > 1;) {
        interval x = from->list[send->first + i], y = to->list[recv->first + k];
        int64_t left = (int64_t)x.length - done[0], other = (int64_t)y.length - done[1];
        int64_t n = left < other ? left : other;

        if ((x.offset + done[0] - y.offset - done[1]) % from->parts != 0)
            return false;
        done[0] = n == left ? 0 : done[0] + n;
        done[1] = n == other ? 0 : done[1] + n;
        i += n == left;
        k += n == other;
    }
    return true;
}

/* The receive ends a chain that is one message longer than the one that led to the send. What made
 * the receive's target free counts too, but posting it is no message. */
static void deliver(sim *m, const event *e)
{
    const sched *from = m->ranks[e->from].sched, *to = m->ranks[e->rank].sched;
    const step *send = &from->steps[e->send], *recv = &to->steps[e->step];
    unsigned char *data = e->data ? e->data : gather(m, e->from, send), *at = data;
    int depth = m->state[e->from].depth[e->send] + 1;

    if (message_bytes(m, e->from, send) != message_bytes(m, e->rank, recv))
        fail(m, "message %d->%d: sent and received lengths differ", e->from, e->rank);
    else if (!same_parts(from, send, to, recv))
        fail(m, "message %d->%d: from one part to another", e->from, e->rank);
    else
        for (int i = 0; i < recv->n; i++) {
            interval v = to->list[recv->first + i];
            memcpy(address(m, e->rank, v), at, bytes(m, e->rank, v));
            at += bytes(m, e->rank, v);
        }
    make_room(m, e->from, e->send);
    if (!e->data)
        push(m, (event){.kind = EVENT_RETIRE, .rank = e->from, .step = e->send});
    free(data);
    if (depth > m->state[e->rank].depth[e->step])
        m->state[e->rank].depth[e->step] = depth;
    retire(m, e->rank, e->step);
}

static void sim_init(sim *m)
{
    m->state = must(calloc((size_t)m->p, sizeof *m->state));
    for (int r = 0; r < m->p; r++) {
        const sched *s = m->ranks[r].sched;
        state *t = &m->state[r];

        t->waiting = must(malloc((size_t)s->nsteps * sizeof *t->waiting + 1));
        t->depth = must(calloc((size_t)s->nsteps + 1, sizeof *t->depth));
        memcpy(t->waiting, s->ndeps, (size_t)s->nsteps * sizeof *t->waiting);
        order_sends(m, r);
        for (int i = 0; i < s->nready && r != m->o->withheld - 1; i++)
            push(m, (event){.kind = EVENT_ISSUE, .rank = r, .step = s->ready[i]});
    }
}

/* Nothing happens any more: has the rank done all of it? */
static void finish_rank(sim *m, int rank)
{
    state *t = &m->state[rank];
    int left = mailbox_drop(t->box.arrived), nsteps = m->ranks[rank].sched->nsteps;

    mailbox_drop(t->box.posted);
    m->r->finished += t->done == nsteps;
    if (m->o->withheld || m->r->error[0])
        return;
    if (t->done < nsteps)
        fail(m, "deadlock: rank %d did only %d steps", rank, t->done);
    else if (left)
        fail(m, "%d messages to rank %d were never received", left, rank);
}

static void sim_finish(sim *m)
{
    sim_result *r = m->r;

    r->min_sent = INT64_MAX;
    for (int k = 0; k < m->p; k++) {
        state *t = &m->state[k];

        finish_rank(m, k);
        if (t->messages > r->max_messages)
            r->max_messages = t->messages;
        if (t->sent > r->max_sent)
            r->max_sent = t->sent;
        if (t->sent < r->min_sent)
            r->min_sent = t->sent;
        if (t->received > r->max_received)
            r->max_received = t->received;
        r->sent += t->sent;
        free(t->behind);
        free(t->room);
        free(t->waiting);
        free(t->depth);
    }
    free(m->state);
    free(m->events);
}

void sim_run(const sim_rank *ranks, int p, const sim_options *o, sim_result *result)
{
    sim m = {.ranks = ranks, .p = p, .o = o, .r = result, .random = o->seed};

    *result = (sim_result){0};
    sim_init(&m);
    while (m.nevents && !result->error[0]) {
        int pick = (int)(sim_random(&m.random) % (uint64_t)m.nevents);
        event e = m.events[pick];

        m.events[pick] = m.events[--m.nevents];
        if (e.kind == EVENT_ISSUE)
            issue(&m, e.rank, e.step);
        else if (e.kind == EVENT_DELIVER)
            deliver(&m, &e);
        else
            retire(&m, e.rank, e.step);
    }
    for (int i = 0; i < m.nevents; i++)
        free(m.events[i].data);
    sim_finish(&m);
}
