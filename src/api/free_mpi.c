/* SPDX-License-Identifier: BSD-3-Clause */
/* free_mpi.c - MPI_Op_free and MPI_Type_free, as the profiling interface allows: see
 * nbc/run/kept.h. Not in a build for SimGrid.
 */
#include <tutti.h>

__attribute__((visibility("default"))) int MPI_Op_free(MPI_Op *op)
{
    return tutti_op_free(op);
}

__attribute__((visibility("default"))) int MPI_Type_free(MPI_Datatype *type)
{
    return tutti_type_free(type);
}
