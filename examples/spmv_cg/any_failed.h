/* SPDX-License-Identifier: BSD-3-Clause */
/* any_failed.h - did something fail on any rank? Collective; the same on all. */
#ifndef SPMV_CG_ANY_FAILED_H
#define SPMV_CG_ANY_FAILED_H

#include <mpi.h>

static inline int any_failed(int failed)
{
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return failed;
}

#endif
