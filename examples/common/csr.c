/* SPDX-License-Identifier: BSD-3-Clause */
/* csr.c - see csr.h. */
#include "common/csr.h"

#include <stdlib.h>

void csr_free(csr *a)
{
    free(a->start);
    free(a->column);
    free(a->value);
    *a = (csr){0};
}

void csr_multiply(const csr *a, int rows, const double *x, double *y,
                  void (*progress)(void *context), void *context)
{
    enum { BETWEEN = 4096 };
    int next = BETWEEN;

    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int k = a->start[r]; k < a->start[r + 1]; k++)
            sum += a->value[k] * x[a->column[k]];
        y[r] += sum;
        if (a->start[r + 1] >= next) {
            progress(context);
            next = a->start[r + 1] + BETWEEN;
        }
    }
    progress(context);
}
