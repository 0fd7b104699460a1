/* SPDX-License-Identifier: BSD-3-Clause */
/* completion.c - see completion.h. */
#include "nbc/run/completion.h"

#include "nbc/process/process.h"
#include "nbc/process/rest.h"

bool completion_by_program;
atomic_bool completion_waiting;

static exec *waiting;                     /* for completion_report_deferred; by `next` */
static _Atomic(const exec *) completing;  /* its request is in PMPI_Grequest_complete */
static _Thread_local bool completing_one; /* the caller is in there */

static void complete(const exec *e, MPI_Request native)
{
    if (!process_threaded) {
        PMPI_Grequest_complete(native);
        return;
    }
    completing_one = true;
    atomic_store(&completing, e);
    PMPI_Grequest_complete(native);
    atomic_store(&completing, NULL);
    completing_one = false;
}

void completion_report(exec *e, MPI_Request native, bool detached)
{
    if (native != MPI_REQUEST_NULL)
        complete(e, native);
    if (detached)
        e->native.collect(e);
}

void completion_await(const exec *e)
{
    if (!process_threaded || completing_one)
        return;
    for (int again = 0; atomic_load(&completing) == e; again++)
        rest(again);
}

void completion_defer(exec *e)
{
    e->next = waiting;
    waiting = e;
    atomic_store_explicit(&e->native.completion_pending, true, memory_order_relaxed);
    atomic_store_explicit(&completion_waiting, true, memory_order_relaxed);
}

void completion_report_deferred(void)
{
    while (waiting) {
        exec *e = waiting;
        waiting = e->next;
        atomic_store_explicit(&completion_waiting, waiting != NULL, memory_order_relaxed);
        atomic_store_explicit(&e->native.completion_pending, false, memory_order_relaxed);
        completion_report(e, e->native.request, e->native.detached);
    }
}

void completion_abandon(void)
{
    waiting = NULL;
    atomic_store(&completion_waiting, false);
}
