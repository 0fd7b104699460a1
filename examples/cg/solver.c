/* solver.c - see solver.h. */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const way ways[WAYS] = {
    {"blocking", "native blocking", BLOCKING, BLOCKING},
    {"nonblocking", "native non-blocking", NONBLOCKING, BLOCKING},
    {"gather", "Tutti gather", PERSISTENT, BLOCKING},
    {"persistent", "Tutti persistent", PERSISTENT, PERSISTENT},
};

bool way_chosen(const way *w, const options *o)
{
    return strcmp(o->method, "all") == 0 || strcmp(o->method, w->method) == 0;
}

double dot(int n, const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* (a, b) over all ranks. The algorithm of the allreduce chooses the order of the additions, so that
 * MPI's and Tutti's sums may differ in their last bits; not on two ranks: a + b is b + a. */
static double dot_all(solver *s, const double *a, const double *b)
{
    s->e.sums[0] = dot(s->m->rows, a, b);
    sums_start(&s->e);
    sums_finish(&s->e);
    return s->e.sums[0];
}

/* Of a positive definite matrix this is positive. */
static void check(solver *s, double square)
{
    if (!isfinite(square))
        s->broken = "numbers out of range";
    else if (!(square > 0))
        s->broken = "matrix not positive definite";
}

int solver_open(solver *s, const matrix *m, const way *w, const options *o)
{
    size_t rows = (size_t)m->rows;
    int failed, error;

    *s = (solver){.m = m, .way = w, .o = o};
    s->x = calloc(rows * 3 + 1, sizeof(double));
    s->times = calloc((size_t)o->iterations, sizeof(double));
    failed = !s->x || !s->times;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (failed)
        return MPI_ERR_NO_MEM;
    s->r = s->x + rows;
    s->ap = s->r + rows;
    error = exchange_open(&s->e, m, w->gather, w->reduce, 1, o->algorithm);
    if (error)
        return error;
    for (int i = 0; i < m->rows; i++)
        s->e.vector[m->first + i] = 1;
    multiply(&s->e, s->r);
    memcpy(s->e.vector + m->first, s->r, rows * sizeof(double));
    s->rr = s->rr0 = dot_all(s, s->r, s->r);
    check(s, s->rr);
    return MPI_SUCCESS;
}

void solver_close(solver *s)
{
    exchange_close(&s->e);
    free(s->times);
    free(s->x);
}

bool solver_converged(const solver *s)
{
    return s->rr <= s->o->tolerance * s->o->tolerance * s->rr0; /* false for NaN */
}

bool solver_done(const solver *s)
{
    return s->broken || s->iterations == s->o->iterations || solver_converged(s);
}

void solver_iterate(solver *s)
{
    int rows = s->m->rows;
    double *p = s->e.vector + s->m->first, curvature, alpha, rr;

    multiply(&s->e, s->ap);
    curvature = dot_all(s, p, s->ap);
    check(s, curvature);
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
        check(s, rr);
}
