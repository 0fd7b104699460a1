/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c - see steps.h. */
#include "nbc/run/steps.h"

#include "nbc/comm/comm.h"
#include "nbc/comm/failures.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/process.h"
#include "nbc/process/simulated.h"
#include "nbc/run/open_simulated.h"
#include "nbc/run/record.h"
#include "nbc/run/wire.h"

enum { RETIRED = -1 };

static void keep_error(exec *e, int error)
{
    if (error != MPI_SUCCESS && e->run.error == MPI_SUCCESS)
        e->run.error = error;
    if (error != MPI_SUCCESS && fault_tolerance)
        failures_note(e->comm, error);
}

static inline void retire(exec *e, int index)
{
    const sched *s = e->bound.sched;

    e->run.left--;
    e->run.waiting[index] = RETIRED;
    for (int k = s->succ_at[index]; k < s->succ_at[index + 1]; k++) {
        int next = s->succ[k];
        if (--e->run.waiting[next] > 0)
            continue;
        if (step_is_message(&s->steps[next]))
            e->run.ready[e->run.ready_tail++] = next;
        else
            e->run.ready[e->run.local_tail++] = next;
    }
}

/* As if MPI packed it (simulated.h). */
static void simulate_derived(const exec *e, const step *st)
{
    if (simulated() && st->n > 1 && !wire_packed(&e->bound.messages[st->message]))
        simulated_copy(wire_bytes(&e->bound, st));
}

static int post(exec *e, const step *st)
{
    const message *m = &e->bound.messages[st->message];
    MPI_Request *r = &e->run.requests[st->message];
    char *at = e->bound.base[m->base] + m->offset;
    int tag = steps_tag(e, m);

    record_post(e, (int)(st - e->bound.sched->steps), false);
    if (e->run.persistent)
        return native_mpi.Start(r);
    if (st->kind == STEP_SEND)
        simulate_derived(e, st);
    simulated_pay();
    if (st->kind == STEP_SEND)
        return PMPI_Isend(at, m->count, m->type, m->peer, tag, e->comm->wire.comm, r);
    return PMPI_Irecv(at, m->count, m->type, m->peer, tag, e->comm->wire.comm, r);
}

/* An error is kept and the operation goes on, so that the peers are not left waiting: a message
 * that could not be packed is sent all the same, one that could not be posted counts as done. */
static void post_message(exec *e, int index)
{
    const step *st = &e->bound.sched->steps[index];
    int error;

    if (st->kind == STEP_SEND && wire_packed(&e->bound.messages[st->message]))
        keep_error(e, wire_pack(&e->bound, st));
    error = post(e, st);
    if (error == MPI_SUCCESS) {
        open_add(e, index);
        return;
    }
    record_done(e, index, false);
    keep_error(e, error);
    retire(e, index);
}

/* near_asks */
static bool may_begin(void *runner, int receive, int index)
{
    const exec *e = runner;
    const sched *s = e->bound.sched;

    if (!e->run.flat)
        return e->run.waiting[index] == 1;
    return e->run.tail_waits == s->succ_at[receive + 1] - s->succ_at[receive];
}

/* Through shared memory. */
static void pass_message(exec *e, int index)
{
    int error;

    record_post(e, index, true);
    if (!near_post(e->near, &e->bound, index, may_begin, e, &error))
        return;
    record_done(e, index, true);
    keep_error(e, error);
    retire(e, index);
}

static void issue_message(exec *e, int index)
{
    if (near_takes(e->near, &e->bound.sched->steps[index]))
        pass_message(e, index);
    else if (!open_hold(e, index))
        post_message(e, index);
}

/* Functions of the program run in its own calls: until one comes the step stays ready. */
static bool is_put_off(const exec *e, const step *st)
{
    return st->kind == STEP_REDUCE && process_in_background && !e->bound.given.op.predefined;
}

/* False: it is put off. */
static bool do_local(exec *e, const step *st)
{
    const raw_local *x = &e->bound.locals[st->queue];

    if (x->amount && st->kind == STEP_COPY) {
        wire_copy(&e->bound, x);
        return true;
    }
    if (x->amount) {
        keep_error(e, wire_reduce_rest(&e->bound, x, near_reduced(e->near, st)));
        return true;
    }
    if (is_put_off(e, st))
        return false;
    if (st->kind != STEP_FENCE)
        keep_error(e, wire_local(&e->bound, st));
    return true;
}

static bool run_local(exec *e, const step *st)
{
    int64_t begun = record_now();
    bool done = do_local(e, st);

    if (done)
        record_local(e, st, begun);
    return done;
}

static bool issue_local(exec *e, int index)
{
    if (!run_local(e, &e->bound.sched->steps[index]))
        return false;
    retire(e, index);
    return true;
}

/* Local steps that are ready are put off. */
static bool has_put_off(const exec *e)
{
    return e->run.local_head < e->run.local_tail;
}

/* Issue what is ready, messages first. What a failed rank has not sent must not be sent on. */
static void issue_ready(exec *e)
{
    while (!comm_is_broken(e->comm)) {
        if (e->run.ready_head < e->run.ready_tail)
            issue_message(e, e->run.ready[e->run.ready_head++]);
        else if (e->run.local_head < e->run.local_tail &&
                 issue_local(e, e->run.ready[e->run.local_head]))
            e->run.local_head++;
        else
            break;
    }
    simulated_pay();
}

/* The tail of a flat schedule may wait for this step. */
static void meet_tail(exec *e, int index)
{
    const sched *s = e->bound.sched;
    int n = e->run.tail_waits ? s->succ_at[index + 1] - s->succ_at[index] : 0;

    if (n == 0 || (e->run.tail_waits -= n) > 0)
        return;
    run_local(e, &s->steps[s->tail]);
    e->run.left--;
}

static void finish(exec *e, int index, int error)
{
    const step *st = &e->bound.sched->steps[index];

    if (error == MPI_SUCCESS && st->kind == STEP_RECV &&
        wire_packed(&e->bound.messages[st->message]))
        error = wire_unpack(&e->bound, st);
    record_done(e, index, false);
    if (st->kind == STEP_RECV)
        simulate_derived(e, st);
    keep_error(e, error);
    if (e->run.flat) {
        e->run.left--;
        meet_tail(e, index);
        return;
    }
    retire(e, index);
    if (simulated()) {
        int next = open_release(e, st->queue);
        if (next >= 0)
            post_message(e, next);
    }
}

/* A message that has come or gone through shared memory: not in SimGrid. */
static inline void finish_near(exec *e, int index, int error)
{
    record_done(e, index, true);
    keep_error(e, error);
    if (e->run.flat) {
        e->run.left--;
        meet_tail(e, index);
    } else {
        retire(e, index);
    }
}

/* It has left shared memory for MPI. */
static void divert(exec *e, int index)
{
    const step *st = &e->bound.sched->steps[index];
    int error;

    record_done(e, index, true);
    if (st->kind == STEP_SEND && wire_packed(&e->bound.messages[st->message]))
        keep_error(e, wire_pack(&e->bound, st));
    error = post(e, st);
    if (error == MPI_SUCCESS)
        open_add(e, index);
    else
        finish_near(e, index, error);
}

static int poll_near(exec *e)
{
    const struct finished *f = e->run.finished;
    int n = near_poll(e->near, &e->bound, may_begin, e, e->run.finished), index;

    for (int i = 0; i < n; i++)
        finish_near(e, f[i].step, f[i].error);
    if (n > 0)
        return n;
    index = near_leave(e->near, &e->bound, e->comm->wire.comm, e->ticket.window * SCHED_WINDOW);
    if (index >= 0)
        divert(e, index);
    return index >= 0;
}

static void finish_all(exec *e, int n)
{
    const struct finished *f = e->run.finished;

    e->run.nopen -= n;
    for (int i = 0; i < n; i++)
        finish(e, f[i].step, f[i].error);
}

/* Messages through shared memory first: to look costs one load each. */
static int poll_messages(exec *e)
{
    int near = near_waits(e->near) ? poll_near(e) : 0, n;

    if (near && !e->run.nopen)
        return near;
    n = open_poll(e);
    if (n)
        finish_all(e, n);
    return near + n;
}

int steps_poll(exec *e)
{
    int n = poll_messages(e);

    if (n) {
        if (!e->run.flat || simulated())
            issue_ready(e);
    } else if (has_put_off(e) && !process_in_background) {
        issue_ready(e);
        n = 1;
    }
    return n;
}

void steps_wait(exec *e)
{
    int64_t begun = record_now();
    int n = open_wait(e);

    record_wait(e, "native wait", begun);
    if (n)
        finish_all(e, n);
    simulated_pay();
}

void steps_wait_any(exec *e)
{
    open_wait_any(e);
    finish_all(e, 1);
    issue_ready(e);
}

/* Not if the tail is a function of the program: it may be put off. */
static bool runs_flat(const exec *e)
{
    const sched *s = e->bound.sched;

    return s->flat &&
           (s->tail < 0 || s->steps[s->tail].kind != STEP_REDUCE || e->bound.given.op.predefined);
}

static void pass_flat(exec *e, int index)
{
    int error;

    record_post(e, index, true);
    if (!near_post(e->near, &e->bound, index, may_begin, e, &error)) {
        e->run.left++;
        return;
    }
    record_done(e, index, true);
    keep_error(e, error);
    meet_tail(e, index);
}

/* A flat schedule needs none of the book-keeping: nothing waits for anything but the tail, no queue
 * has a second message, the ready lists stay empty. Saves a quarter of the instructions of a small
 * exchange. */
static void begin_flat(exec *e)
{
    const sched *s = e->bound.sched;
    int n = 0;

    if (!e->run.flat)
        exec_reset(e);
    e->run.flat = true;
    e->run.error = e->bound.given.error;
    e->run.fruitless = e->run.turn = 0;
    e->run.tail_waits = s->tail >= 0 ? s->ndeps[s->tail] : 0;
    e->run.left = s->tail >= 0;
    for (int i = 0; i < s->nready; i++) {
        int index = s->ready[i], error;
        const step *st = &s->steps[index];

        if (!step_is_message(st)) {
            run_local(e, st);
            meet_tail(e, index);
            continue;
        }
        if (near_takes(e->near, st)) {
            pass_flat(e, index);
            continue;
        }
        if (st->kind == STEP_SEND && wire_packed(&e->bound.messages[st->message]))
            keep_error(e, wire_pack(&e->bound, st));
        error = post(e, st);
        keep_error(e, error);
        if (error != MPI_SUCCESS) {
            record_done(e, index, false);
            meet_tail(e, index);
            continue;
        }
        e->run.probe_step[n] = index;
        e->run.probe_request[n++] = e->run.requests[st->message];
    }
    e->run.left += n;
    e->run.nopen = e->run.nprobes = n;
    simulated_pay();
}

static void begin_graph(exec *e)
{
    const sched *s = e->bound.sched;

    exec_reset(e);
    for (int i = 0; i < s->nready; i++)
        if (step_is_message(&s->steps[s->ready[i]]))
            issue_message(e, s->ready[i]);
        else if (!issue_local(e, s->ready[i]))
            e->run.ready[e->run.local_tail++] = s->ready[i];
    issue_ready(e);
}

void steps_begin(exec *e)
{
    if (e->near)
        near_begin(e->near);
    if (runs_flat(e))
        begin_flat(e);
    else
        begin_graph(e);
    if (e->near && e->near->put_off)
        steps_poll(e);
}

void steps_fail(exec *e, int error)
{
    exec_reset(e);
    e->run.left = 0;
    e->run.error = error;
}

int steps_give_up(exec *e, int error)
{
    if (near_waits(e->near))
        e->near->nopen = 0;
    e->run.error = error;
    if (!open_give_up(e))
        return 0;
    e->run.left = 0;
    return 1;
}

/* What is open of a flat schedule are its probes, and the tail. */
bool steps_retired(const exec *e, int index)
{
    if (!e->run.flat)
        return e->run.waiting[index] == RETIRED;
    if (index == e->bound.sched->tail)
        return e->run.tail_waits <= 0;
    for (int i = 0; i < e->run.nprobes; i++)
        if (e->run.probe_step[i] == index)
            return false;
    return !e->near || !near_is_open(e->near, index);
}
