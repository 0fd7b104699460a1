/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c - see watch.h. */
#include "nbc/process/watch.h"

#include "nbc/process/clock.h"

static const double longest_pause = 0.1; /* seconds without a poll: the program has computed */

bool watch_on;

static double timeout;
static double last, since; /* the last poll, and the first one without a pause since */

void watch_start(double seconds)
{
    timeout = seconds;
    watch_on = seconds > 0;
}

void watch_tick(void)
{
    double now = clock_now();

    if (now - last > longest_pause)
        since = now;
    last = now;
}

bool watch_too_long(double opened)
{
    return last - (opened > since ? opened : since) > timeout;
}

double watch_since(double opened)
{
    return last - opened;
}
