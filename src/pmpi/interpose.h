/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose.h - what the parts of libtutti_mpi.so share: which calls are taken over.
 *
 * The library stands between a program and its MPI, by LD_PRELOAD or linked before it:
 *
 *   program -> MPI_Allgather (collectives.c) -> MPIX_Allgather_auto (libtutti) -> PMPI_...
 *           -> MPI_Wait ... (requests.c)     -> ours: MPIX_Wait; else PMPI_Wait
 *           -> anything else                 -> the MPI
 *
 * The MPI's Fortran functions call MPI_ or PMPI_ names of C, both of which are ours.
 *
 * A blocking call is ours where the planner sees a gain (tutti_interposed_allgather, ...,
 * api/interposed.c), else the MPI's; it returns when it is done.
 * A non-blocking one is ours because it goes on while the program computes; its request is a native
 * generalized request that needs no care. That of a persistent one is a handle of ours (handles.h).
 * It is built from tutti.h and those functions alone.
 */
#ifndef TUTTI_INTERPOSE_H
#define TUTTI_INTERPOSE_H

#include "api/interposed.h"
#include "nbc/sched/coll.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef enum interpose_form { FORM_BLOCKING, FORM_NONBLOCKING, FORM_PERSISTENT } interpose_form;

/* May this call be Tutti's? Not if fault tolerance is on, TUTTI_INTERPOSE leaves it out, the
 * communicator is an intercommunicator, the program has sessions only, or the call is non-blocking
 * and nobody would advance it while the program waits (driver `manual`), or it would block
 * (tutti_comm_prepared): then it is the native MPI's. The same on all ranks. *error: raised
 * already. Counts for the summary. */
static inline bool interpose_takes(coll_kind kind, interpose_form form, MPI_Comm comm, int *error);

bool interpose_asks(coll_kind kind, interpose_form form, MPI_Comm comm, int *error);

/* Are calls ours without a look at the planner, or whether the communicator is new? So says
 * TUTTI_INTERPOSE=all, or a list. */
extern bool interpose_all;

/* The MPI goes on when a process has failed: then all calls are the MPI's, which ends those that
 * wait for that process, and nothing of Tutti's is started; unless TUTTI_INTERPOSE names
 * collectives. Known after interpose_begin. */
extern bool interpose_fault_tolerant;

/* A call that interpose_takes has counted is left to the MPI all the same. */
void interpose_leave(coll_kind kind, call_native why);

/* Calls that have been taken over, and starts of persistent requests. Does interpose_asks say yes
 * to blocking calls on MPI_COMM_WORLD; has MPI_Finalize begun; and may several threads call? */
extern atomic_llong interpose_taken[COLL_KINDS], interpose_starts;
extern atomic_bool interpose_asked[COLL_KINDS], interpose_ending;
extern bool interpose_threaded;

/* Atomic read-modify-writes cost as much as half of all that a short call needs. */
static inline void interpose_count(atomic_llong *counter, int n)
{
    if (interpose_threaded)
        atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
    else
        atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                              memory_order_relaxed);
}

/* Once a collective has been asked for on MPI_COMM_WORLD, its blocking calls there need not ask
 * again. */
static inline bool interpose_takes(coll_kind kind, interpose_form form, MPI_Comm comm, int *error)
{
    if (form != FORM_BLOCKING || comm != MPI_COMM_WORLD ||
        !atomic_load_explicit(&interpose_asked[kind], memory_order_relaxed) ||
        atomic_load_explicit(&interpose_ending, memory_order_relaxed))
        return interpose_asks(kind, form, comm, error);
    interpose_count(&interpose_taken[kind], 1);
    *error = MPI_SUCCESS;
    return true;
}

/* Raise an error that belongs to no communicator; returns it. */
int interpose_raise(int error);

/* MPI has been initialized, by a call that we have seen (init.c) or not: says so if asked to. Does
 * something once. */
void interpose_begin(void);

/* In MPI_Init, before other threads know of MPI: find out how the MPI advances (progress.c). */
void interpose_find_progress(void);

/* In MPI_Init, on all ranks: does the MPI serve device memory on any of them, where a GPU's library
 * is loaded by then? If so, it serves all calls but persistent ones. Only what all ranks know
 * may decide that: which buffers are on a device only one rank may know. */
void interpose_find_gpus(void);

/* From now on blocking calls have to advance operations of Tutti's (progress.c, where the MPI does
 * not by itself). Does something once. */
void interpose_need_progress(void);

#endif
