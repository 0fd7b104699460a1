/* SPDX-License-Identifier: BSD-3-Clause */
/* fault_tolerance.h - does the MPI go on when a process has failed?
 *
 * User-level failure mitigation (ULFM) of Open MPI 5 and 6 is off unless asked for, as by
 * `mpirun --with-ft ulfm`. Then a collective with a failed member ends with
 * MPIX_ERR_PROC_FAILED, and survivors revoke and shrink the communicator and go on.
 */
#ifndef TUTTI_FAULT_TOLERANCE_H
#define TUTTI_FAULT_TOLERANCE_H

#include <stdbool.h>

/* The same on all ranks. After MPI_Init. */
bool fault_tolerance_on(void);

/* The same, from the start of the library on. */
extern bool fault_tolerance;

#endif
