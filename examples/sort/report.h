/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - is it sorted, are they the same keys, and how long did it take? */
#ifndef SORT_REPORT_H
#define SORT_REPORT_H

#include "sorter.h"

typedef struct report {
    const input *in;
    key *expected,
        *result;          /* rank 0, unless there are many keys: sorted by qsort; as it came out */
    int *counts, *displs; /* [ranks] */
    double first_time;    /* of the whole sort, with the first way */
} report;

/* Collective, all. */
void report_open(report *r, const input *in);
void report_close(report *r);

/* Is the result right? The same on all ranks. */
bool report_check(report *r, sorter *s);

void report_title(void);
void report_line(report *r, sorter *s, bool right);

#endif
