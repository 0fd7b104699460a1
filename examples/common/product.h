/* SPDX-License-Identifier: BSD-3-Clause */
/* product.h - the product with the matrix, which each program brings along: the ranks exchange what
 * they need of the vector, in the manner that was chosen.
 */
#ifndef EXAMPLES_PRODUCT_H
#define EXAMPLES_PRODUCT_H

#include "common/options.h"
#include "common/sums.h"

typedef struct matrix matrix;   /* the program's, distributed by rows */
typedef struct product product; /* the program's: a vector, and how it is exchanged */

/* Collective. An MPI error class, on all ranks; then *p is NULL. */
int product_open(product **p, const matrix *m, manner how, const options *o);
void product_close(product *p);

/* The vector to be multiplied: my rows of it. */
double *product_vector(product *p);

/* y = A vector, my rows of it. The vector travels while those columns are multiplied that need no
 * other rank, unless the manner is BLOCKING; sums that have been started advance, too. The order of
 * the additions is the same in all manners. */
void product_multiply(product *p, sums *s, double *y);

#endif
