/* SPDX-License-Identifier: BSD-3-Clause */
/* split.h - an algorithm row that runs another one in disjoint parts of the ranks, as a composed
 * algorithm runs its phases: with a group and a map of items. Data of ranks of other parts is
 * nobody's business.
 */
#ifndef TUTTI_SPLIT_H
#define TUTTI_SPLIT_H

#include "algos/algo.h"

typedef struct split {
    const algo *a;
    int p;
    const int *part; /* [p]: the part that each rank is in */
    int finer;       /* a vector is cut into so many times the parts that the algorithm asks for */
} split;

/* Ranks in the same part, and the rank's index among them. */
int split_size(const split *how, int rank);
int split_index(const split *how, int rank);

/* The row to compile a rank with: valid until the next call. coll.root is a rank of its part. */
const algo *split_row(const split *how);

#endif
