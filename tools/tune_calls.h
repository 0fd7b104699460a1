/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_calls.h - who serves a blocking call faster, the MPI or Tutti? Measured by the trials of
 * libtutti_mpi.so (src/api/try_both.h), which TUTTI_PLAN=measure makes wisdom.
 */
#ifndef TUTTI_TUNE_CALLS_H
#define TUTTI_TUNE_CALLS_H

#include <mpi.h>
#include <stdbool.h>

/* Are the calls of MPI those of libtutti_mpi.so, and of no tool before it? */
bool tune_calls_possible(void);

/* All collectives that are tried, among all ranks, of 8 bytes to 1 MiB, 16 MiB in all. `done` is
 * called after each, on all ranks; an error of it ends all, and is returned. Collective. Ends the
 * job where memory does. */
typedef int tune_calls_done(void *of, const char *collective);
int tune_calls(tune_calls_done *done, void *of);

#endif
