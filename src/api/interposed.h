/* SPDX-License-Identifier: BSD-3-Clause */
/* interposed.h - what libtutti_mpi.so calls of libtutti that is not in tutti.h: exported, but not
 * for programs, which have `auto`.
 *
 *   tutti_interposed_allgather(..., comm, &left)
 *   tutti_interposed_iallgather(..., comm, &request, &left)
 *
 * as MPI_Allgather and MPI_Iallgather. Unless left.native is CALL_OURS nothing has been done,
 * and the MPI's own call is to be made; the same on all ranks. With NULL nothing is left.
 *
 *   tutti_interposed_init_allgather(..., comm, info, &request)
 *
 * as MPIX_Allgather_auto_init. Buffers of all three may be device memory.
 */
#ifndef TUTTI_INTERPOSED_H
#define TUTTI_INTERPOSED_H

#include "api/native_call.h"
#include "nbc/process/native_mpi.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <tutti.h>

#define EXPORTED __attribute__((visibility("default")))

/* TUTTI_INTERPOSE has a wrong value: see env_refuse. */
EXPORTED void tutti_interposed_refuse(const char *why);

/* A reason for which calls are left to the MPI, and how often they are, by collectives: for the
 * statistics of the job. */
EXPORTED void tutti_interposed_counts(const char *reason, atomic_llong *calls);

/* Is the MPI known to get this collective (a coll_kind) wrong on a communicator of one process? */
EXPORTED bool tutti_interposed_errs_alone(int kind);

/* The functions by which libtutti calls the MPI. */
EXPORTED native_mpi_calls *tutti_interposed_native_mpi(void);

/* Does the MPI go on when a process has failed (process/fault_tolerance.h)? */
EXPORTED bool tutti_interposed_fault_tolerant(void);

/* Does TUTTI_REPRODUCIBLE ask that the MPI serves no call of this collective (a coll_kind)? */
EXPORTED bool tutti_interposed_reproducible(int kind);
EXPORTED bool tutti_interposed_reproducible_in_world(int kind); /* on all ranks */

/* MPI_Finalize is called: libtutti's own may come after the MPI's, and never be called
 * (mpi_names.c). */
EXPORTED void tutti_interposed_finalize(void);

/* MPICH's own progress has taken a turn. */
EXPORTED void tutti_interposed_turn(void);

/* One fruitless turn more of a wait (process/rest.h). */
EXPORTED void tutti_interposed_rest(int *idle);

/* A call that was left for CALL_TRY is over, in this thread. */
EXPORTED void tutti_interposed_tried(void);

/* Is the library of a GPU loaded (process/device.h)? */
EXPORTED bool tutti_interposed_device(void);

/* For a blocking call that is left to the MPI with copies. The first returns what replaces a
 * buffer, which may be host memory. Call the second before the MPI's call, and the third after it
 * with its error. */
EXPORTED void *tutti_interposed_copy(struct staged *copies, const void *buffer, bool received);
EXPORTED void tutti_interposed_copy_begin(struct staged *copies);
EXPORTED int tutti_interposed_copy_end(struct staged *copies, MPI_Comm comm, int error);

/* Has it been started, and not been completed since? Null has not. */
EXPORTED bool tutti_interposed_active(MPIX_Request request);

#define INTERPOSED_UNWRAP(...) __VA_ARGS__
#define INTERPOSED(name, suffix, parameters)                                                       \
    EXPORTED int tutti_interposed_##name##suffix(INTERPOSED_UNWRAP parameters, call_left *left);   \
    EXPORTED int tutti_interposed_i##name##suffix(INTERPOSED_UNWRAP parameters,                    \
                                                  MPI_Request *request, call_left *left);          \
    EXPORTED int tutti_interposed_init_##name##suffix(INTERPOSED_UNWRAP parameters, MPI_Info info, \
                                                      MPIX_Request *request);

#define COUNT int
#define DISPL int
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    INTERPOSED(name, , parameters)
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
#undef COUNT
#undef DISPL
#define COUNT MPI_Count
#define DISPL MPI_Aint
#define COLLECTIVE(name, Name, family, send, recv, traits, parameters, arguments, args)            \
    INTERPOSED(name, _c, parameters)
#define COLLECTIVE_UNCOUNTED(...)
#include "nbc/sched/collectives.def"
#undef COLLECTIVE
#undef COUNT
#undef DISPL
#undef INTERPOSED
#undef INTERPOSED_UNWRAP
#undef EXPORTED

#endif
