/* SPDX-License-Identifier: BSD-3-Clause */
/* uniform.h - do ranks of all nodes do the same, so that those of one can stand for them (fold.h)?
 * Pure.
 */
#ifndef TUTTI_UNIFORM_H
#define TUTTI_UNIFORM_H

#include "tune/look.h"

/* of: the schedules of those who stand for others. Some of these are compiled, and compared. False:
 * they are not alike, or cannot be compiled. */
bool uniform_on(const look_call *q, const choice *c, const place *m, sched *const *of);

#endif
