/* SPDX-License-Identifier: BSD-3-Clause */
/* print.h - a job's statistics as a table and as JSON (docs/observing.md). */
#ifndef TUTTI_STATS_PRINT_H
#define TUTTI_STATS_PRINT_H

#include "nbc/stats/stats.h"

#include <stdatomic.h>
#include <stdio.h>

/* What libtutti_mpi.so has left to the MPI, by reasons. */
enum { STATS_REASONS = 10 };

typedef struct stats_outside {
    int n;
    const char *reason[STATS_REASONS];
    atomic_llong *calls[STATS_REASONS]; /* [COLL_KINDS] each */
} stats_outside;

/* What is said beside the table. */
typedef struct stats_job {
    double seconds; /* from the first call to MPI_Finalize */
    int processes;
    bool whole;      /* of all processes; else of rank 0 alone */
    const char *why; /* why of rank 0 alone */
    const stats_outside *outside;
    int64_t (*left)[COLL_KINDS]; /* [STATS_REASONS] */
} stats_job;

/* All that this process has, where TUTTI_STATS wants it. */
void stats_say(const stats_job *job);

/* The two forms. Of the table: communicators that have rows, in the order of their creation, and
 * rows in theirs. */
void stats_print_table(FILE *out, const stats_job *job, const stats_table *t);
void stats_print_json(FILE *out, const stats_job *job, const stats_table *t);

/* For both: rows [first, result) are of one communicator and collective; *all is their sum. */
int stats_group(const stats_table *t, int first, stats_row *all);

/* Share of the time from start to end that was not spent inside of calls. */
double stats_overlapped(const stats_sums *s);

/* "lane:ring,block", "left to the MPI". */
void stats_algorithm(const stats_row *r, char *text, size_t size);

#endif
