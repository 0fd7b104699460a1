/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix.h - sparse symmetric matrices, distributed over ranks by rows.
 *
 * Rank 0's list of entries goes to all, and is kept as two CSR parts per rank: the columns of the
 * rank's own rows, which need no communication, and the rest.
 */
#ifndef CG_MATRIX_H
#define CG_MATRIX_H

#include "common/csr.h"
#include "common/entries.h"

#include <mpi.h>

typedef struct matrix {
    int n, p, rank;
    int first, rows;      /* mine */
    int *counts, *displs; /* rows of every rank, [p] each */
    csr own, rest;
} matrix;

/* Collective: rank 0's entries to all; rows are dealt out so that each rank has about the same
 * number of non-zeros. 0, or -1 on all ranks: out of memory. */
int matrix_distribute(const entries *e, MPI_Comm comm, matrix *m);
void matrix_free(matrix *m);

#endif
