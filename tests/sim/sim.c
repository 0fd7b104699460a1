/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.c - the simulator: which event happens next, and what its step does. See sim.h and
 * sim_inside.h.
 */
#include "sim/must.h"
#include "sim/sim_inside.h"

#include <stdlib.h>
#include <string.h>

static void sim_run_local(sim *m, int rank, int index)
{
    const sched *s = m->ranks[rank].sched;
    const step *st = &s->steps[index];

    if (st->kind != STEP_FENCE) {
        interval from = s->list[st->first], to = s->list[st->first + 1];
        if (sim_bytes(m, rank, from) != sim_bytes(m, rank, to))
            sim_fail(m, "rank %d step %d: lengths differ", rank, index);
        else if (from.offset % s->parts != to.offset % s->parts)
            sim_fail(m, "rank %d step %d: from one part to another", rank, index);
        else if (st->kind == STEP_COPY) {
            memcpy(sim_address(m, rank, to), sim_address(m, rank, from), sim_bytes(m, rank, from));
            m->r->copied += sim_items(m, rank, to);
        } else {
            m->o->op(sim_address(m, rank, from), sim_address(m, rank, to), sim_items(m, rank, to));
            m->r->reduced += sim_items(m, rank, to);
        }
    }
    sim_retire(m, rank, index);
}

static void sim_issue(sim *m, int rank, int index)
{
    switch (m->ranks[rank].sched->steps[index].kind) {
    case STEP_SEND:
        sim_post_send(m, rank, index);
        break;
    case STEP_RECV:
        sim_post_recv(m, rank, index);
        break;
    default:
        sim_run_local(m, rank, index);
    }
}

static void sim_init(sim *m)
{
    m->state = sim_must(calloc((size_t)m->p, sizeof *m->state));
    for (int r = 0; r < m->p; r++) {
        const sched *s = m->ranks[r].sched;
        sim_state *t = &m->state[r];

        t->waiting = sim_must(malloc((size_t)s->nsteps * sizeof *t->waiting + 1));
        t->depth = sim_must(calloc((size_t)s->nsteps + 1, sizeof *t->depth));
        memcpy(t->waiting, s->ndeps, (size_t)s->nsteps * sizeof *t->waiting);
        sim_order_sends(m, r);
        for (int i = 0; i < s->nready && r != m->o->withheld - 1; i++)
            sim_push(m, (sim_event){.kind = EVENT_ISSUE, .rank = r, .step = s->ready[i]});
    }
}

/* Nothing happens any more: has the rank done all of it? */
static void sim_finish_rank(sim *m, int rank)
{
    sim_state *t = &m->state[rank];
    int left = mailbox_drop(t->box.arrived), nsteps = m->ranks[rank].sched->nsteps;

    mailbox_drop(t->box.posted);
    m->r->finished += t->done == nsteps;
    if (m->o->withheld || m->r->error[0])
        return;
    if (t->done < nsteps)
        sim_fail(m, "deadlock: rank %d did only %d steps", rank, t->done);
    else if (left)
        sim_fail(m, "%d messages to rank %d were never received", left, rank);
}

static void sim_finish(sim *m)
{
    sim_result *r = m->r;

    r->min_sent = INT64_MAX;
    for (int k = 0; k < m->p; k++) {
        sim_state *t = &m->state[k];

        sim_finish_rank(m, k);
        if (t->messages > r->max_messages)
            r->max_messages = t->messages;
        if (t->sent > r->max_sent)
            r->max_sent = t->sent;
        if (t->sent < r->min_sent)
            r->min_sent = t->sent;
        if (t->received > r->max_received)
            r->max_received = t->received;
        r->sent += t->sent;
        free(t->next_send);
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
        sim_event e = m.events[pick];

        m.events[pick] = m.events[--m.nevents];
        if (e.kind == EVENT_ISSUE)
            sim_issue(&m, e.rank, e.step);
        else if (e.kind == EVENT_DELIVER)
            sim_deliver(&m, &e);
        else
            sim_retire(&m, e.rank, e.step);
    }
    for (int i = 0; i < m.nevents; i++)
        free(m.events[i].data);
    sim_finish(&m);
}
