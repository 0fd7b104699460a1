/* SPDX-License-Identifier: BSD-3-Clause */
/* candidates.h - what may serve a call, for the planner: each algorithm, with its variants and
 * forms, and a first estimate of each.
 */
#ifndef TUTTI_CANDIDATES_H
#define TUTTI_CANDIDATES_H

#include "tune/forecaster.h"

typedef struct candidate {
    first_estimate first_estimate;
    choice choice;
    int number; /* in the order of the registry */
} candidate;

/* Choices of one call. */
enum { CANDIDATES_MOST = 96 };

/* The fastest first. Returns how many. */
int candidates_find(forecaster *q, candidate list[CANDIDATES_MOST]);

/* Can its vector be cut into pieces? */
bool candidates_have_pieces(const choice *c);

#endif
