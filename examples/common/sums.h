/* SPDX-License-Identifier: BSD-3-Clause */
/* sums.h - sums over all ranks (of dot products), in the manner that was chosen. */
#ifndef EXAMPLES_SUMS_H
#define EXAMPLES_SUMS_H

#include <tutti.h>

typedef enum manner {
    BLOCKING,    /* the MPI's blocking call */
    NONBLOCKING, /* the MPI's non-blocking call, and MPI_Wait */
    BY_HAND,     /* messages to each neighbor (not of sums) */
    PERSISTENT   /* Tutti: a request made once, MPIX_Start and MPIX_Wait at each use */
} manner;

enum { MOST_SUMS = 2 };

typedef struct sums {
    manner how;
    int n;
    double values[MOST_SUMS];
    MPIX_Request tutti;
    MPI_Request native;
} sums;

/* Collective. s stays where it is until it is closed. An MPI error class, on all ranks. */
int sums_open(sums *s, manner how, int n);
void sums_close(sums *s);

/* My values[0 .. n-1] become those of all ranks; between start and finish they are not touched.
 * BLOCKING is complete after the start. */
void sums_start(sums *s);
void sums_finish(sums *s);

/* Let the MPI's non-blocking sums advance; Tutti's advance in tutti_progress. */
void sums_advance(sums *s);

#endif
