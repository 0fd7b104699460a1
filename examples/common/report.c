/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - see report.h. */
#include "common/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median over the iterations of the slowest rank's time, seconds. */
static double typical_time(solver *s)
{
    int n = s->iterations;

    if (n == 0)
        return 0;
    MPI_Allreduce(MPI_IN_PLACE, s->times, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(s->times, (size_t)n, sizeof(double), compare_doubles);
    return s->times[n / 2];
}

static double over_all(double mine, MPI_Op op)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return all;
}

/* Largest difference of a's solution to b's, or to the exact one if b is NULL. */
static double difference(const solver *a, const solver *b)
{
    double most = 0;

    for (int i = 0; i < a->problem->rows; i++)
        most = fmax(most, fabs(a->x[i] - (b ? b->x : a->problem->exact)[i]));
    return over_all(most, MPI_MAX);
}

static bool same_bits(const solver *a, const solver *b)
{
    double other = memcmp(a->x, b->x, (size_t)a->problem->rows * sizeof(double)) != 0;

    return over_all(other, MPI_MAX) == 0;
}

/* |b - A x| / |b|, computed anew by a product that is not among those to be judged. */
static double true_residual(product *native, const problem *p, const double *x, double *r)
{
    sums none = {.how = BLOCKING};

    memcpy(product_vector(native), x, (size_t)p->rows * sizeof(double));
    product_multiply(native, &none, r);
    for (int i = 0; i < p->rows; i++)
        r[i] = p->b[i] - r[i];
    return sqrt(over_all(dot(p->rows, r, r), MPI_SUM) /
                over_all(dot(p->rows, p->b, p->b), MPI_SUM));
}

/* Then the order of the sums is the same, and all that follows. */
static bool same_arithmetic(const solver *a, const solver *b)
{
    return a->way->reduce == b->way->reduce && a->way->pipelined == b->way->pipelined;
}

/* Else the solutions may differ as much as they are wrong. */
static bool same_solution(const solver *s, const solver *first)
{
    double apart = difference(s, first), wrong = difference(first, NULL);

    return apart <= (same_arithmetic(s, first) ? 1e-10 : 10 * (wrong + s->o->tolerance));
}

/* Nor may rounding cost many iterations: wrong sums often lead to the solution, too, but slowly. */
static bool same_pace(const solver *s, const solver *first)
{
    int apart = abs(s->iterations - first->iterations);

    return apart <= (same_arithmetic(s, first) ? 0 : 3 + first->iterations / 10);
}

static const char *judge(const solver *s, const solver *first, double residual)
{
    if (s->broken)
        return s->broken;
    if (!solver_converged(s))
        return "not converged";
    if (!(residual <= 2 * s->o->tolerance))
        return "RESIDUAL HAS DRIFTED";
    if (!same_solution(s, first))
        return "DIFFERENT SOLUTION";
    if (!same_pace(s, first))
        return "CONVERGES DIFFERENTLY";
    return NULL;
}

/* alike: the first of its kind, plain or pipelined. The bits of other kinds are other ones. */
static int report_line(const solver *s, const solver *first, const solver *alike, double residual,
                       double time, double ratio)
{
    const char *wrong = judge(s, first, residual);
    bool bits = s != alike && same_bits(s, alike);
    double error = difference(s, NULL);

    if (s->problem->rank == 0)
        printf("%-20s %5d iterations  residual %.2e  error %.2e  %9.1f us/iteration (%.2f)  %s\n",
               s->way->name, s->iterations, residual, error, time * 1e6, ratio,
               wrong  ? wrong
               : bits ? "bit for bit the same solution"
                      : "same solution");
    return wrong != NULL;
}

int report(solver s[], int n)
{
    const problem *p = s[0].problem;
    const solver *alike = &s[0];
    double *r = malloc((size_t)p->rows * sizeof *r + 1), first_time = 0;
    product *native;
    int failed = product_open(&native, p->matrix, BLOCKING, s[0].o) != MPI_SUCCESS;

    failed = over_all(failed || !r, MPI_MAX) > 0;
    if (failed) {
        fprintf(stderr, "%s: out of memory\n", s[0].o->command->name);
        n = 0;
    }
    for (int i = 0; i < n; i++) {
        double time = typical_time(&s[i]);
        if (i == 0)
            first_time = time;
        if (s[i].way->pipelined != alike->way->pipelined)
            alike = &s[i];
        failed |= report_line(&s[i], &s[0], alike, true_residual(native, p, s[i].x, r), time,
                              first_time > 0 ? time / first_time : 1);
    }
    product_close(native);
    free(r);
    return failed;
}
