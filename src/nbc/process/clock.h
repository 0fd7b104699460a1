/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - seconds of a clock that only goes forward. */
#ifndef TUTTI_CLOCK_H
#define TUTTI_CLOCK_H

#include <time.h>

static inline double clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
