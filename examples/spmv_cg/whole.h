/* SPDX-License-Identifier: BSD-3-Clause */
/* whole.h - the whole problem on one rank: its matrix, its solution, and a serial solve. */
#ifndef SPMV_CG_WHOLE_H
#define SPMV_CG_WHOLE_H

#include "common/csr.h"
#include "common/entries.h"

typedef struct whole {
    int n;
    int grid;          /* of grid^3 points; 0: from a file */
    csr a;             /* columns ascend, no position twice, no zeros off the diagonal */
    double *exact, *b; /* [n]: a solution that differs from row to row, and A times it */
} whole;

/* Sorts e. 0, or -1: out of memory, or too many entries. */
int whole_make(whole *w, entries *e, int grid);
void whole_free(whole *w);

/* y = A x. */
void whole_multiply(const whole *w, const double *x, double *y);

/* Conjugate gradients from x = 0, in one loop that shares nothing with the solvers that it judges.
 * The number of iterations, or -1: out of memory. */
int whole_solve(const whole *w, double tolerance, int most, double *x);

#endif
