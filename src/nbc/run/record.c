/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c - see record.h. */
#include "nbc/run/record.h"

#include "nbc/comm/comm.h"
#include "nbc/run/piece.h"
#include "nbc/run/wire.h"

/* Bytes of a space that the schedule uses; -1: not known yet, or each block has its own type. */
static int64_t bytes_of_space(const exec *e, sched_space space)
{
    const sched *s = e->bound.sched;
    const space_binding *b = &e->bound.space[space];

    if (e->prepare || b->blocks || b->parts == 0)
        return -1;
    return sched_items(b->parts, b->count, s->extent[space]) * b->type.size;
}

/* At the start and at the end: an operation that waits for other ranks' sizes knows more at the
 * end. */
static void describe_event(const exec *e, trace_event *t)
{
    t->detail = e->stats.algorithm;
    t->bytes = bytes_of_space(e, SPACE_SEND);
    t->received = bytes_of_space(e, SPACE_RECV);
}

void record_operation_begin(exec *e)
{
    trace_event *t;

    e->stats.number = trace_operation();
    t = trace_add(TRACE_BEGIN, e->stats.number, e->stats.collective);
    if (!t)
        return;
    describe_event(e, t);
    t->comm = e->comm->made;
    t->size = e->comm->p;
    t->rank = e->comm->rank;
    t->persistent = e->ticket.persistent;
}

void record_operation_end(const exec *e)
{
    trace_event *t = trace_add(TRACE_END, e->stats.number, e->stats.collective);

    if (!t)
        return;
    describe_event(e, t);
    t->peer = e->run.error;
}

static void add_message_event(const exec *e, int index, bool shm, trace_kind kind)
{
    const step *st = &e->bound.sched->steps[index];
    trace_event *t = trace_add(kind, e->stats.number, st->kind == STEP_SEND ? "send" : "receive");

    if (!t)
        return;
    t->step = index;
    t->peer = st->peer;
    t->shm = shm;
    t->bytes = wire_bytes(&e->bound, st);
}

void record_message_post(const exec *e, int index, bool shm)
{
    add_message_event(e, index, shm, TRACE_POST);
}

void record_message_done(const exec *e, int index, bool shm)
{
    add_message_event(e, index, shm, TRACE_DONE);
}

void record_local_step(const exec *e, const step *st, int64_t since)
{
    trace_event *t;
    piece x;

    if (st->kind == STEP_FENCE)
        return;
    t = trace_add(TRACE_SPAN, e->stats.number, st->kind == STEP_COPY ? "copy" : "reduce");
    if (!t)
        return;
    t->since = since;
    t->step = (int32_t)(st - e->bound.sched->steps);
    x = piece_at(&e->bound, st, 0); /* what is read */
    t->bytes = piece_bytes(&x);
}
