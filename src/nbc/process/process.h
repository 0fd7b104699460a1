/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - what exists once per process, and the two locks.
 *
 *   engine_enter   what runs: the engine's list, the communicators' gates and handshakes
 *   process_lock   all else that threads share: references, plans, windows, context ids
 *
 * process_lock may be taken inside the engine's lock, never the other way round. Inside it MPI is
 * not called: MPI may hold a lock of its own when it calls us back, and we take ours.
 */
#ifndef TUTTI_PROCESS_H
#define TUTTI_PROCESS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Once, before all else: makes the private duplicate of MPI_COMM_SELF. */
int process_start(void);

/* MPI_THREAD_MULTIPLE? As if, until process_start has found out: the first calls may come at the
 * same time. */
extern bool process_threaded;

/* Private duplicate of MPI_COMM_SELF that returns errors; MPI_COMM_NULL before process_start. */
MPI_Comm process_self(void);

/* Make it the empty status, but for MPI_ERROR, which is left alone. */
void process_empty_status(MPI_Status *status);

/* MPI has called us back in this thread, and is not done: datatypes must not be freed, because
 * MPICH 4.0 aborts then at MPI_THREAD_MULTIPLE. Plans and execs wait for plan_free_deferred. */
extern _Thread_local bool process_in_callback;

/* Something waits for comm_free_deferred. */
extern atomic_bool process_has_deferred;

/* Free of cost unless process_threaded. */
void process_lock(void);
void process_unlock(void);

/* ---- the engine's lock ---- */

extern atomic_flag engine_taken;
extern bool engine_inside; /* the lock where there is one thread: against re-entry */

/* Atomic read-modify-writes cost as much as all the rest of a start: only with threads. */
static inline bool engine_try_enter(void)
{
    if (process_threaded)
        return !atomic_flag_test_and_set_explicit(&engine_taken, memory_order_acquire);
    if (engine_inside)
        return false;
    engine_inside = true;
    return true;
}

static inline void engine_leave(void)
{
    if (process_threaded)
        atomic_flag_clear_explicit(&engine_taken, memory_order_release);
    else
        engine_inside = false;
}

/* Waits for it. */
void engine_enter(void);

#endif
