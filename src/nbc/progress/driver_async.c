/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_async.c - MPICH 4.3 and later call a function of ours in every turn of their progress
 * (MPIX_Async_start): operations advance in any native call, as on Open MPI.
 *
 * It is declared by newer headers only and not part of the MPI-5 ABI, so it is looked up at run
 * time. Requests are those of the driver poll: MPI_Waitall of MPICH 5.0.2, too, asserts on a plain
 * generalized request beside a null one. At MPI_THREAD_MULTIPLE MPICH holds a lock in there that
 * those of our own MPI calls which make progress would take again, and ends the program.
 *
 * MPI_Finalize calls the function until it says that it is done, before it deletes attributes; and
 * then it must not be started again. So it is there only while operations run, and a little longer,
 * because starting it costs more than a turn; and our MPI_Finalize (api/mpi_names.c) ends it.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "nbc/progress/driver.h"

#include "nbc/process/process.h"
#include "nbc/process/waker.h"

#include <dlfcn.h>

/* As in MPICH's mpi.h, which not every version has. */
enum { ASYNC_NOPROGRESS, ASYNC_DONE, STREAM_NULL = 0x3c000000 };
typedef int async_function(void *thing);
typedef int start_function(async_function *, void *extra_state, int stream);

/* One thread. */
static start_function *start_async;
static bool there;
static int idle;

static int turn(void *thing)
{
    int n;

    there = start_async && driver_turn_while_needed(&idle, &n);
    return there ? ASYNC_NOPROGRESS : ASYNC_DONE;
}

/* What does not outlive its call advances in it. */
static void begin_async(bool outlives)
{
    if (!outlives || there)
        return;
    idle = 0;
    there = start_async(turn, NULL, STREAM_NULL) == MPI_SUCCESS;
}

static const char *start_async_driver(void)
{
    start_function *found = (start_function *)dlsym(RTLD_DEFAULT, "MPIX_Async_start");

    if (!found || !driver_has_extended())
        return "this MPI has no MPIX_Async_start (MPICH has from 4.3 on, but not through the ABI)";
    if (process_threaded)
        return "MPICH allows no tests of messages in there at MPI_THREAD_MULTIPLE";
    start_async = found;
    waker_set(begin_async);
    return NULL;
}

static void stop_async_driver(void)
{
    waker_set(NULL);
    start_async = NULL;
}

const driver driver_async = {
    .name = "async",
    .how = "every native MPI call advances Tutti's operations (MPIX_Async_start)",
    .start = start_async_driver,
    .stop = stop_async_driver,
    .request = driver_poll_request,
};
