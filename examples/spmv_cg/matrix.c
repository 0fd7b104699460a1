/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix.c - see matrix.h. */
#include "any_failed.h"
#include "deal.h"
#include "matrix.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_mine(const matrix *m, int index)
{
    return index >= m->first[m->rank] && index < m->first[m->rank + 1];
}

static int compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;

    return (a > b) - (a < b);
}

/* Columns that are not mine, ascending, each once. needed[] has room for all non-zeros. */
static int find_needed(const matrix *m, const hand *h, int *needed)
{
    int n = 0, unique = 0;

    for (int k = 0; k < h->nonzeros; k++)
        if (!is_mine(m, h->columns[k]))
            needed[n++] = h->columns[k];
    qsort(needed, (size_t)n, sizeof *needed, compare_ints);
    for (int i = 0; i < n; i++)
        if (i == 0 || needed[i] != needed[i - 1])
            needed[unique++] = needed[i];
    return unique;
}

static int allocate_part(csr *part, int rows, int nonzeros)
{
    part->start = calloc((size_t)rows + 1, sizeof *part->start);
    part->column = malloc((size_t)nonzeros * sizeof *part->column + 1);
    part->value = malloc((size_t)nonzeros * sizeof *part->value + 1);
    return part->start && part->column && part->value ? 0 : -1;
}

static void push(csr *part, int row, int column, double value)
{
    int at = part->start[row + 1]++;

    part->column[at] = column;
    part->value[at] = value;
}

/* Columns of the rest stand in needed[]. */
static void divide(matrix *m, const hand *h, const int *needed, int n)
{
    int k = 0;

    for (int row = 0; row < m->rows; row++) {
        m->own.start[row + 1] = m->own.start[row];
        m->rest.start[row + 1] = m->rest.start[row];
        for (int end = k + h->lengths[row]; k < end; k++) {
            const int *column = &h->columns[k], *found;
            if (is_mine(m, *column)) {
                push(&m->own, row, *column - m->first[m->rank], h->values[k]);
            } else {
                found = bsearch(column, needed, (size_t)n, sizeof *needed, compare_ints);
                push(&m->rest, row, (int)(found - needed), h->values[k]);
            }
        }
    }
}

static int make_parts(matrix *m, const hand *h)
{
    int *needed = malloc((size_t)h->nonzeros * sizeof *needed + 1), n = 0, own = 0,
        failed = !needed;

    for (int k = 0; k < h->nonzeros; k++)
        own += is_mine(m, h->columns[k]);
    failed = failed || allocate_part(&m->own, m->rows, own) != 0 ||
             allocate_part(&m->rest, m->rows, h->nonzeros - own) != 0;
    failed = any_failed(failed);
    if (!failed) {
        n = find_needed(m, h, needed);
        divide(m, h, needed, n);
        failed = halo_make(&m->halo, needed, n, m->first);
    }
    free(needed);
    return failed ? -1 : 0;
}

int matrix_deal(matrix *m, const whole *w, const int *part)
{
    hand h;
    int failed = hand_deal(&h, w, part);

    *m = (matrix){.n = h.n,
                  .p = h.p,
                  .rank = h.rank,
                  .rows = h.rows,
                  .first = h.first,
                  .order = h.order,
                  .b = h.b,
                  .exact = h.exact,
                  .whole = h.rank == 0 ? w : NULL,
                  .halo = {.comm = MPI_COMM_NULL}};
    failed = failed || make_parts(m, &h) != 0;
    hand_free(&h);
    if (failed)
        matrix_free(m);
    return failed ? -1 : 0;
}

void matrix_free(matrix *m)
{
    halo_free(&m->halo);
    csr_free(&m->own);
    csr_free(&m->rest);
    free(m->first);
    free(m->b);
    free(m->exact);
    free(m->order);
    *m = (matrix){.halo = {.comm = MPI_COMM_NULL}};
}
