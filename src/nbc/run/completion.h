/* SPDX-License-Identifier: BSD-3-Clause */
/* completion.h - report to native requests that their operations are done. */
#ifndef TUTTI_COMPLETION_H
#define TUTTI_COMPLETION_H

#include "nbc/process/role.h"
#include "nbc/run/exec.h"

#include <stdbool.h>

extern bool completion_by_program; /* set by engine_defer_completions */
extern atomic_bool completion_waiting;

/* e is DONE: complete its native request, if it has one; collect e, if that is detached. native and
 * detached are those of e before it was DONE: since then e may be gone, and is afterwards. Engine
 * lock held. */
void completion_report(exec *e, MPI_Request native, bool detached);

/* Leave that to a thread that calls completion_report_deferred. Before e is DONE. Engine lock held.
 */
void completion_defer(exec *e);
void completion_report_deferred(void);

/* Is there something for completion_report_deferred, and may this thread call it? No lock held. */
static inline bool completion_is_wanted(void)
{
    return atomic_load_explicit(&completion_waiting, memory_order_relaxed) &&
           role_now != ROLE_THREAD;
}

/* In MPI's query function of e's request: wait until the thread that has completed it has left the
 * call. No lock held.
 *
 * Open MPI 6.0.0rc2 frees a generalized request twice if MPI_Grequest_complete and the call that
 * waits for it leave at the same moment. */
void completion_await(const exec *e);

/* MPI_Finalize has begun: requests stay active. Engine lock held. */
void completion_abandon(void);

#endif
