/* SPDX-License-Identifier: BSD-3-Clause */
/* free.c - MPI_Op_free and MPI_Type_free for handles that may be in use (nbc/run/kept.h). */
#include "nbc/run/kept.h"

#include <tutti.h>

int tutti_op_free(MPI_Op *op)
{
    if (!op || !kept_op_freed(*op))
        return PMPI_Op_free(op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int tutti_type_free(MPI_Datatype *type)
{
    if (!type || !kept_type_freed(*type))
        return PMPI_Type_free(type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
