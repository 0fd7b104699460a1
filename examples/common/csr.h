/* SPDX-License-Identifier: BSD-3-Clause */
/* csr.h - compressed sparse rows. */
#ifndef EXAMPLES_CSR_H
#define EXAMPLES_CSR_H

typedef struct csr {
    int *start; /* [rows + 1] */
    int *column;
    double *value;
} csr;

void csr_free(csr *a);

/* y += a x. progress is called every few thousand non-zeros, and at the end. */
void csr_multiply(const csr *a, int rows, const double *x, double *y,
                  void (*progress)(void *context), void *context);

#endif
