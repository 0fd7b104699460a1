/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - how far a solver is, and what the plain and the pipelined iteration share. */
#ifndef CG_STATE_H
#define CG_STATE_H

#include "exchange.h"
#include "options.h"

#include <stdbool.h>

typedef struct way {
    const char *method, *name; /* as an option, and for people */
    manner gather, reduce;
    bool pipelined;
} way;

typedef struct solver {
    const matrix *m;
    const way *way;
    const options *o;
    exchange e;
    double *x, *r, *ap; /* my rows, as all vectors here; p is the direction */
    double *p;          /* plain: my rows of e.vector */
    double *b, *q, *z;  /* pipelined. w: my rows of e.vector */
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
