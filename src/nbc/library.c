/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - the order of start and end, and what the rooms are to each other. */
#include "nbc/library.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/comm.h"
#include "nbc/comm/failures.h"
#include "nbc/comm/hooks.h"
#include "nbc/comm/trace_file.h"
#include "nbc/plan/plan.h"
#include "nbc/process/env.h"
#include "nbc/process/process.h"
#include "nbc/process/watch.h"
#include "nbc/run/engine.h"
#include "nbc/stats/gather.h"

#include <pthread.h>
#include <stdatomic.h>

enum { FRESH, STARTED, REFUSED, ENDING };

static atomic_int stage;
static pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;
static int self_key = MPI_KEYVAL_INVALID;
static int start_error; /* if it has been REFUSED. Start mutex */
static const driver *chosen;
static const char *reason = "not started";

const driver *library_driver(void)
{
    return chosen;
}

const char *library_driver_reason(void)
{
    return reason;
}

void library_finalize(void)
{
    if (chosen == &driver_async)
        chosen->stop();
}

/* Delete callback of our attribute on MPI_COMM_SELF: MPI_Finalize has begun. Callbacks of the
 * program that come after ours, of attributes on MPI_COMM_SELF and on MPI_COMM_WORLD, may still
 * communicate. So the library goes on working: only what MPI must not meet is ended, the thread and
 * operations that nobody has completed; and what the program could not reach any more is freed. The
 * duplicate of MPI_COMM_SELF is left to MPI. */
static int library_end(MPI_Comm comm, int key, void *value, void *extra)
{
    bool last, alone; /* with the failed nothing can be gathered */

    driver_thread_end();
    library_finalize();
    engine_abandon();
    alone = failures_any();
    if (!alone)
        trace_file_end();
    last = comm_end_all();
    if (!alone)
        stats_finish(channel_comm());
    if (last)
        channel_end();
    if (atomic_load(&stage) == STARTED) {
        env_end();
        atomic_store(&stage, ENDING);
    }
    return MPI_SUCCESS;
}

static const comm_hooks above_comm = {
    .idle_turn = engine_idle_turn,
    .hook_progress = driver_hook_add,
    .unhook_progress = driver_hook_remove,
    .prepare = engine_prepare,
    .clear_plans = plan_cache_clear,
    .free_deferred_plans = plan_free_deferred,
};

static int start_communicators(void)
{
    int error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, library_end, &self_key, NULL);

    if (!error)
        error = PMPI_Comm_set_attr(MPI_COMM_SELF, self_key, NULL);
    if (!error)
        error = comm_start_all(&above_comm);
    return error;
}

/* A failed rank would not be reported there, and operations would wait for it for ever. */
static void check_fault_tolerance(void)
{
#ifdef TUTTI_MPI_ABI
    if (fault_tolerance)
        env_refuse("fault tolerance is on, and through the MPI ABI Tutti does not see failed "
                   "ranks; use a Tutti that is built for this MPI, or start without it");
#endif
}

static int start_library(void)
{
    int error;

    fault_tolerance = fault_tolerance_on();
    error = process_start();
    channel_start();
    if (!error)
        error = start_communicators();
    if (!error)
        error = env_read();
    check_fault_tolerance();
    stats_start();
    if (error)
        return error;
    watch_start(env_given.timeout);
    error = driver_choose(env_given.progress, &chosen, &reason);
    trace_file_start();
    return error;
}

static int enter_slowly(void)
{
    int is_initialized = 0, is_finalized = 0, error = MPI_ERR_OTHER;

    PMPI_Initialized(&is_initialized);
    PMPI_Finalized(&is_finalized);
    if (!is_initialized || is_finalized)
        return MPI_ERR_OTHER;
    pthread_mutex_lock(&start_mutex);
    if (atomic_load(&stage) == FRESH) {
        start_error = start_library();
        atomic_store(&stage, start_error ? REFUSED : STARTED);
    }
    if (atomic_load(&stage) == STARTED || atomic_load(&stage) == ENDING)
        error = MPI_SUCCESS;
    else if (atomic_load(&stage) == REFUSED)
        error = start_error;
    pthread_mutex_unlock(&start_mutex);
    return error;
}

int library_enter(void)
{
    if (atomic_load_explicit(&stage, memory_order_acquire) == STARTED)
        return MPI_SUCCESS;
    return enter_slowly();
}
