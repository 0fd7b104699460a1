/* SPDX-License-Identifier: BSD-3-Clause */
/* work.h - computation that takes a given time. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

/* Once, before work_for. Collective. */
void work_calibrate(void);

/* Compute what takes so many seconds when nothing disturbs: it is the amount that is fixed. */
void work_for(double seconds);

#endif
