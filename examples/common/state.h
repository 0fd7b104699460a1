/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - how far a solver is, and what the plain and the pipelined iteration share. */
#ifndef EXAMPLES_STATE_H
#define EXAMPLES_STATE_H

#include "common/product.h"

/* A x = b, whose solution is known. */
typedef struct problem {
    const matrix *matrix;
    int rows, rank;          /* mine */
    const double *b, *exact; /* [rows]: the right-hand side, the solution */
} problem;

typedef struct way {
    const char *method, *name; /* as an option, and for people */
    manner multiply, reduce;
    bool pipelined;
} way;

typedef struct solver {
    const problem *problem;
    const way *way;
    const options *o;
    product *product;
    sums sums;
    double *x, *r, *ap; /* my rows, as all vectors here; p is the direction */
    double *p;          /* plain: the vector of the product */
    double *q, *z;      /* pipelined. w: the vector of the product */
    double rr, rr0;     /* squared residual, now and at first */
    double alpha;       /* pipelined: of the last iteration */
    bool first;         /* pipelined: there was no iteration yet */
    int age;            /* iterations since vectors were computed anew */
    const char *broken; /* NULL, or why it cannot go on */
    double *times;      /* [iterations], seconds */
    int iterations;
} solver;

/* Squares that are positive if the matrix is positive definite: else the solver is broken. */
void solver_check(solver *s, double square);

bool solver_converged(const solver *s);

/* My part of (a, b), of n rows. */
double dot(int n, const double *a, const double *b);

#endif
