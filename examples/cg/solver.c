/* SPDX-License-Identifier: BSD-3-Clause */
/* solver.c - see solver.h. */
#include "solver.h"

#include "pipelined.h"

#include <stdlib.h>
#include <string.h>

const way ways[WAYS] = {
    {"blocking", "native blocking", BLOCKING, BLOCKING, false},
    {"nonblocking", "native non-blocking", NONBLOCKING, BLOCKING, false},
    {"gather", "Tutti gather", PERSISTENT, BLOCKING, false},
    {"persistent", "Tutti persistent", PERSISTENT, PERSISTENT, false},
    {"nonblocking", "native pipelined", NONBLOCKING, NONBLOCKING, true},
    {"persistent", "Tutti pipelined", PERSISTENT, PERSISTENT, true},
};

bool way_chosen(const way *w, const options *o)
{
    return (strcmp(o->method, "all") == 0 || strcmp(o->method, w->method) == 0) &&
           (o->pipelined || !w->pipelined);
}

bool method_known(const options *o)
{
    bool known = false;

    for (int i = 0; i < WAYS; i++)
        known |= way_chosen(&ways[i], o) && ways[i].pipelined == o->pipelined;
    return known;
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

/* The vectors, all 0. */
static int allocate(solver *s)
{
    double **const vectors[] = {&s->x, &s->r, &s->ap, &s->b, &s->q, &s->z, &s->p};
    size_t n = s->way->pipelined ? 7 : 3, rows = (size_t)s->m->rows;
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

int solver_open(solver *s, const matrix *m, const way *w, const options *o)
{
    int error;

    *s = (solver){.m = m, .way = w, .o = o};
    error = allocate(s);
    if (!error)
        error = exchange_open(&s->e, m, w->gather, w->reduce, w->pipelined ? 2 : 1, o->algorithm);
    if (error)
        return error;
    for (int i = 0; i < m->rows; i++)
        s->e.vector[m->first + i] = 1;
    multiply(&s->e, s->r);
    s->rr = s->rr0 = dot_all(s, s->r, s->r);
    solver_check(s, s->rr);
    if (w->pipelined) {
        pipelined_open(s);
    } else {
        s->p = s->e.vector + m->first;
        memcpy(s->p, s->r, (size_t)m->rows * sizeof *s->p);
    }
    return MPI_SUCCESS;
}

void solver_close(solver *s)
{
    exchange_close(&s->e);
    free(s->times);
    free(s->x);
}

bool solver_done(const solver *s)
{
    return s->broken || s->iterations == s->o->iterations || solver_converged(s);
}

static void plain_iterate(solver *s)
{
    int rows = s->m->rows;
    double *p = s->p, curvature, alpha, rr;

    multiply(&s->e, s->ap);
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
