/* SPDX-License-Identifier: BSD-3-Clause */
/* candidates.h - what may serve a call, for the planner: each algorithm, with its variants and
 * forms, and how long it takes at first sight.
 */
#ifndef TUTTI_CANDIDATES_H
#define TUTTI_CANDIDATES_H

#include "tune/forecaster.h"

typedef struct first_look {
    sight sight;
    choice choice;
    int number; /* of the candidate */
} first_look;

/* Choices of one call. */
enum { CANDIDATES_MOST = 96 };

/* The fastest first. Returns how many. */
int candidates_look(forecaster *q, first_look list[CANDIDATES_MOST]);

/* Can its vector be cut into pieces? */
bool candidates_have_pieces(const choice *c);

#endif
