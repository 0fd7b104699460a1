/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.c - choose the driver, and the callbacks that all native requests share. */
#include "nbc/progress/driver.h"

#include "nbc/comm/comm.h"
#include "nbc/process/clock.h"
#include "nbc/process/env.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"
#include "nbc/process/role.h"
#include "nbc/process/test_knobs.h"
#include "nbc/process/trace.h"
#include "nbc/run/completion.h"
#include "nbc/run/engine.h"
#include "nbc/stats/stats.h"

#include <stdio.h>
#include <string.h>

const driver *const driver_table[] = {
    &driver_async, &driver_poll, &driver_hook, &driver_thread, &driver_manual, NULL,
};

/* The operation is collective over peers that count on us: it cannot be taken back. */
int driver_cancel(void *extra_state, int complete)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* The MPI is about to call the error handler of MPI_COMM_WORLD, and names MPI_Wait alone. */
static int explain_error(const exec *e)
{
    int error = exec_explain(e);
    char call[80];

    snprintf(call, sizeof call, "%s (%s)", e->stats.collective, e->stats.algorithm);
    reason_print(call, MPI_COMM_WORLD, e->comm->rank, error);
    return error;
}

int driver_query(void *extra_state, MPI_Status *status)
{
    exec *e = extra_state;

    completion_await(e);
    process_empty_status(status);
    return exec_get_state(e) == EXEC_DONE && e->run.error ? explain_error(e) : MPI_SUCCESS;
}

static bool is_reported(exec *e)
{
    return exec_get_state(e) == EXEC_DONE &&
           !atomic_load_explicit(&e->native.completion_pending, memory_order_relaxed);
}

static void collect_in_callback(exec *e)
{
    bool before = process_in_callback;

    process_in_callback = true;
    e->native.collect(e);
    process_in_callback = before;
}

/* The user has completed the request, or has freed it while the operation runs (which MPI
 * forbids): then the engine finishes it and reports it to nobody. */
int driver_free(void *extra_state)
{
    exec *e = extra_state;

    if (!is_reported(e))
        e->native.detached = true;
    else
        collect_in_callback(e);
    return MPI_SUCCESS;
}

static int wait_for_execs(int count, void **extra_states)
{
    int idle = 0;
    int64_t begun = trace_is_on() ? trace_now() : 0;
    role before = begun ? role_enter_mpi() : role_now;

    for (int i = 0; i < count; i++)
        while (!is_reported(extra_states[i]))
            engine_idle_turn(&idle);
    if (begun)
        trace_span(0, "MPI wait", begun);
    role_now = before;
    return MPI_SUCCESS;
}

int driver_wait(int count, void **extra_states, double timeout, MPI_Status *status)
{
    return STATS_COUNTED(wait_for_execs(count, extra_states));
}

/* ---- self-test: a message to ourselves ---- */

/* A driver has failed after so many native tests, one of which suffices for most, and so many
 * seconds, for one that does not advance in our calls. */
enum { TESTS = 100 };
static const double patience = 2.;

const char *driver_test_refuses;

static void nothing_to_collect(exec *e)
{
}

static int make_schedule(sched **result)
{
    sched_builder *b = sched_begin(1, FORM_STEP);

    if (!b)
        return MPI_ERR_NO_MEM;
    sched_recv(b, interval_make(SPACE_RECV, 0, 1), 0);
    sched_send(b, interval_make(SPACE_SEND, 0, 1), 0);
    return sched_commit(b, result) == SCHED_OK ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Start e natively and see whether native tests alone complete it; it is complete in the end.
 * Requests of the driver async are polled, too: those of manual show whether its function is
 * called. */
static bool completes(const driver *d, exec *e)
{
    const driver *asks = d == &driver_async ? &driver_manual : d;
    MPI_Request request;
    double begin = clock_now();
    int flag = 0;

    if (asks->request(e, &e->native.request) != MPI_SUCCESS)
        return false;
    request = e->native.request;
    engine_start(e);
    for (int i = 0; !flag && (i < TESTS || (d == &driver_thread && clock_now() - begin < patience));
         i++)
        native_mpi.Test(&request, &flag, MPI_STATUS_IGNORE);
    if (flag)
        return true;
    engine_wait(e);
    native_mpi.Wait(&request, MPI_STATUS_IGNORE);
    return false;
}

/* The communicator's state is made up here. */
static bool passes(const driver *d)
{
    comm_tag_space space = {0};
    comm self = {.user = process_self(),
                 .wire = {.comm = process_self(), .tag_space = &space, .ntag_spaces = 1},
                 .ready = true,
                 .p = 1,
                 .gate.split = 1};
    int sent = 42, received = 0;
    binding b = {.sendbuf = &sent,
                 .sendtype = MPI_INT,
                 .sendcount = 1,
                 .recvbuf = &received,
                 .recvtype = MPI_INT,
                 .recvcount = 1,
                 .op = operation_none};
    sched *s = NULL;
    exec *e = make_schedule(&s) == MPI_SUCCESS ? exec_create(s) : NULL;
    bool passed = false;

    if (e && exec_bind(e, &b) == MPI_SUCCESS) {
        e->comm = &self;
        e->native.collect = nothing_to_collect;
        e->stats.collective = e->stats.algorithm = "self-test";
        passed = completes(d, e) && received == sent;
    }
    exec_free(e);
    sched_free(s);
    return passed && !(driver_test_refuses && strcmp(driver_test_refuses, d->name) == 0);
}

/* NULL, or why not. */
static const char *try_driver(const driver *d)
{
    const char *why = d->start ? d->start() : NULL;

    if (why || d == &driver_manual || passes(d))
        return why;
    if (d->stop)
        d->stop();
    return "an operation did not complete in native MPI_Test calls";
}

/* ---- choose ---- */

static char why_chosen[512];

static void accept(const driver *d, const char *forced, const char *refused)
{
    snprintf(why_chosen, sizeof why_chosen, "%s%s%s", forced ? "forced by TUTTI_PROGRESS: " : "",
             d->how, refused);
    if (env_verbose())
        env_say("progress driver %s: %s", d->name, why_chosen);
}

int driver_choose(const char *forced, const driver **chosen, const char **reason)
{
    char refused[384] = "";
    size_t n = 0;

    for (int i = 0; driver_table[i]; i++) {
        const driver *d = driver_table[i];
        if (forced && strcmp(forced, d->name) != 0)
            continue;
        const char *why = try_driver(d);
        if (!why) {
            accept(d, forced, refused);
            *chosen = d;
            *reason = why_chosen;
            return MPI_SUCCESS;
        }
        if (n < sizeof refused)
            n += (size_t)snprintf(refused + n, sizeof refused - n, "; not %s: %s", d->name, why);
    }
    if (!forced)
        return MPI_ERR_OTHER;
    env_refuse("TUTTI_PROGRESS=%s is not possible%s; valid names: async and poll (MPICH), hook "
               "(Open MPI), thread (with MPI_THREAD_MULTIPLE) and manual",
               forced, refused);
    return driver_choose(NULL, chosen, reason);
}
