/* SPDX-License-Identifier: BSD-3-Clause */
/* told.h - native requests learn that their operations are done. */
#ifndef TUTTI_TOLD_H
#define TUTTI_TOLD_H

#include "nbc/process/role.h"
#include "nbc/run/exec.h"

#include <stdbool.h>

extern bool told_by_program; /* engine_tell_later */
extern atomic_bool told_waiting;

/* e is DONE: complete its native request, if it has one; collect e, if that is detached. Both as
 * they were before it was DONE: since then e may be gone, and is afterwards. Engine lock held. */
void told_complete(exec *e, MPI_Request native, bool detached);

/* Leave that to a thread that calls told_all; before e is DONE. Engine lock held. */
void told_later(exec *e);
void told_all(void);

/* Is there something for told_all, and may this thread call it? No lock held. */
static inline bool told_wanted(void)
{
    return atomic_load_explicit(&told_waiting, memory_order_relaxed) && role_now != ROLE_THREAD;
}

/* In MPI's query function of e's request: wait until the thread that has completed it has left the
 * call. No lock held.
 *
 * Open MPI 6.0.0rc2 frees a generalized request twice if MPI_Grequest_complete and the call that
 * waits for it leave at the same moment. */
void told_await(const exec *e);

/* MPI_Finalize has begun: requests stay active. Engine lock held. */
void told_abandon(void);

#endif
