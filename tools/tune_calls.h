/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_calls.h - who serves a blocking call faster, the MPI or Tutti? Measured by the trials of
 * libtutti_mpi.so (src/api/try_both.h), which TUTTI_PLAN=measure makes wisdom.
 */
#ifndef TUTTI_TUNE_CALLS_H
#define TUTTI_TUNE_CALLS_H

#include <mpi.h>
#include <stdbool.h>

/* Is this program run under libtutti_mpi.so? */
bool tune_calls_possible(void);

/* All collectives that are tried, on MPI_COMM_WORLD, of 8 bytes to 1 MiB, 16 MiB in all. Says which
 * one begins. Collective. Ends the job where memory does. */
void tune_calls(void (*progress)(void *of, const char *collective), void *of);

#endif
