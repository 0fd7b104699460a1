/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c - see steps.h. */
#include "nbc/run/steps.h"

#include "nbc/comm/comm.h"
#include "nbc/process/role.h"
#include "nbc/process/simulated.h"
#include "nbc/run/one_step.h"
#include "nbc/run/open_simulated.h"
#include "nbc/run/pack.h"
#include "nbc/run/record.h"
#include "nbc/run/wire.h"

/* An error is kept and the operation goes on, so that the peers are not left waiting: a message
 * that could not be packed is sent all the same, one that could not be posted counts as done. */
static void post_message(exec *e, int index)
{
    int error = step_post(e, &e->bound.sched->steps[index]);

    if (error == MPI_SUCCESS) {
        open_add(e, index);
        return;
    }
    record_done(e, index, false);
    step_keep_error(e, error);
    step_retire(e, index);
}

/* A message that was open has come or gone. */
static inline void end_message(exec *e, int index, int error)
{
    step_keep_error(e, error);
    if (e->run.flat) {
        e->run.left--;
        step_meet_tail(e, index);
    } else {
        step_retire(e, index);
    }
}

/* Not in SimGrid. */
static inline void finish_shm(exec *e, int index, int error)
{
    record_done(e, index, true);
    end_message(e, index, error);
}

/* Through shared memory. */
static void pass_message(exec *e, int index)
{
    int error;

    record_post(e, index, true);
    if (shm_post(e, index, &error))
        finish_shm(e, index, error);
}

static void issue_message(exec *e, int index)
{
    if (shm_takes(e->shm, &e->bound.sched->steps[index]))
        pass_message(e, index);
    else if (!open_hold(e, index))
        post_message(e, index);
}

static bool issue_local(exec *e, int index)
{
    if (!step_run_local(e, &e->bound.sched->steps[index]))
        return false;
    step_retire(e, index);
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

static void finish_step(exec *e, int index, int error)
{
    const step *st = &e->bound.sched->steps[index];
    int next;

    if (error == MPI_SUCCESS && st->kind == STEP_RECV &&
        wire_packed(&e->bound.messages[st->message]))
        error = unpack_message(&e->bound, st);
    record_done(e, index, false);
    if (st->kind == STEP_RECV)
        step_simulate_derived(e, st);
    end_message(e, index, error);
    if (simulated() && !e->run.flat && (next = open_release(e, st->queue)) >= 0)
        post_message(e, next);
}

/* It has left shared memory for MPI. */
static void divert(exec *e, int index)
{
    int error;

    record_done(e, index, true);
    error = step_post(e, &e->bound.sched->steps[index]);
    if (error == MPI_SUCCESS)
        open_add(e, index);
    else
        finish_shm(e, index, error);
}

static int poll_shm(exec *e)
{
    const struct finished *f = e->run.finished;
    int n = shm_poll(e, e->run.finished), index;

    for (int i = 0; i < n; i++)
        finish_shm(e, f[i].step, f[i].error);
    if (n > 0)
        return n;
    index = shm_fall_back(e);
    if (index >= 0)
        divert(e, index);
    return index >= 0;
}

static void finish_steps(exec *e, int n)
{
    const struct finished *f = e->run.finished;

    e->run.nopen -= n;
    for (int i = 0; i < n; i++)
        finish_step(e, f[i].step, f[i].error);
}

/* Messages through shared memory first: to look costs one load each. */
static int poll_messages(exec *e)
{
    int shm = shm_waits(e->shm) ? poll_shm(e) : 0, n;

    if (shm && !e->run.nopen)
        return shm;
    n = open_poll(e);
    if (n)
        finish_steps(e, n);
    return shm + n;
}

int steps_poll(exec *e)
{
    int n = poll_messages(e);

    if (n) {
        if (!e->run.flat || simulated())
            issue_ready(e);
    } else if (has_put_off(e) && !role_keeps_off) {
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
        finish_steps(e, n);
    simulated_pay();
}

void steps_wait_any(exec *e)
{
    open_wait_any(e);
    finish_steps(e, 1);
    issue_ready(e);
}

/* Not if the tail is a function of the program: it may be put off. */
static bool runs_flat(const exec *e)
{
    const sched *s = e->bound.sched;

    return s->flat &&
           (s->tail < 0 || s->steps[s->tail].kind != STEP_REDUCE || e->bound.given.op.predefined);
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
            step_run_local(e, st);
            step_meet_tail(e, index);
        } else if (shm_takes(e->shm, st)) {
            e->run.left++;
            pass_message(e, index);
        } else if ((error = step_post(e, st)) == MPI_SUCCESS) {
            e->run.probe_step[n] = index;
            e->run.probe_request[n++] = e->run.requests[st->message];
        } else {
            record_done(e, index, false);
            step_keep_error(e, error);
            step_meet_tail(e, index);
        }
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
    if (e->shm)
        shm_begin(e->shm);
    if (runs_flat(e))
        begin_flat(e);
    else
        begin_graph(e);
    if (e->shm && e->shm->put_off)
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
    if (shm_waits(e->shm))
        e->shm->nopen = 0;
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
        return e->run.waiting[index] == STEP_RETIRED;
    if (index == e->bound.sched->tail)
        return e->run.tail_waits <= 0;
    for (int i = 0; i < e->run.nprobes; i++)
        if (e->run.probe_step[i] == index)
            return false;
    return !e->shm || !shm_is_open(e->shm, index);
}
