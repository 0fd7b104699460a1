/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_names.c - the functions of MPI that this library has, too, as the profiling interface allows.
 * Not in a build for SimGrid.
 *
 *   MPI_Op_free, MPI_Type_free    what operations use stays (nbc/run/kept.h)
 *   MPI_Request_get_status        MPICH asks no generalized request here, and makes no progress
 *   MPI_Finalize                  ends the driver (nbc/progress/driver_async.c)
 *
 * The last two are weak: a tool that is linked with us may have its own.
 */
#include "nbc/library.h"
#include "nbc/process/native_mpi.h"

#include <tutti.h>

__attribute__((visibility("default"))) int MPI_Op_free(MPI_Op *op)
{
    return tutti_op_free(op);
}

__attribute__((visibility("default"))) int MPI_Type_free(MPI_Datatype *type)
{
    return tutti_type_free(type);
}

__attribute__((weak, visibility("default"))) int MPI_Request_get_status(MPI_Request request,
                                                                        int *flag,
                                                                        MPI_Status *status)
{
    tutti_progress();
    return native_mpi.Request_get_status(request, flag, status);
}

/* The driver ends without this, too, where no operation runs any more. */
__attribute__((weak, visibility("default"))) int MPI_Finalize(void)
{
    library_finalize();
    return native_mpi.Finalize();
}
