/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - operations of ours advance while the program sits in any other call of the MPI.
 *
 * Open MPI's progress callback does that by itself, and so does MPICH's from 4.3 on below
 * MPI_THREAD_MULTIPLE (the driver async). Else MPICH polls generalized requests only in waits
 * and tests on them. But over UCX all its blocking calls, of every kind, come down to
 * ucp_worker_progress, a function of another library, which is ours to replace: after UCX's own
 * work we do ours. MPICH holds no lock there below MPI_THREAD_MULTIPLE, so MPI may be called; at
 * that level it does, and the progress thread takes over. Wrapping each blocking call instead would
 * have to turn blocking collectives into non-blocking ones, the same on all ranks, and would miss
 * one-sided calls and files.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "nbc/process/right_mpi.h"
#include "pmpi/both_names.h"
#include "pmpi/interpose.h"

#ifdef OPEN_MPI

void interpose_need_progress(void)
{
}

void interpose_find_progress(void)
{
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool hooked, thread, async;

/* The thread comes to life with the first operation that needs it. */
static bool start_thread(void)
{
    MPI_Info info;
    int error;

    if (PMPI_Info_create(&info) != MPI_SUCCESS)
        return false;
    PMPI_Info_set(info, "tutti_when", "needed");
    PMPI_Info_set(info, "tutti_ops", "true"); /* the program may sit in MPI_Recv meanwhile */
    error = tutti_progress_thread_start(info);
    PMPI_Info_free(&info);
    return error == MPI_SUCCESS;
}

/* A driver that the user has named is left alone; but its thread may call the program's functions:
 * see start_thread. */
static void start_progress(void)
{
    const char *forced = getenv("TUTTI_PROGRESS"), *driver, *reason;
    int level = MPI_THREAD_SINGLE;

    if (right_mpi_is_openmpi()) /* as it may be behind the ABI */
        return;
    if (tutti_progress_driver(&driver, &reason) == MPI_SUCCESS && strcmp(driver, "async") == 0) {
        atomic_store(&async, true);
        return;
    }
    PMPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        atomic_store(&hooked, true);
    else if (!forced || !*forced || strcmp(forced, "thread") == 0)
        atomic_store(&thread, start_thread());
}

/* MPICH 4.0 aborts if a thread is inside MPI when MPI_Finalize begins, as ours is while operations
 * run that the program has forgotten. The driver async must not begin anew in there, where
 * callbacks of the program may communicate. */
static void stop_progress(void)
{
    if (atomic_exchange(&thread, false))
        tutti_progress_thread_stop();
    tutti_interposed_finalize();
    if (atomic_load(&async))
        atomic_store(&hooked, true);
}

BOTH_NAMES(Finalize, (void), ())
{
    stop_progress();
    return own_MPI_Finalize();
}

void interpose_need_progress(void)
{
    pthread_once(&once, start_progress);
}

/* MPICH's own worker: the one that works in MPI_Iprobe; not known with one process. Another one may
 * be the program's, in a thread that must not call MPI. */
static _Atomic(void *) mpi_worker;
static _Thread_local bool finding;

void interpose_find_progress(void)
{
    int flag;

    atomic_store(&mpi_worker, NULL); /* MPI may have begun again */
    finding = true;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    finding = false;
}

/* `finding` costs a function call in a shared library: read only until the worker is found. */
static bool is_mpi_worker(void *worker)
{
    void *mpis = atomic_load_explicit(&mpi_worker, memory_order_relaxed);

    if (mpis)
        return mpis == worker;
    if (finding)
        atomic_store(&mpi_worker, worker);
    return true;
}

/* Called by MPICH some million times a second: nothing but a few loads until something runs. */
unsigned ucp_worker_progress(void *worker)
{
    typedef unsigned worker_progress(void *worker);
    static _Atomic(worker_progress *) next;
    worker_progress *real = atomic_load_explicit(&next, memory_order_relaxed);
    unsigned n;

    if (!real) {
        real = (worker_progress *)dlsym(RTLD_NEXT, "ucp_worker_progress");
        atomic_store(&next, real);
    }
    n = real(worker);
    if (is_mpi_worker(worker) && atomic_load_explicit(&hooked, memory_order_relaxed))
        tutti_interposed_turn();
    return n;
}

#endif
