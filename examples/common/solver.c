/* SPDX-License-Identifier: BSD-3-Clause */
/* solver.c - see solver.h. */
#include "common/solver.h"

#include "common/pipelined.h"

#include <stdlib.h>
#include <string.h>

/* (a, b) over all ranks. The algorithm of the allreduce chooses the order of the additions, so that
 * MPI's and Tutti's sums may differ in their last bits; not on two ranks: a + b is b + a. */
static double dot_all(solver *s, const double *a, const double *b)
{
    s->sums.values[0] = dot(s->problem->rows, a, b);
    sums_start(&s->sums);
    sums_finish(&s->sums);
    return s->sums.values[0];
}

/* The vectors, all 0. */
static int allocate(solver *s)
{
    double **const vectors[] = {&s->x, &s->r, &s->ap, &s->q, &s->z, &s->p};
    size_t n = s->way->pipelined ? 6 : 3, rows = (size_t)s->problem->rows;
    double *at = calloc(rows * n + 1, sizeof(double));
    int failed;

    s->x = at;
    for (size_t i = 0; i < n && at; i++)
        *vectors[i] = at + i * rows;
    s->times = calloc((size_t)s->o->iterations, sizeof(double));
    failed = !s->x || !s->times;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return failed ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

int solver_open(solver *s, const problem *p, const way *w, const options *o)
{
    int error;

    *s = (solver){.problem = p, .way = w, .o = o};
    error = allocate(s);
    if (!error)
        error = product_open(&s->product, p->matrix, w->multiply, o);
    if (!error)
        error = sums_open(&s->sums, w->reduce, w->pipelined ? 2 : 1);
    if (error)
        return error;
    memcpy(s->r, p->b, (size_t)p->rows * sizeof *s->r);
    s->rr = s->rr0 = dot_all(s, s->r, s->r);
    solver_check(s, s->rr);
    if (w->pipelined) {
        pipelined_open(s);
    } else {
        s->p = product_vector(s->product);
        memcpy(s->p, s->r, (size_t)p->rows * sizeof *s->p);
    }
    return MPI_SUCCESS;
}

void solver_close(solver *s)
{
    product_close(s->product);
    sums_close(&s->sums);
    free(s->times);
    free(s->x);
}

bool solver_done(const solver *s)
{
    return s->broken || s->iterations == s->o->iterations || solver_converged(s);
}

static void plain_iterate(solver *s)
{
    int rows = s->problem->rows;
    double *p = s->p, curvature, alpha, rr;

    product_multiply(s->product, &s->sums, s->ap);
    curvature = dot_all(s, p, s->ap);
    solver_check(s, curvature);
    if (s->broken)
        return;
    alpha = s->rr / curvature;
    for (int i = 0; i < rows; i++) {
        s->x[i] += alpha * p[i];
        s->r[i] -= alpha * s->ap[i];
    }
    rr = dot_all(s, s->r, s->r);
    for (int i = 0; i < rows; i++)
        p[i] = s->r[i] + rr / s->rr * p[i];
    s->rr = rr;
    if (rr != 0) /* which is the solution itself */
        solver_check(s, rr);
}

void solver_iterate(solver *s)
{
    if (s->way->pipelined)
        pipelined_iterate(s);
    else
        plain_iterate(s);
}
