/* SPDX-License-Identifier: BSD-3-Clause */
/* arrivals.h - does nobody leave before all have come? For a collective without data.
 *
 * One rank is late: it begins when all others have said that they are about to call, and has then
 * looked many times for one that has left. Who leaves says so there. No clocks: one that left early
 * may be missed on a machine where it does not get to run meanwhile; nobody is accused wrongly.
 */
#ifndef BENCH_ARRIVALS_H
#define BENCH_ARRIVALS_H

#include "calls.h"

#include <stdint.h>

/* As buffers_fill and buffers_wrong: before and after repetition `seed`; the second returns, on the
 * late rank, how many left before it came. */
void arrivals_begin(const run *r, int seed);
int64_t arrivals_early(const run *r, int seed);

#endif
