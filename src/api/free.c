/* SPDX-License-Identifier: BSD-3-Clause */
/* free.c - MPI_Op_free and MPI_Type_free for handles that may be in use (nbc/run/kept.h). */
#include "nbc/plan/plan.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/process.h"
#include "nbc/run/kept.h"

#include <tutti.h>

int tutti_op_free(MPI_Op *op)
{
    if (!op || !kept_op_freed(*op))
        return native_mpi.Op_free(op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

/* Duplicates in execs that idle would keep an MPI from ending the type now, and from calling the
 * delete callbacks of the program's own attributes. */
static void forget_calls(MPI_Datatype type)
{
    lifetime *l = type == MPI_DATATYPE_NULL ? NULL : lifetime_of(type);

    if (!l || atomic_load(&l->refs) == 1)
        return;
    process_lock();
    plan_forget_type(l);
    process_unlock();
    if (!process_in_callback)
        plan_free_deferred();
}

int tutti_type_free(MPI_Datatype *type)
{
    if (type)
        forget_calls(*type);
    if (!type || !kept_type_freed(*type))
        return native_mpi.Type_free(type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
