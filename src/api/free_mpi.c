/* SPDX-License-Identifier: BSD-3-Clause */
/* free_mpi.c - MPI's functions that end something, as the profiling interface allows: MPI_Op_free
 * and MPI_Type_free (nbc/run/kept.h), MPI_Finalize (nbc/progress/driver_async.c). Not in a build
 * for SimGrid.
 */
#include "nbc/library.h"

#include <tutti.h>

__attribute__((visibility("default"))) int MPI_Op_free(MPI_Op *op)
{
    return tutti_op_free(op);
}

__attribute__((visibility("default"))) int MPI_Type_free(MPI_Datatype *type)
{
    return tutti_type_free(type);
}

/* Weak: a tool that is linked with us may have its own. The driver ends without this, too, where no
 * operation runs any more. */
__attribute__((weak, visibility("default"))) int MPI_Finalize(void)
{
    library_finalize();
    return PMPI_Finalize();
}
