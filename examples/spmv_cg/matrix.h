/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix.h - a matrix whose rows are distributed, with what its halo needs.
 *
 * Rows are numbered anew, so that those of a rank follow each other: rank r has first[r] to
 * first[r + 1]. Two CSR parts per rank: the columns that are rows of the rank, numbered from 0, and
 * those of the halo, numbered in the order in which their values are received.
 */
#ifndef SPMV_CG_MATRIX_H
#define SPMV_CG_MATRIX_H

#include "halo.h"
#include "whole.h"

typedef struct matrix {
    int n, p, rank, rows;
    int *first; /* [p + 1] */
    csr own, rest;
    halo halo;
    double *b, *exact;  /* [rows] */
    const whole *whole; /* on rank 0 */
    int *order;         /* on rank 0: the whole's row of each row */
} matrix;

/* Collective. On rank 0 w is the problem, which stays there, and part[row] the rank of each row. 0,
 * or -1 on all ranks: out of memory. */
int matrix_deal(matrix *m, const whole *w, const int *part);
void matrix_free(matrix *m);

#endif
