/* sum.h - sums of common types by a loop of ours, where that is faster than MPI_Reduce_local.
 *
 * MPICH 4.0 takes 80 ns before an int is added, and does not vectorize; Open MPI 4.1 has kernels
 * that are as fast as the loop at 4 KiB and faster above (tutti-bench reduce_local). Only sums: of
 * maxima the sign of a zero, and what is not a number, would have to come out as there.
 */
#ifndef TUTTI_SUM_H
#define TUTTI_SUM_H

#include <mpi.h>
#include <stddef.h>

/* to[i] = from[i] + to[i]; the bits are those of MPI_Reduce_local, but for which of two NaNs
 * stays. */
typedef void sum_function(const void *from, void *to, size_t n);

/* NULL: MPI_Reduce_local is to do it. */
sum_function *sum_find(MPI_Op op, MPI_Datatype type);

#endif
