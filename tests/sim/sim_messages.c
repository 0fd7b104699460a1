/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_messages.c - how simulated messages travel: a send and a receive are posted, matched, and the
 * message is delivered; and the rings that SIM_RINGS has between. See sim.h and sim_inside.h.
 */
#include "sim/must.h"
#include "sim/sim_inside.h"

#include <stdlib.h>
#include <string.h>

/* Of a send. ROOM: the ring is free for it; HELD: it waits for that. */
enum { NO_ROOM, ROOM, HELD };

static void message_match(sim *m, int to, int step, int from, int send, unsigned char *data)
{
    sim_push(m, (sim_event){EVENT_DELIVER, to, step, from, send, data});
}

static void message_count(sim *m, int rank, const step *st)
{
    int64_t size = (int64_t)(sim_message_bytes(m, rank, st) / m->o->size[SPACE_RECV]);

    if (m->o->traffic)
        m->o->traffic(m->o->context, rank, st->peer, size);
    m->state[rank].messages++;
    m->state[rank].sent += size;
    m->state[st->peer].received += size;
    if (size > m->r->max_size)
        m->r->max_size = size;
}

/* ---- rings ---- */

/* The first send of each queue has room. */
void sim_order_sends(sim *m, int rank)
{
    const sched *s = m->ranks[rank].sched;
    sim_state *t = &m->state[rank];
    int32_t *last = sim_must(malloc((size_t)s->nqueues * sizeof *last + 1));

    t->next_send = sim_must(malloc((size_t)s->nsteps * sizeof *t->next_send + 1));
    t->room = sim_must(calloc((size_t)s->nsteps + 1, 1));
    memset(last, -1, (size_t)s->nqueues * sizeof *last);
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        t->next_send[i] = -1;
        if (st->kind != STEP_SEND || sim_is_empty(m, rank, st))
            continue;
        if (last[st->queue] < 0)
            t->room[i] = ROOM;
        else
            t->next_send[last[st->queue]] = i;
        last[st->queue] = i;
    }
    free(last);
}

static bool ring_has_room(sim *m, int rank, int index)
{
    unsigned char *room = &m->state[rank].room[index];

    if (m->o->sends != SIM_RINGS || *room == ROOM)
        return true;
    *room = HELD;
    return false;
}

/* The message has been read. */
static void ring_make_room(sim *m, int rank, int index)
{
    int next = m->state[rank].next_send[index];

    if (next < 0)
        return;
    if (m->state[rank].room[next] == HELD)
        sim_push(m, (sim_event){.kind = EVENT_ISSUE, .rank = rank, .step = next});
    m->state[rank].room[next] = ROOM;
}

/* ---- from post to delivery ---- */

void sim_post_send(sim *m, int rank, int index)
{
    const step *st = &m->ranks[rank].sched->steps[index];
    if (sim_is_empty(m, rank, st)) {
        sim_push(m, (sim_event){.kind = EVENT_RETIRE, .rank = rank, .step = index});
        return;
    }
    if (!ring_has_room(m, rank, index))
        return;
    bool mixed = m->o->sends == SIM_MIXED || m->o->sends == SIM_RINGS;
    bool eager = m->o->sends == SIM_EAGER || (mixed && sim_random(&m->random) & 1);
    unsigned char *data = eager ? sim_gather(m, rank, st) : NULL;
    mailbox *box = &m->state[st->peer].box;
    envelope *posted = mailbox_take(box->posted, rank, st->tag);

    sim_count_open(m, rank, STEP_SEND, 1);
    if (eager)
        sim_push(m, (sim_event){.kind = EVENT_RETIRE, .rank = rank, .step = index});
    if (posted)
        message_match(m, posted->rank, posted->step, rank, index, data);
    else
        mailbox_append(box->arrived, (envelope){NULL, rank, index, st->tag, rank, data});
    free(posted);
    message_count(m, rank, st);
}

void sim_post_recv(sim *m, int rank, int index)
{
    const step *st = &m->ranks[rank].sched->steps[index];
    if (sim_is_empty(m, rank, st)) {
        sim_push(m, (sim_event){.kind = EVENT_RETIRE, .rank = rank, .step = index});
        return;
    }
    mailbox *box = &m->state[rank].box;
    envelope *arrived = mailbox_take(box->arrived, st->peer, st->tag);

    sim_count_open(m, rank, STEP_RECV, 1);
    sim_poison(m, rank, st);
    if (arrived)
        message_match(m, rank, index, arrived->rank, arrived->step, arrived->data);
    else
        mailbox_append(box->posted, (envelope){NULL, rank, index, st->tag, st->peer, NULL});
    free(arrived);
}

/* Are both sides of the message the same parts, in the same order? */
static bool message_keeps_parts(const sched *from, const step *send, const sched *to,
                                const step *recv)
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
void sim_deliver(sim *m, const sim_event *e)
{
    const sched *from = m->ranks[e->from].sched, *to = m->ranks[e->rank].sched;
    const step *send = &from->steps[e->send], *recv = &to->steps[e->step];
    unsigned char *data = e->data ? e->data : sim_gather(m, e->from, send);
    int depth = m->state[e->from].depth[e->send] + 1;

    if (sim_message_bytes(m, e->from, send) != sim_message_bytes(m, e->rank, recv))
        sim_fail(m, "message %d->%d: sent and received lengths differ", e->from, e->rank);
    else if (!message_keeps_parts(from, send, to, recv))
        sim_fail(m, "message %d->%d: from one part to another", e->from, e->rank);
    else
        sim_scatter(m, e->rank, recv, data);
    ring_make_room(m, e->from, e->send);
    if (!e->data)
        sim_push(m, (sim_event){.kind = EVENT_RETIRE, .rank = e->from, .step = e->send});
    free(data);
    if (depth > m->state[e->rank].depth[e->step])
        m->state[e->rank].depth[e->step] = depth;
    sim_retire(m, e->rank, e->step);
}
