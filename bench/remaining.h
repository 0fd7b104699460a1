/* SPDX-License-Identifier: BSD-3-Clause */
/* remaining.h - standard error says how far a long measurement is. */
#ifndef BENCH_REMAINING_H
#define BENCH_REMAINING_H

#include <stdbool.h>
#include <stdint.h>

/* shown: by rank 0, unless --quiet; else all of this does nothing. total: the work of all sizes, in
 * any unit. On a terminal a line appears after two seconds and changes twice a second; where
 * standard error is none, as under mpiexec, there are whole lines, the first after two seconds,
 * then one in five. */
void remaining_start(bool shown, double total);

/* So much of it has been done. */
void remaining_show(double done);

/* Remove the line, for other output. */
void remaining_hide(void);

#endif
