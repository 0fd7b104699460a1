/* SPDX-License-Identifier: BSD-3-Clause */
/* right_mpi.h - refuse to run in a program of another MPI than the one that we were built for. */
#ifndef TUTTI_RIGHT_MPI_H
#define TUTTI_RIGHT_MPI_H

#include <stdbool.h>

/* A program whose MPI came after it had started (by dlopen, as Python's does) is looked at again
 * when it calls MPI_Init. Ends the process, if it is the wrong one, with a sentence on stderr. */
void right_mpi_check(void);

/* The program's MPI, as it names itself: "Open MPI v4.1.4", "MPICH Version: 4.0.2". */
const char *right_mpi_name(void);

/* Is it Open MPI, by that name? The MPI ABI's handles do not show it. */
bool right_mpi_is_openmpi(void);

#endif
