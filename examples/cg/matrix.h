/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix.h - sparse symmetric matrices, their files, and their distribution over ranks by rows.
 *
 * A matrix is read or built as a list of entries on one rank, sent to all, and kept as two CSR
 * parts per rank: the columns of the rank's own rows, which need no communication, and the rest.
 */
#ifndef CG_MATRIX_H
#define CG_MATRIX_H

#include <mpi.h>
#include <stddef.h>

typedef struct entry {
    int row, column; /* from 0 */
    double value;
} entry;

typedef struct entries {
    int n; /* rows and columns */
    size_t count, capacity;
    entry *at;
} entries;

/* Compressed sparse rows of a rank. */
typedef struct csr {
    int *start; /* [rows + 1] */
    int *column;
    double *value;
} csr;

typedef struct matrix {
    int n, p, rank;
    int first, rows;      /* mine */
    int *counts, *displs; /* rows of every rank, [p] each */
    csr own, rest;
} matrix;

enum { MATRIX_ERROR_SIZE = 400 };

/* Read a Matrix Market file (coordinate, real or integer, symmetric or general). A symmetric file's
 * entries are mirrored; each row must have a positive diagonal. On failure returns -1, and error
 * says "FILE:LINE: what is wrong". */
int matrix_read(const char *file, entries *e, char error[MATRIX_ERROR_SIZE]);

/* The 7-point Laplacian on a grid of k^3 points. 0, or -1: out of memory. */
int matrix_poisson(int k, entries *e);

/* Collective: rank 0's entries to all; rows are dealt out so that each rank has about the same
 * number of non-zeros. 0, or -1 on all ranks: out of memory. */
int matrix_distribute(const entries *e, MPI_Comm comm, matrix *m);
void matrix_free(matrix *m);

/* y += part * x for my rows; x has n elements, y has m->rows. progress is called every few thousand
 * non-zeros, and at the end. */
void csr_multiply(const csr *part, int rows, const double *x, double *y,
                  void (*progress)(void *context), void *context);

#endif
