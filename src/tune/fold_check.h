/* SPDX-License-Identifier: BSD-3-Clause */
/* fold_check.h - do ranks of all nodes do the same, so that those of one can stand for them
 * (fold.h)? Pure.
 */
#ifndef TUTTI_FOLD_CHECK_H
#define TUTTI_FOLD_CHECK_H

#include "tune/modeled_call.h"

/* of: the schedules of those who stand for others. Some of these are compiled, and compared. False:
 * they differ, or cannot be compiled. */
bool fold_holds(const modeled_call *q, const choice *c, const machine_model *m, sched *const *of);

#endif
