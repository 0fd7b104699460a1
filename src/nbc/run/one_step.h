/* SPDX-License-Identifier: BSD-3-Clause */
/* one_step.h - a single step of an operation begins, or ends: for steps.c. */
#ifndef TUTTI_ONE_STEP_H
#define TUTTI_ONE_STEP_H

#include "nbc/run/exec.h"

enum { STEP_RETIRED = -1 }; /* run.waiting of one that has ended */

/* The first error of an operation is the one that it ends with. */
void step_keep_error(exec *e, int error);

/* It has ended: what has waited for it alone is ready. */
static inline void step_retire(exec *e, int index)
{
    const sched *s = e->bound.sched;

    e->run.left--;
    e->run.waiting[index] = STEP_RETIRED;
    for (int k = s->succ_at[index]; k < s->succ_at[index + 1]; k++) {
        int next = s->succ[k];
        if (--e->run.waiting[next] > 0)
            continue;
        if (step_is_message(&s->steps[next]))
            e->run.ready[e->run.ready_tail++] = next;
        else
            e->run.ready[e->run.local_tail++] = next;
    }
}

/* Give a message to MPI; what could not be packed, too. */
int step_post(exec *e, const step *st);

/* What MPI would do for a message of several ranges of bytes, in a simulation. */
void step_simulate_derived(const exec *e, const step *st);

/* Copy or reduce. False: it is put off. */
bool step_run_local(exec *e, const step *st);

/* The tail of a flat schedule may wait for this step. */
void step_meet_tail(exec *e, int index);

#endif
