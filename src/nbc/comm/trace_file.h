/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_file.h - TUTTI_TRACE: one file of the whole job.
 *
 *   channel_make     all agree: do all have the variable, with one value? They read each other's
 *                    clocks, over a communicator of its own
 *   MPI_Finalize     they read them again; each makes text of its events, and sends it to the first
 *                    rank, which writes it, under another name that it renames at the end
 *
 * Whatever goes wrong at the end, all go through the same steps: no file, and one line that says
 * why.
 */
#ifndef TUTTI_TRACE_FILE_H
#define TUTTI_TRACE_FILE_H

#include <mpi.h>

/* When the library has started: record from now on, if TUTTI_TRACE is set. */
void trace_file_start(void);

/* Collective over `all`, which has the group of MPI_COMM_WORLD. */
void trace_file_agree(MPI_Comm all);

/* MPI_Finalize has begun, and nobody records any more. Collective over the processes of what
 * trace_file_agree was called with. */
void trace_file_end(void);

#endif
