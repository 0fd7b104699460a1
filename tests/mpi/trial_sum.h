/* SPDX-License-Identifier: BSD-3-Clause */
/* trial_sum.h - a persistent allreduce for tests of requests that try their candidates: its data,
 * its starts, and which algorithms it tries and takes. Looks inside the library.
 */
#ifndef TUTTI_TEST_TRIAL_SUM_H
#define TUTTI_TEST_TRIAL_SUM_H

#include "mpi/hints.h"

#include "persistent/trial.h"

#include <tutti.h>

enum {
    TRIAL_COUNT = 600,                                 /* ints */
    TRIAL_STARTS = TRIAL_MOST * (1 + TRIAL_ROUNDS) + 4 /* more than a trial has */
};

typedef struct trial_sum {
    MPIX_Request request;
    int in[TRIAL_COUNT], out[TRIAL_COUNT];
} trial_sum;

/* What asks for a trial. */
MPI_Info trial_info(void);

/* Frees the info, if it is one. */
void trial_sum_init(trial_sum *s, MPI_Comm comm, MPI_Info info);

/* The data of a turn; and are they what comes of it? */
void trial_sum_fill(trial_sum *s, int turn);
bool trial_sum_is_right(const trial_sum *s, int turn);

/* One start, CHECKed. */
void trial_sum_run(trial_sum *s, int turn);

/* The algorithm that its statistics name. */
int trial_sum_algorithm(const trial_sum *s);

/* The algorithms that it is going to try; -1: it does not. */
void trial_sum_candidates(const trial_sum *s, int list[TRIAL_MOST]);

/* Do all ranks have the same number? */
bool same_on_all_ranks(int n);

#endif
