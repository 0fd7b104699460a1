/* SPDX-License-Identifier: BSD-3-Clause */
/* native_mpi.c - see native_mpi.h. */
#include "nbc/process/native_mpi.h"

native_mpi_calls native_mpi = {
#define CALL(name) .name = PMPI_##name,
    NATIVE_MPI_CALLS(CALL)
#undef CALL
};
