/* SPDX-License-Identifier: BSD-3-Clause */
/* ucx_yield.c - LD_PRELOAD helper for tests: lets more MPICH ranks than cores run side by side.
 *
 * MPICH (ch4:ucx) never yields the processor in a wait, so a waiting rank burns its whole time
 * slice. Here every SPINS fruitless polls of UCX yield. Only sched_yield: sleeping costs
 * milliseconds a message.
 *
 * With SHIM_NODISCONNECT=1 it also skips UCX's disconnect: over TCP, MPICH 4.0 hangs in
 * MPI_Finalize now and then, because the flush before it needs the progress of a peer that is in a
 * barrier already.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

enum { SPINS = 20 };

unsigned ucp_worker_progress(void *worker)
{
    static union {
        void *object;
        unsigned (*function)(void *);
    } next;
    static _Thread_local int idle;
    unsigned n;

    if (!next.object)
        next.object = dlsym(RTLD_NEXT, "ucp_worker_progress");
    n = next.function(worker);
    if (n)
        idle = 0;
    else if (++idle >= SPINS) {
        idle = 0;
        sched_yield();
    }
    return n;
}

void *ucp_disconnect_nb(void *endpoint)
{
    static union {
        void *object;
        void *(*function)(void *);
    } next;

    if (getenv("SHIM_NODISCONNECT"))
        return NULL;
    if (!next.object)
        next.object = dlsym(RTLD_NEXT, "ucp_disconnect_nb");
    return next.function(endpoint);
}
