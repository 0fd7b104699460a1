/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_machine.h - all constants of the machine that a job runs on, and how each was found. */
#ifndef TUTTI_TUNE_MACHINE_H
#define TUTTI_TUNE_MACHINE_H

#include "tune/constants.h"
#include "tune_locations.h"

typedef struct tuning {
    int rank;         /* in MPI_COMM_WORLD */
    bool quiet;       /* say nothing of how far it is */
    const char *base; /* where `result` is from, for what cannot be measured */
    constants result;
    char *note[CONSTANTS]; /* of each, by its index */
    locations at;
    double begin;
} tuning;

/* rank, quiet, base and result are given; the rest is zero. Collective, says on stderr how far it
 * is unless quiet. The result is the same on all ranks. */
void tune_machine(tuning *t);

void tune_free(tuning *t);

#endif
