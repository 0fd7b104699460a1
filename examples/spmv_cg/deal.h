/* SPDX-License-Identifier: BSD-3-Clause */
/* deal.h - rank 0 deals out the rows of a matrix. */
#ifndef SPMV_CG_DEAL_H
#define SPMV_CG_DEAL_H

#include "whole.h"

/* A rank's rows; the columns of the whole in the new numbering (see matrix.h). */
typedef struct hand {
    int n, p, rank, rows, nonzeros;
    int *lengths, *columns; /* non-zeros of each row; of each non-zero */
    double *values;
    int *first, *order; /* as in a matrix, which takes these four over */
    double *b, *exact;
} hand;

/* Collective. On rank 0 w is the problem, and part[row] the rank of each row. 0, or -1 on all
 * ranks: out of memory; hand_free in any case. */
int hand_deal(hand *h, const whole *w, const int *part);
void hand_free(hand *h);

#endif
