/* SPDX-License-Identifier: BSD-3-Clause */
/* execution.h - ranks of a choice are compiled and executed on the machine of an estimate, for the
 * forecaster. What was the most of the time's work is in its `bound`, all that is known in `last`.
 */
#ifndef TUTTI_EXECUTION_H
#define TUTTI_EXECUTION_H

#include "tune/forecaster.h"

/* On a place of its, where others may stand for some ranks. steps: of one rank. False: it is more
 * work than is left, or there is no memory. */
bool execution_on(forecaster *q, const choice *c, const place *m, int64_t steps, int64_t *time);

/* The same; what takes longer than `most` is given up. */
bool execution_to(forecaster *q, const choice *c, const place *m, int64_t steps, int64_t most,
                  int64_t *time);

/* On one machine of its sketch. *steps: of all ranks; where they are more than `most` it is not
 * executed. */
bool execution_of_sketch(forecaster *q, const choice *c, int i, int64_t most, estimate *e,
                         int64_t *steps);

#endif
