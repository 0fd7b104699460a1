/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - TUTTI_TIMEOUT: what is open for too long.
 *
 * An operation is reported once per start, on the rank where it is stuck, when the engine has been
 * polled for so many seconds without a pause (a wait, or a loop of tests) and the operation has
 * been open all the time. The wait goes on. Time between polls, while the program computes, does
 * not count. What is reported is said where it is known: run/report.c, comm/meet.c.
 */
#ifndef TUTTI_WATCH_H
#define TUTTI_WATCH_H

#include <stdbool.h>

/* Is TUTTI_TIMEOUT set? Starts then read the clock, and no wait of ours is left to native MPI. */
extern bool watch_on;

/* seconds <= 0: off */
void watch_start(double seconds);

/* Engine lock held, at each poll: look at the clock. */
void watch_tick(void);

/* Open for too long, and polled all the time? opened: of clock_now. */
bool watch_too_long(double opened);

/* Seconds from then to the last poll. */
double watch_since(double opened);

#endif
