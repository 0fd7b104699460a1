/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_poll.c - MPICH's extended generalized requests: Wait and Test call our poll function.
 *
 * poll and wait must both be given. MPI_Waitall calls wait for each such request in turn before it
 * looks at anything else, so wait advances all operations, or two ranks that list their requests
 * in different orders would deadlock. The status handed to poll may be garbage: never touched.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "nbc/progress/driver.h"

#include "nbc/process/rest.h"
#include "nbc/run/engine.h"
#include "nbc/stats/stats.h"

#include <dlfcn.h>
#include <stdatomic.h>

/* ---- MPIX_Grequest_start: declared by MPICH's mpi.h, not by that of the MPI-5 ABI ---- */

typedef int wait_function(int count, void **extra_states, double timeout, MPI_Status *status);
typedef int start_function(MPI_Grequest_query_function *, MPI_Grequest_free_function *,
                           MPI_Grequest_cancel_function *, driver_poll_function *, wait_function *,
                           void *extra_state, MPI_Request *);

static start_function *find_start(void)
{
#ifdef TUTTI_HAVE_MPIX_GREQUEST
    return MPIX_Grequest_start;
#else
    return (start_function *)dlsym(RTLD_DEFAULT, "MPIX_Grequest_start");
#endif
}

static start_function *extended_start(void)
{
    static _Atomic(start_function *) known;
    static atomic_bool looked;

    if (!atomic_load_explicit(&looked, memory_order_acquire)) {
        atomic_store(&known, find_start());
        atomic_store_explicit(&looked, true, memory_order_release);
    }
    return atomic_load_explicit(&known, memory_order_relaxed);
}

bool driver_has_extended(void)
{
    return extended_start() != NULL;
}

int driver_request_extended(exec *e, driver_poll_function *poll, MPI_Request *request)
{
    return extended_start()(driver_query, driver_free, driver_cancel, poll, driver_wait, e,
                            request);
}

/* ---- the driver ---- */

/* What the latest turn of the MPI's progress has advanced; -1: none since the last poll. */
static atomic_int turned = -1;

void driver_poll_turn(void)
{
    atomic_store_explicit(&turned, driver_hook_turn(), memory_order_relaxed);
}

/* A native test takes a turn of progress, and then polls. With one operation both do the same. */
static int progress_unless_turned(exec *e)
{
    int n = atomic_load_explicit(&turned, memory_order_relaxed);

    if (n < 0 || engine_running() > 1)
        n = driver_advance(e);
    atomic_store_explicit(&turned, -1, memory_order_relaxed); /* native calls in there turn, too */
    return n;
}

static void poll_or_rest(exec *e)
{
    static _Thread_local int idle;

    if (progress_unless_turned(e))
        idle = 0;
    else
        rest_turn(&idle); /* MPI_Wait polls without yielding */
}

static int poll_counted(void *extra_state, MPI_Status *status)
{
    bool counted = stats_on;

    if (counted)
        stats_poll_begin();
    poll_or_rest(extra_state);
    if (counted)
        stats_poll_end();
    return MPI_SUCCESS;
}

static const char *start_poll_driver(void)
{
    return driver_has_extended() ? NULL : "this MPI has no MPIX_Grequest_start";
}

int driver_poll_request(exec *e, MPI_Request *request)
{
    return driver_request_extended(e, poll_counted, request);
}

const driver driver_poll = {
    .name = "poll",
    .how = "native Wait and Test calls poll Tutti's requests (MPIX_Grequest_start)",
    .start = start_poll_driver,
    .request = driver_poll_request,
};
