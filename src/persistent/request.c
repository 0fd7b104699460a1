/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c - start, complete and free one persistent request. */
#include "persistent/request.h"

#include "nbc/comm/windows.h"
#include "nbc/library.h"
#include "nbc/plan/plan.h"
#include "nbc/process/mpi_calls.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"
#include "nbc/run/engine.h"

#include <stdio.h>
#include <stdlib.h>

int request_make(bool timed, MPIX_Request *result)
{
    MPIX_Request r = calloc(1, sizeof *r);

    if (!r)
        return MPI_ERR_NO_MEM;
    r->timed = timed;
    *result = r;
    return MPI_SUCCESS;
}

void request_take(MPIX_Request r, exec *e, trial *t)
{
    r->exec = e;
    r->trial = t;
    if (t)
        t->candidate[0] = e;
    e->stats.polls = 0;
    e->stats.timed = r->timed;
    e->stats.seconds = 0;
}

void request_empty_status(MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE)
        process_empty_status(status);
}

/* The exec of the next start. What is known of another one's steps is no use any more. */
static void try_next(MPIX_Request r)
{
    exec *e = trial_next(r->trial);

    if (e != r->exec) {
        free(r->writers);
        r->writers = NULL;
        e->stats.polls = r->exec->stats.polls;
        if (stats_on) { /* it is counted as the one before, with its own algorithm */
            e->stats.count = r->exec->stats.count;
            plan_fill_stats(e->plan, &e->stats.count);
        }
        r->exec = e;
    }
    e->stats.timed = r->timed;
    if (trial_is_over(r->trial)) {
        trial_free(r->trial, e);
        r->trial = NULL;
    }
}

static void start_request(MPIX_Request r)
{
    request_enter(r);
    if (r->trial)
        trial_begin(r->trial, r->exec);
    engine_start(r->exec);
    request_leave(r);
}

static void note_times(MPIX_Request r)
{
    exec *e = r->exec;

    r->seconds += e->stats.seconds;
    if (e->stats.count.form == STATS_FORM_NONE)
        return;
    stats_steps(&e->stats.count, e->bound.sched->nsteps, r->steps_waited - r->steps_counted);
    r->steps_counted = r->steps_waited;
}

/* A wait has left the trial before. */
int request_finish(MPIX_Request r)
{
    if (r->trial)
        trial_note(r->trial, r->exec, r->native);
    r->native = false;
    r->active = false;
    r->completions++;
    r->steps += r->exec->bound.sched->nsteps;
    if (r->timed)
        note_times(r);
    atomic_store_explicit(&r->exec->state, EXEC_IDLE, memory_order_relaxed);
    return exec_error(r->exec);
}

int request_refuse(MPIX_Request r)
{
    if (!r)
        return reason_set(MPI_ERR_REQUEST, "the request is null");
    if (r->native)
        return reason_set(MPI_ERR_REQUEST,
                          "MPIX_Start_native has started the request; complete the "
                          "MPI_Request that it gave");
    return reason_set(MPI_ERR_REQUEST, "the request has been started and is not complete");
}

int request_raise(const char *name, MPIX_Request r, int error)
{
    char call[40];

    snprintf(call, sizeof call, "%s_%s", r && r->of_mpi ? "MPI" : "MPIX", name);
    return comm_raise(call, r ? r->exec->comm : NULL, error);
}

static int refuse_request(const char *call, const MPIX_Request *request)
{
    MPIX_Request r = request ? *request : MPIX_REQUEST_NULL;

    return request_raise(call, r, request_refuse(r));
}

static int start_one(MPIX_Request *request)
{
    if (!request || !*request || (*request)->active)
        return refuse_request("Start", request);
    if ((*request)->trial)
        try_next(*request);
    (*request)->active = true;
    start_request(*request);
    return MPI_SUCCESS;
}

REQUEST_CALL(Start, start_one, (MPIX_Request * request), (request))

static int start_all(int count, MPIX_Request requests[])
{
    int n = 0;

    if (count < 0 || (count > 0 && !requests))
        return request_raise("Startall", MPIX_REQUEST_NULL,
                             count < 0 ? reason_set(MPI_ERR_COUNT, "count is %d", count)
                                       : reason_set(MPI_ERR_ARG, "requests is NULL"));
    /* all or none; one that is twice in the array is active when it comes again */
    for (; n < count && requests[n] && !requests[n]->active; n++)
        requests[n]->active = true;
    if (n < count) {
        for (int i = 0; i < n; i++)
            requests[i]->active = false;
        return refuse_request("Startall", &requests[n]);
    }
    for (int i = 0; i < count; i++) {
        if (requests[i]->trial)
            try_next(requests[i]);
        start_request(requests[i]);
    }
    return MPI_SUCCESS;
}

REQUEST_CALL(Startall, start_all, (int count, MPIX_Request requests[]), (count, requests))

/* The native request of one start has been completed. */
static void collect_native(exec *e)
{
    MPIX_Request r = e->native.owner;

    e->native.request = MPI_REQUEST_NULL;
    e->native.detached = false;
    request_finish(r);
}

static int start_native(MPIX_Request *request, MPI_Request *native)
{
    MPIX_Request r;
    int error;

    if (!request || !*request || (*request)->active)
        return refuse_request("Start_native", request);
    r = *request;
    if (!native)
        return request_raise("Start_native", r, reason_set(MPI_ERR_ARG, "native is NULL"));
    if (r->trial) {
        try_next(r);
        r->exec->stats.timed = true;
    }
    r->exec->native.collect = collect_native;
    r->exec->native.owner = r;
    error = library_driver()->request(r->exec, &r->exec->native.request);
    if (error) {
        r->exec->native.request = MPI_REQUEST_NULL;
        r->exec->comm->out_of_step = true;
        return request_raise("Start_native", r, error);
    }
    r->active = r->native = true;
    *native = r->exec->native.request;
    start_request(r);
    return MPI_SUCCESS;
}

REQUEST_CALL(Start_native, start_native, (MPIX_Request * request, MPI_Request *native),
             (request, native))

static void wait_for_request(MPIX_Request r)
{
    exec *e = r->exec;

    if (exec_get_state(e) == EXEC_DONE)
        return;
    /* when we return, all of them will have retired */
    r->steps_waited += process_threaded ? engine_steps_left(e) : e->run.left;
    request_enter(r);
    engine_wait(e);
    request_leave(r);
}

static int wait_one(MPIX_Request *request, MPI_Status *status)
{
    int error = MPI_SUCCESS;

    if (!request || (*request && (*request)->native))
        return refuse_request("Wait", request);
    if (request_pending(*request)) {
        wait_for_request(*request);
        error = request_finish(*request);
    }
    request_empty_status(status);
    return error ? request_raise("Wait", *request, error) : MPI_SUCCESS;
}

REQUEST_CALL(Wait, wait_one, (MPIX_Request * request, MPI_Status *status), (request, status))

static int test_one(MPIX_Request *request, int *flag, MPI_Status *status)
{
    int error = MPI_SUCCESS;

    if (!request || (*request && (*request)->native))
        return refuse_request("Test", request);
    if (!flag)
        return request_raise("Test", *request, reason_set(MPI_ERR_ARG, "flag is NULL"));
    if (request_pending(*request)) {
        request_enter(*request);
        engine_progress((*request)->exec);
        request_leave(*request);
        if (exec_get_state((*request)->exec) != EXEC_DONE) {
            *flag = 0;
            return MPI_SUCCESS;
        }
        error = request_finish(*request);
    }
    *flag = 1;
    request_empty_status(status);
    return error ? request_raise("Test", *request, error) : MPI_SUCCESS;
}

REQUEST_CALL(Test, test_one, (MPIX_Request * request, int *flag, MPI_Status *status),
             (request, flag, status))

static int get_status(MPIX_Request request, int *flag, MPI_Status *status)
{
    if (!flag)
        return request_raise("Request_get_status", request,
                             reason_set(MPI_ERR_ARG, "flag is NULL"));
    *flag = 1;
    if (request && request->active) {
        request_enter(request);
        engine_progress(request->exec);
        request_leave(request);
        *flag = exec_get_state(request->exec) == EXEC_DONE;
    }
    if (*flag)
        request_empty_status(status);
    return MPI_SUCCESS;
}

REQUEST_CALL(Request_get_status, get_status, (MPIX_Request request, int *flag, MPI_Status *status),
             (request, flag, status))

static int64_t bytes_of_steps(const exec *e, step_kind kind)
{
    int64_t sum = 0;

    for (int i = 0; i < e->bound.sched->nsteps; i++) {
        const step *st = &e->bound.sched->steps[i];
        MPI_Count size = 0;
        if (st->kind != kind)
            continue;
        mpi_type_size(e->bound.messages[st->message].type, &size);
        sum += size * e->bound.messages[st->message].count;
    }
    return sum;
}

int tutti_get_stats(MPIX_Request request, tutti_stats *stats)
{
    const exec *e;
    choice chosen;
    int64_t n;

    if (!request || !stats)
        return comm_raise("tutti_get_stats", NULL,
                          request ? reason_set(MPI_ERR_ARG, "stats is NULL")
                                  : request_refuse(request));
    e = request->exec;
    if (request->active)
        return comm_raise("tutti_get_stats", e->comm, request_refuse(request));
    n = request->completions;
    *stats = (tutti_stats){.starts = n,
                           .steps = request->steps,
                           .messages = n * e->bound.sched->nmessages,
                           .bytes_sent = n * bytes_of_steps(e, STEP_SEND),
                           .bytes_received = n * bytes_of_steps(e, STEP_RECV),
                           .shared_messages = e->shm ? n * e->shm->messages : 0,
                           .shared_bytes = e->shm ? n * e->shm->bytes : 0,
                           .polls = e->stats.polls,
                           .seconds = request->seconds,
                           .last_seconds = e->stats.seconds};
    chosen = plan_choice(e->plan);
    select_print(&chosen, stats->algorithm, sizeof stats->algorithm);
    if (stats->steps)
        stats->overlapped = 1 - (double)request->steps_waited / (double)stats->steps;
    return MPI_SUCCESS;
}

int PMPIX_Request_free(MPIX_Request *request)
{
    exec *e;

    if (!request || !*request || (*request)->active)
        return refuse_request("Request_free", request);
    e = (*request)->exec;
    e->stats.count.form = STATS_FORM_NONE;
    if ((*request)->trial)
        trial_free((*request)->trial, e);
    comm_persistent_release(e->comm, &e->ticket);
    plan_return_exec(e);
    free((*request)->writers);
    free(*request);
    *request = MPIX_REQUEST_NULL;
    comm_free_deferred();
    return MPI_SUCCESS;
}

WEAK_NAME(MPIX_Request_free);
