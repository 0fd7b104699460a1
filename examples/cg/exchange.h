/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h - what the ranks exchange in an iteration, in the way that was chosen: a vector
 * that each needs whole (for the product with the matrix), and sums over all (of dot products).
 */
#ifndef CG_EXCHANGE_H
#define CG_EXCHANGE_H

#include "matrix.h"

#include <tutti.h>

typedef enum manner {
    BLOCKING,    /* MPI_Allgatherv; MPI_Allreduce */
    NONBLOCKING, /* MPI_Iallgatherv; MPI_Iallreduce */
    PERSISTENT   /* Tutti: a request made once, MPIX_Start and MPIX_Wait at each use */
} manner;

enum { MOST_SUMS = 2 };

typedef struct exchange {
    const matrix *m;
    manner gather, reduce;
    double *vector; /* [n], to be multiplied: put my rows at their place */
    double sums[MOST_SUMS];
    int n_sums;
    MPIX_Request tutti_gather, tutti_reduce;
    MPI_Request native[2]; /* gather, reduce */
} exchange;

/* Collective. e stays where it is until it is closed. algorithm: of the persistent allgatherv.
 * An MPI error class, on all ranks. */
int exchange_open(exchange *e, const matrix *m, manner gather, manner reduce, int n_sums,
                  const char *algorithm);
void exchange_close(exchange *e);

/* My sums[0 .. n_sums-1] become those of all ranks; between start and finish they are not touched.
 * BLOCKING is complete after the start. */
void sums_start(exchange *e);
void sums_finish(exchange *e);

/* y = A vector, my rows of it. The vector travels while the columns that I own are multiplied,
 * unless it is BLOCKING; sums that have been started advance, too. The order of the additions is
 * the same in all manners. */
void multiply(exchange *e, double *y);

#endif
