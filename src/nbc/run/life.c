/* SPDX-License-Identifier: BSD-3-Clause */
/* life.c - see life.h. */
#include "nbc/run/life.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/failures.h"
#include "nbc/process/clock.h"
#include "nbc/run/completion.h"
#include "nbc/run/record.h"
#include "nbc/run/steps.h"
#include "nbc/run/traffic.h"

enum { POKE = 128 }; /* operations through shared memory to one look at MPI */

/* An operation that finds all in shared memory has called no MPI; nor would a program that starts
 * nothing else. */
static void poke_at_times(void)
{
    static unsigned turns; /* engine lock */

    if (++turns % POKE == 0)
        channel_poke();
}

__attribute__((noinline)) static void stop_clock(exec *e)
{
    stats_traffic sent;

    e->stats.seconds = clock_now() - e->stats.started;
    if (e->stats.count.form == STATS_FORM_NONE)
        return;
    sent = traffic_of(e);
    stats_end(&e->stats.count, &sent);
}

void life_end(exec *e)
{
    if (e->shm)
        poke_at_times();
    if (!e->ticket.persistent)
        gate_leave(&e->comm->gate, &e->ticket);
    if (e->staged)
        e->run.error = staged_end(e->staged, e->run.error);
    if (e->stats.timed)
        stop_clock(e);
    record_end(e);
    MPI_Request native = e->native.request;
    bool detached = e->native.detached, later = native != MPI_REQUEST_NULL && !detached &&
                                                completion_by_program && role_now == ROLE_THREAD;
    if (later)
        completion_defer(e);
    atomic_store_explicit(&e->state, EXEC_DONE, memory_order_release);
    if (!later)
        completion_report(e, native, detached);
}

/* Where all messages go; a persistent request knows since its init. Those of an operation's later
 * schedules go through MPI (shm.h): when the exec is used again, it is addressed anew. */
static int address(exec *e, bool first)
{
    if (e->ticket.persistent || (first && e->bound.addressed == e->ticket.tag_space + 1))
        return MPI_SUCCESS;
    if (first)
        return exec_address_all(e);
    exec_address(e);
    exec_forget_address(e);
    return MPI_SUCCESS;
}

/* The first time it has been called already (exec.h). */
static int prepare_exec(exec *e, bool first)
{
    int error = e->prepared;

    if (!first)
        return e->prepare(e);
    if (error)
        e->prepare = NULL;
    e->prepared = MPI_SUCCESS;
    return error;
}

/* The other ranks go on with what fails here: its rings, or messages, would be taken for those of
 * what follows. */
static bool is_left_behind(const exec *e, int error)
{
    return !e->ticket.persistent && !e->comm->failure &&
           (e->comm->shm_peers || error == MPI_ERR_NO_MEM);
}

static void begin_steps(exec *e, bool first)
{
    int error = e->prepare ? prepare_exec(e, first) : MPI_SUCCESS;

    if (fault_tolerance)
        failures_look(e->comm);
    if (!error || fault_tolerance)
        error = e->comm->failure ? e->comm->failure : error;
    if (!error)
        error = address(e, first);
    if (!error) {
        steps_begin(e);
        return;
    }
    if (is_left_behind(e, error))
        e->comm->failure = error;
    steps_fail(e, error);
}

bool life_is_over(exec *e)
{
    while (e->run.left == 0 && e->prepare)
        begin_steps(e, false);
    return e->run.left == 0 && (!e->beside || exec_get_state(e->beside) == EXEC_DONE);
}

/* A single message of a non-blocking call: often it is there already, or sent at once, and the
 * native request never waits. Of two that cross one of them is always too early. */
static bool may_be_over(const exec *e)
{
    return e->run.left && e->bound.sched->nmessages == 1 && e->native.request != MPI_REQUEST_NULL;
}

bool life_begin(exec *e)
{
    atomic_store_explicit(&e->state, EXEC_RUNNING, memory_order_relaxed);
    begin_steps(e, true);
    if (may_be_over(e))
        steps_poll(e);
    return life_is_over(e);
}
