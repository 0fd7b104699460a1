/* SPDX-License-Identifier: BSD-3-Clause */
/* native_mpi.h - the MPI's own functions that libtutti_mpi.so has under their PMPI_ names, too.
 *
 * With that library in front of the MPI a PMPI_ name is a call of the program's, or of a tool's.
 * What Tutti itself wants of the MPI it calls here: the PMPI_ functions as they are linked, until
 * libtutti_mpi.so, when it is loaded, puts those after itself in their stead. All other PMPI_
 * functions are called by their names.
 */
#ifndef TUTTI_NATIVE_MPI_H
#define TUTTI_NATIVE_MPI_H

#include <mpi.h>

#define NATIVE_MPI_CALLS(CALL)                                                                     \
    CALL(Allgather)                                                                                \
    CALL(Allreduce)                                                                                \
    CALL(Alltoallw)                                                                                \
    CALL(Barrier)                                                                                  \
    CALL(Bcast)                                                                                    \
    CALL(Cancel)                                                                                   \
    CALL(Finalize)                                                                                 \
    CALL(Iallgather)                                                                               \
    CALL(Iallreduce)                                                                               \
    CALL(Ialltoallv)                                                                               \
    CALL(Op_free)                                                                                  \
    CALL(Reduce)                                                                                   \
    CALL(Request_free)                                                                             \
    CALL(Request_get_status)                                                                       \
    CALL(Start)                                                                                    \
    CALL(Test)                                                                                     \
    CALL(Testsome)                                                                                 \
    CALL(Type_free)                                                                                \
    CALL(Wait)                                                                                     \
    CALL(Waitall)                                                                                  \
    CALL(Waitany)

typedef struct native_mpi_calls {
#define CALL(name) __typeof__(PMPI_##name) *name;
    NATIVE_MPI_CALLS(CALL)
#undef CALL
} native_mpi_calls;

extern native_mpi_calls native_mpi;

#endif
