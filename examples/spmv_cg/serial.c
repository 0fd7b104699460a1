/* SPDX-License-Identifier: BSD-3-Clause */
/* serial.c - see serial.h. */
#include "serial.h"
#include "any_failed.h"
#include "matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 200000 };

/* On rank 0, [n] each. */
typedef struct vectors {
    double *serial, *gathered, *x, *ax;
} vectors;

static double length(int n, const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
    return sqrt(sum);
}

static double farthest(int n, const double *a, const double *b)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* x of the solver, in the whole's order. */
static void gather(const solver *s, const vectors *v, const int *counts)
{
    const matrix *m = s->problem->matrix;

    MPI_Gatherv(s->x, m->rows, MPI_DOUBLE, v->gathered, counts, m->first, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    for (int i = 0; i < m->n && m->rank == 0; i++)
        v->x[m->order[i]] = v->gathered[i];
}

/* Rank 0: both are as wrong as the tolerance allows. */
static int judge(const solver *s, const vectors *v, int iterations, double *apart, double *residual)
{
    const whole *w = s->problem->matrix->whole;
    double wrong = farthest(w->n, v->serial, w->exact), here = farthest(w->n, v->serial, v->x);
    double left;

    whole_multiply(w, v->x, v->ax);
    left = length(w->n, w->b, v->ax) / length(w->n, w->b, NULL);
    *apart = fmax(*apart, here);
    *residual = fmax(*residual, left);
    if (here <= 10 * (wrong + s->o->tolerance) && left <= 2 * s->o->tolerance &&
        abs(s->iterations - iterations) <= 3 + iterations / 10)
        return 0;
    printf("%s: NOT THE SERIAL SOLUTION: %.2e away, residual %.2e, %d iterations instead of %d\n",
           s->way->name, here, left, s->iterations, iterations);
    return 1;
}

static int check_all(const solver s[], int n, const vectors *v, const int *counts)
{
    const matrix *m = s[0].problem->matrix;
    double apart = 0, residual = 0, time = MPI_Wtime();
    int iterations = 0, wrong = 0;

    if (m->rank == 0)
        iterations = whole_solve(m->whole, s[0].o->tolerance, s[0].o->iterations, v->serial);
    time = MPI_Wtime() - time;
    for (int i = 0; i < n; i++) {
        gather(&s[i], v, counts);
        if (m->rank == 0 && solver_converged(&s[i]))
            wrong += judge(&s[i], v, iterations, &apart, &residual);
    }
    if (m->rank == 0)
        printf(
            "serial solve on rank 0: %d iterations, %.1f us/iteration; the solutions are at most "
            "%.2e away, residual there %.2e\n",
            iterations, time / (iterations > 0 ? iterations : 1) * 1e6, apart, residual);
    return any_failed(wrong);
}

int serial_check(const solver s[], int n)
{
    const matrix *m = s[0].problem->matrix;
    size_t room = m->rank == 0 && m->n <= MOST_ROWS ? (size_t)m->n : 0;
    double *at = malloc(4 * room * sizeof *at + 1);
    const vectors v = {at, at + room, at + 2 * room, at + 3 * room};
    int *counts = malloc((size_t)m->p * sizeof *counts), failed = any_failed(!at || !counts);

    if (failed && m->rank == 0)
        fputs("spmv_cg: out of memory\n", stderr);
    if (m->n > MOST_ROWS && m->rank == 0)
        printf("more than %d unknowns: without a serial solve\n", MOST_ROWS);
    for (int r = 0; r < m->p && !failed; r++)
        counts[r] = m->first[r + 1] - m->first[r];
    if (!failed && m->n <= MOST_ROWS)
        failed = check_all(s, n, &v, counts);
    free(at);
    free(counts);
    return failed;
}
