/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.h - the MPI's own, which is looked for after this one, and what tutti_mpi.h adds to it: so
 * an MPI-4 program needs no change. Installed only for an MPI that lacks something. */
#ifndef TUTTI_MPI_MPI_H
#define TUTTI_MPI_MPI_H

#pragma GCC system_header /* #include_next is not ISO C */
#include_next <mpi.h>
#include <tutti_mpi.h>

#endif
