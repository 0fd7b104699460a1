/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - what is said beside the table. */
#ifndef TUTTI_TALLY_JOB_H
#define TUTTI_TALLY_JOB_H

#include "nbc/tally/tally.h"

#include <stdatomic.h>

/* What libtutti_mpi.so has left to the MPI, by reasons. */
enum { TALLY_REASONS = 10 };

typedef struct tally_outside {
    int n;
    const char *reason[TALLY_REASONS];
    atomic_llong *calls[TALLY_REASONS]; /* [COLL_KINDS] each */
} tally_outside;

typedef struct tally_job {
    double seconds; /* from the first call to MPI_Finalize */
    int processes;
    bool whole;      /* of all; else of rank 0 alone, */
    const char *why; /* and why */
    const tally_outside *outside;
    int64_t (*left)[COLL_KINDS]; /* [TALLY_REASONS] */
} tally_job;

#endif
