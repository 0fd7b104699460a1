/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h - how long a collective takes on a machine that is too large to execute, by executions
 * on smaller models of it, the samples: with fewer nodes, and with fewer ranks on each. Pure.
 *
 *   ranks of a node  4r |  4
 *                    2r |  2    5
 *                     r |  0    1    3
 *                       +------------
 *                          n   2n   4n  nodes
 *
 * From how times grow along each axis it follows how long it takes on all nodes, and with all ranks
 * of a node; from (2n, 2r) how much more it is if both grow. n and r are 3; or, where all are a
 * power of two, 2 (of at most 16) or 4: at most 336 ranks in all, of however large a machine.
 */
#ifndef TUTTI_SAMPLES_H
#define TUTTI_SAMPLES_H

#include "tune/estimate.h"
#include "tune/machine_model.h"

enum { SAMPLES_NODES, SAMPLES_RANKS, SAMPLES_AXES, SAMPLES_MOST = 6, SAMPLES_FIRST = 3 };

typedef struct samples {
    machine_model
        at[SAMPLES_MOST]; /* by its number in the picture; of p = 0: that axis does not grow */
    double times[SAMPLES_AXES]; /* the machine is so many times as large as the last sample of
                                   the axis; 0: it has no more than the first one */
} samples;

/* may_fold: as of machine_model_make. False: the machine is not larger than they, or there is no
 * memory.
 */
bool samples_make(samples *s, const machine_model *whole, bool may_fold);
void samples_free(samples *s);

/* Picoseconds. on: what it takes on each machine. */
int64_t samples_time(const samples *s, const estimate on[SAMPLES_MOST]);

/* The steps of a rank. on: those of a rank of each machine. */
int64_t samples_steps(const samples *s, const int64_t on[SAMPLES_MOST]);

/* A first estimate by the first three: mostly too short. */
int64_t samples_least(const samples *s, const estimate on[SAMPLES_FIRST]);

#endif
