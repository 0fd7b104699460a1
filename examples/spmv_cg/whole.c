/* SPDX-License-Identifier: BSD-3-Clause */
/* whole.c - see whole.h. */
#include "whole.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int compare_positions(const void *left, const void *right)
{
    const entry *a = left, *b = right;

    return a->row != b->row ? (a->row > b->row) - (a->row < b->row)
                            : (a->column > b->column) - (a->column < b->column);
}

/* Sorted; those of one position become one. */
static void merge(entries *e)
{
    size_t n = 0;

    qsort(e->at, e->count, sizeof *e->at, compare_positions);
    for (size_t i = 0, next; i < e->count; i = next) {
        entry sum = e->at[i];
        for (next = i + 1; next < e->count && !compare_positions(&sum, &e->at[next]); next++)
            sum.value += e->at[next].value;
        if (sum.value != 0 || sum.row == sum.column)
            e->at[n++] = sum;
    }
    e->count = n;
}

static int make_rows(whole *w, const entries *e)
{
    w->a.start = calloc((size_t)w->n + 1, sizeof *w->a.start);
    w->a.column = malloc(e->count * sizeof *w->a.column + 1);
    w->a.value = malloc(e->count * sizeof *w->a.value + 1);
    if (!w->a.start || !w->a.column || !w->a.value)
        return -1;
    for (size_t i = 0; i < e->count; i++) {
        w->a.start[e->at[i].row + 1]++;
        w->a.column[i] = e->at[i].column;
        w->a.value[i] = e->at[i].value;
    }
    for (int r = 0; r < w->n; r++)
        w->a.start[r + 1] += w->a.start[r];
    return 0;
}

int whole_make(whole *w, entries *e, int grid)
{
    *w = (whole){.n = e->n, .grid = grid};
    if (e->count > INT_MAX)
        return -1;
    merge(e);
    w->exact = malloc((size_t)w->n * sizeof *w->exact);
    w->b = malloc((size_t)w->n * sizeof *w->b);
    if (!w->exact || !w->b || make_rows(w, e) != 0) {
        whole_free(w);
        return -1;
    }
    for (int r = 0; r < w->n; r++)
        w->exact[r] = 1 + r % 10 / 10.0;
    whole_multiply(w, w->exact, w->b);
    return 0;
}

void whole_free(whole *w)
{
    csr_free(&w->a);
    free(w->exact);
    free(w->b);
    *w = (whole){0};
}

static void nothing(void *context)
{
    (void)context;
}

void whole_multiply(const whole *w, const double *x, double *y)
{
    memset(y, 0, (size_t)w->n * sizeof *y);
    csr_multiply(&w->a, w->n, x, y, nothing, NULL);
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* vectors: room for three. */
static int iterate(const whole *w, double tolerance, int most, double *x, double *vectors)
{
    size_t n = (size_t)w->n;
    double *r = vectors, *p = r + n, *ap = p + n, rr = dot(w->n, w->b, w->b), rr0 = rr;
    int iterations = 0;

    memset(x, 0, n * sizeof *x);
    memcpy(r, w->b, n * sizeof *r);
    memcpy(p, w->b, n * sizeof *p);
    for (; iterations < most && rr > tolerance * tolerance * rr0; iterations++) {
        whole_multiply(w, p, ap);
        double alpha = rr / dot(w->n, p, ap), before = rr;
        for (size_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        rr = dot(w->n, r, r);
        for (size_t i = 0; i < n; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    return iterations;
}

int whole_solve(const whole *w, double tolerance, int most, double *x)
{
    double *vectors = malloc(3 * (size_t)w->n * sizeof *vectors);
    int iterations = vectors ? iterate(w, tolerance, most, x, vectors) : -1;

    free(vectors);
    return iterations;
}
