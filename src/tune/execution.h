/* SPDX-License-Identifier: BSD-3-Clause */
/* execution.h - a choice is compiled and executed on a machine model (estimate.h): by all
 * its ranks, or by those that can stand for all (fold.h). Pure.
 */
#ifndef TUTTI_EXECUTION_H
#define TUTTI_EXECUTION_H

#include "tune/estimate.h"
#include "tune/modeled_call.h"

/* What is executed, and how long at most. */
typedef struct execution {
    const modeled_call *call;
    const constants *k;
    int64_t most; /* picoseconds: what takes longer is given up; ESTIMATE_ALL: nothing is */
    bool all;     /* no rank stands for another */
} execution;

/* work: steps that may still be executed, of which what was is taken; less of what is given up.
 * False: it is more work than that, or cannot be compiled for some rank, or there is no memory. */
bool execution_on(const execution *x, const choice *c, const machine_model *m, int64_t *work,
                  estimate *e);

#endif
