/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_poll.c - MPICH's extended generalized requests: Wait and Test call our poll function.
 *
 * poll and wait must both be given. MPI_Waitall calls wait for each such request in turn before it
 * looks at anything else, so wait advances all operations, or two ranks that list their requests
 * in different orders would deadlock. The status handed to poll may be garbage: never touched.
 */
#include "nbc/progress/driver.h"

#ifdef TUTTI_HAVE_MPIX_GREQUEST

#include "nbc/process/rest.h"
#include "nbc/process/trace.h"
#include "nbc/run/engine.h"
#include "nbc/tally/tally.h"

enum { SPIN = 1000 };

/* The caller is in a native call. */
static int progress(exec *e)
{
    int n;

    if (!trace_is_on())
        return engine_progress_for(e);
    trace_caller = TRACE_MPI;
    n = engine_progress_for(e);
    trace_caller = TRACE_PROGRAM;
    return n;
}

static void poll(exec *e)
{
    static _Thread_local int idle;

    if (progress(e) || (++idle >= SPIN && !rest(idle - SPIN)))
        idle = 0; /* MPI_Wait polls without yielding */
}

static int poll_function(void *extra_state, MPI_Status *status)
{
    bool counted = tally_on;

    (void)status;
    if (counted)
        tally_poll_begin();
    poll(extra_state);
    if (counted)
        tally_poll_end();
    return MPI_SUCCESS;
}

static const char *start(void)
{
    return NULL;
}

static void stop(void)
{
}

static int request(exec *e, MPI_Request *request)
{
    return MPIX_Grequest_start(driver_query, driver_free, driver_cancel, poll_function, driver_wait,
                               e, request);
}

const driver driver_poll = {
    .name = "poll",
    .how = "native Wait and Test calls poll our requests (MPIX_Grequest_start)",
    .start = start,
    .stop = stop,
    .request = request,
};

#endif
