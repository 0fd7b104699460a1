/* SPDX-License-Identifier: BSD-3-Clause */
/* print.h - the two forms, from rows in their order. */
#ifndef TUTTI_TALLY_PRINT_H
#define TUTTI_TALLY_PRINT_H

#include "nbc/tally/job.h"

#include <stdio.h>

/* Communicators that have rows, in the order of their creation, and rows in theirs, by `comm`: now
 * an index in `comm`. */
typedef struct tally_view {
    const tally_comm *comm;
    int ncomms;
    const tally_row *row;
    int nrows;
    int64_t unplaced;
} tally_view;

void tally_print_table(FILE *out, const tally_job *job, const tally_view *v);
void tally_print_json(FILE *out, const tally_job *job, const tally_view *v);

/* For both: rows [first, result) are of one communicator and collective; *all is their sum. */
int tally_group(const tally_view *v, int first, tally_row *all);

/* Share of the time from start to end that was not spent inside of calls. */
double tally_overlapped(const tally_sums *s);

/* "lane:ring,block", "left to the MPI". */
void tally_algorithm(const tally_row *r, char *text, size_t size);

#endif
