/* SPDX-License-Identifier: BSD-3-Clause */
/* solver.h - conjugate gradients, in several ways of communication. */
#ifndef CG_SOLVER_H
#define CG_SOLVER_H

#include "exchange.h"
#include "options.h"

#include <stdbool.h>

typedef struct way {
    const char *method, *name; /* as an option, and for people */
    manner gather, reduce;
    bool pipelined;
} way;

enum { WAYS = 6 };

extern const way ways[WAYS];

typedef struct solver {
    const matrix *m;
    const way *way;
    const options *o;
    exchange e;
    double *x, *r, *ap; /* my rows, as all vectors here; p is the direction */
    double *p;          /* plain: my rows of e.vector */
    double *b, *q, *z;  /* pipelined. w: my rows of e.vector */
    double rr, rr0;     /* squared residual, now and at first */
    double alpha;       /* pipelined: of the last iteration, */
    bool first;         /* if there was one; */
    int age;            /* iterations since vectors were computed anew */
    const char *broken; /* NULL, or why it cannot go on */
    double *times;      /* [iterations], seconds */
    int iterations;
} solver;

bool way_chosen(const way *w, const options *o);

/* Collective. The right-hand side is A times ones, so that the solution is known. The solver stays
 * where it is until it is closed. An MPI error class, on all ranks. */
int solver_open(solver *s, const matrix *m, const way *w, const options *o);
void solver_close(solver *s);

/* Squares that are positive if the matrix is positive definite: else the solver is broken. */
void solver_check(solver *s, double square);

bool solver_converged(const solver *s);
bool solver_done(const solver *s);
void solver_iterate(solver *s);

/* My part of (a, b), of n rows. */
double dot(int n, const double *a, const double *b);

#endif
