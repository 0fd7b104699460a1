/* SPDX-License-Identifier: BSD-3-Clause */
/* one_step.c - see one_step.h. */
#include "nbc/run/one_step.h"

#include "nbc/comm/comm.h"
#include "nbc/comm/failures.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/role.h"
#include "nbc/process/simulated.h"
#include "nbc/run/pack.h"
#include "nbc/run/record.h"
#include "nbc/run/wire.h"

void step_keep_error(exec *e, int error)
{
    if (error != MPI_SUCCESS && e->run.error == MPI_SUCCESS)
        e->run.error = error;
    if (error != MPI_SUCCESS && fault_tolerance)
        failures_note(e->comm, error);
}

void step_simulate_derived(const exec *e, const step *st)
{
    if (simulated() && st->n > 1 && !wire_packed(&e->bound.messages[st->message]))
        simulated_copy(wire_bytes(&e->bound, st));
}

int step_post(exec *e, const step *st)
{
    const message *m = &e->bound.messages[st->message];
    MPI_Request *r = &e->run.requests[st->message];
    char *at = e->bound.base[m->base] + m->offset;
    int tag = exec_tag(e, m);

    if (st->kind == STEP_SEND && wire_packed(m))
        step_keep_error(e, pack_message(&e->bound, st));
    record_post(e, (int)(st - e->bound.sched->steps), false);
    if (e->run.persistent)
        return native_mpi.Start(r);
    if (st->kind == STEP_SEND)
        step_simulate_derived(e, st);
    simulated_pay();
    if (st->kind == STEP_SEND)
        return PMPI_Isend(at, m->count, m->type, m->peer, tag, e->comm->wire.comm, r);
    return PMPI_Irecv(at, m->count, m->type, m->peer, tag, e->comm->wire.comm, r);
}

/* Functions of the program run in its own calls: until one comes the step stays ready. */
static bool is_reduce_put_off(const exec *e, const step *st)
{
    return st->kind == STEP_REDUCE && role_keeps_off && !e->bound.given.op.predefined;
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
        step_keep_error(e, wire_reduce_rest(&e->bound, x, shm_reduced(e->shm, st)));
        return true;
    }
    if (is_reduce_put_off(e, st))
        return false;
    if (st->kind != STEP_FENCE)
        step_keep_error(e, wire_local(&e->bound, st));
    return true;
}

bool step_run_local(exec *e, const step *st)
{
    int64_t begun = record_now();
    bool done = do_local(e, st);

    if (done)
        record_local(e, st, begun);
    return done;
}

void step_meet_tail(exec *e, int index)
{
    const sched *s = e->bound.sched;
    int n = e->run.tail_waits ? s->succ_at[index + 1] - s->succ_at[index] : 0;

    if (n == 0 || (e->run.tail_waits -= n) > 0)
        return;
    step_run_local(e, &s->steps[s->tail]);
    e->run.left--;
}
