/* SPDX-License-Identifier: BSD-3-Clause */
/* print.h - a job's statistics as a table and as JSON (docs/statistics.md). */
#ifndef TUTTI_TALLY_PRINT_H
#define TUTTI_TALLY_PRINT_H

#include "nbc/tally/tally.h"

#include <stdatomic.h>
#include <stdio.h>

/* What libtutti_mpi.so has left to the MPI, by reasons. */
enum { TALLY_REASONS = 10 };

typedef struct tally_outside {
    int n;
    const char *reason[TALLY_REASONS];
    atomic_llong *calls[TALLY_REASONS]; /* [COLL_KINDS] each */
} tally_outside;

/* What is said beside the table. */
typedef struct tally_job {
    double seconds; /* from the first call to MPI_Finalize */
    int processes;
    bool whole;      /* of all processes; else of rank 0 alone */
    const char *why; /* why of rank 0 alone */
    const tally_outside *outside;
    int64_t (*left)[COLL_KINDS]; /* [TALLY_REASONS] */
} tally_job;

/* All that this process has, where TUTTI_STATS wants it. */
void tally_say(const tally_job *job);

/* The two forms. Of the table: communicators that have rows, in the order of their creation, and
 * rows in theirs. */
void tally_print_table(FILE *out, const tally_job *job, const tally_table *t);
void tally_print_json(FILE *out, const tally_job *job, const tally_table *t);

/* For both: rows [first, result) are of one communicator and collective; *all is their sum. */
int tally_group(const tally_table *t, int first, tally_row *all);

/* Share of the time from start to end that was not spent inside of calls. */
double tally_overlapped(const tally_sums *s);

/* "lane:ring,block", "left to the MPI". */
void tally_algorithm(const tally_row *r, char *text, size_t size);

#endif
