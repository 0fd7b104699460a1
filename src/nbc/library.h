/* SPDX-License-Identifier: BSD-3-Clause */
/* library.h - the whole: start at the first call, end inside MPI_Finalize.
 *
 * Life cycle: library_enter (first call) starts the rooms, the lower ones first, reads the
 * environment and chooses the driver. An attribute on MPI_COMM_SELF brings us back at the very
 * begin of MPI_Finalize: see library_end.
 */
#ifndef TUTTI_LIBRARY_H
#define TUTTI_LIBRARY_H

#include "nbc/progress/driver.h"

/* Must succeed before anything else is used. MPI_ERR_OTHER before MPI_Init or after MPI_Finalize
 * has begun; MPI_ERR_ARG for a wrong TUTTI_ variable (explained once on stderr). */
int library_enter(void);

/* MPI_Finalize is called: what it would wait for ends. Operations still run in waits and tests. */
void library_finalize(void);

/* The driver chosen, and why. */
const driver *library_driver(void);
const char *library_driver_reason(void);

#endif
