/* SPDX-License-Identifier: BSD-3-Clause */
/* told.c - see told.h. */
#include "nbc/run/told.h"

#include "nbc/process/process.h"
#include "nbc/process/rest.h"

bool told_by_program;
atomic_bool told_waiting;

static exec *waiting;                     /* for told_all; by `next` */
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

void told_complete(exec *e, MPI_Request native, bool detached)
{
    if (native != MPI_REQUEST_NULL)
        complete(e, native);
    if (detached)
        e->native.collect(e);
}

void told_await(const exec *e)
{
    if (!process_threaded || completing_one)
        return;
    for (int again = 0; atomic_load(&completing) == e; again++)
        rest(again);
}

void told_later(exec *e)
{
    e->next = waiting;
    waiting = e;
    atomic_store_explicit(&e->native.untold, true, memory_order_relaxed);
    atomic_store_explicit(&told_waiting, true, memory_order_relaxed);
}

void told_all(void)
{
    while (waiting) {
        exec *e = waiting;
        waiting = e->next;
        atomic_store_explicit(&told_waiting, waiting != NULL, memory_order_relaxed);
        atomic_store_explicit(&e->native.untold, false, memory_order_relaxed);
        told_complete(e, e->native.request, e->native.detached);
    }
}

void told_abandon(void)
{
    waiting = NULL;
    atomic_store(&told_waiting, false);
}
