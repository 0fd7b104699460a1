/* SPDX-License-Identifier: BSD-3-Clause */
/* meet.c - see meet.h. */
#include "nbc/comm/meet.h"

#include "nbc/comm/hooks.h"
#include "nbc/process/clock.h"
#include "nbc/process/env.h"
#include "nbc/process/fault_tolerance.h"
#include "nbc/process/process.h"
#include "nbc/process/reason.h"
#include "nbc/process/watch.h"

#include <stdatomic.h>
#include <string.h>

static const char start[] = "tutti_init";
static const double start_patience = 10; /* seconds */

void comm_set_current(comm *c, const handshake *h, const char *caller)
{
    engine_enter();
    c->meeting = (comm_meeting){.now = h, .caller = caller, .opened = h ? clock_now() : 0};
    engine_leave();
    if (h)
        comm_set_pending();
}

int comm_meet_opened(comm *c, const char *caller, bool may_block, handshake *h)
{
    int error;

    comm_set_current(c, h, caller);
    error = handshake_run(h, c->user, may_block);
    comm_set_current(c, NULL, NULL);
    return error;
}

int comm_meet(comm *c, const char *caller, const hello *mine, bool may_block, handshake *h)
{
    int error = handshake_open(h, c->p, c->rank, mine, caller == start);

    return error ? error : comm_meet_opened(c, caller, may_block, h);
}

int comm_meet_again(comm *c, const char *caller, int error, handshake *h)
{
    h->mine.error = error;
    memset(h->all, 0, (size_t)h->p * sizeof *h->all); /* nobody has come */
    error = comm_meet_opened(c, caller, true, h);
    for (int r = 0; !error && r < h->p; r++)
        error = h->all[r].error;
    return error;
}

static const char to_check[] =
    "is libtutti_mpi.so preloaded on all ranks, or tutti_init called there?";

static void say_start(const handshake *h)
{
    char missing[512];

    handshake_missing(h, missing, sizeof missing);
    if (handshake_is_first(h))
        env_say_here("Tutti has not been started on %s of %d; %s", missing, h->p, to_check);
}

/* Has it members that were not in this MPI_COMM_WORLD when Tutti started? */
static bool spans_worlds(const comm *c)
{
    process_lock();
    bool spans = c->channel_ranks_known && !c->covered;
    process_unlock();
    return spans;
}

/* A rank without the library never comes: one of those with it says so, without TUTTI_TIMEOUT. So
 * it may be with processes that have been spawned. */
static bool report_start(const comm *c, const comm_meeting *m)
{
    char missing[512];

    if (m->caller == start)
        say_start(m->now);
    else if (watch_on || !spans_worlds(c))
        return false;
    else if (handshake_is_first(m->now)) {
        handshake_missing(m->now, missing, sizeof missing);
        env_say_here("%s: pending: not called yet by %s of %d; the communicator spans several "
                     "MPI_COMM_WORLDs: is libtutti_mpi.so preloaded in all of them?",
                     m->caller, missing, c->p);
    }
    return true;
}

/* The first one ends the job, when it has said why. */
static void leave_time_to_say(const handshake *h)
{
    double begin = clock_now();
    int idle = 0;

    while (!handshake_is_first(h) && clock_now() - begin < start_patience)
        comm_above.idle_turn(&idle);
}

int comm_start(comm *world, const hello *mine, handshake *h)
{
    int error = comm_meet(world, start, mine, true, h);

    if (error ? error == MPI_ERR_NO_MEM || fault_tolerance : handshake_is_ours(h))
        return error;
    if (error) { /* what has come was too long */
        env_say_here("Tutti could not be started: another rank is in a different collective; %s",
                     to_check);
    } else {
        say_start(h);
        leave_time_to_say(h);
    }
    return PMPI_Abort(MPI_COMM_WORLD, MPI_ERR_OTHER); /* what that rank was sending is lost */
}

bool comm_explain_error(const handshake *h)
{
    static atomic_bool waited;
    int first = 0;

    while (first < h->p && !h->all[first].error)
        first++;
    if (first == h->rank)
        env_explain();
    else if (first < h->p && h->all[first].world != 0 && !atomic_exchange(&waited, true))
        reason_wait();
    return first < h->p;
}

void comm_report_missing(comm *c)
{
    comm_meeting *m = &c->meeting;
    char missing[512];

    if (!m->now || m->reported)
        return;
    m->reported = clock_now() - m->opened >= start_patience && report_start(c, m);
    if (m->reported || !watch_on || !watch_too_long(m->opened))
        return;
    handshake_missing(m->now, missing, sizeof missing);
    env_say_here(
        "%s on rank %d of %d: pending for %.1f s: not called yet on this communicator by %s",
        m->caller, c->rank, c->p, watch_since(m->opened), missing);
    m->reported = true;
}
