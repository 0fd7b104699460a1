/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.h - sums of common types, and maxima and minima of signed integers, by a loop of ours,
 * where that is faster than MPI_Reduce_local.
 *
 * MPICH 4.0 takes 80 ns before an int is added, and does not vectorize; Open MPI 4.1 takes 15 to 30
 * ns, and has kernels that are faster from about 512 bytes on (tutti-bench reduce_local). Maxima of
 * others are left to it: the sign of a zero, and what is not a number, would have to come out as
 * there; and MPICH 4.0 compares unsigned numbers as signed ones.
 */
#ifndef TUTTI_REDUCE_H
#define TUTTI_REDUCE_H

#include "nbc/process/mpi_library.h"

#include <limits.h>
#include <mpi.h>
#include <stddef.h>

/* Tuning: of more items MPI_Reduce_local is faster. */
static inline size_t reduce_most(void)
{
    return mpi_is_openmpi() ? 32 : INT_MAX;
}

/* to[i] = from[i] op to[i]; the bits are those of MPI_Reduce_local, but for which of two NaNs
 * stays. */
typedef void reduce_function(const void *from, void *to, size_t n);

/* NULL: MPI_Reduce_local is to do it. */
reduce_function *reduce_find(MPI_Op op, MPI_Datatype type);

#endif
