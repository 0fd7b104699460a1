/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_turns.h - turns of a measurement, and the figure that comes of them. See tune_measure.h. */
#ifndef TUTTI_TUNE_TURNS_H
#define TUTTI_TUNE_TURNS_H

#include "tune_measure.h"

#include <tutti.h>

enum {
    TURNS_LEAST = 5,
    TURNS_MOST = 101,
    LONG_TO_SHORT = 4, /* lengths whose difference gives bandwidth */
    TRIES = 3,         /* of which the shortest counts, unless they are long */
};
static const double long_try = 0.02; /* seconds: what disturbs a rank is short beside it */

/* Another turn? All ranks call it. */
bool turns_again(MPI_Comm comm, int turns, double begin);

/* So many of the turns, the quickest, count. */
int turns_good(int turns);

/* Add a rate to x[*n], if the seconds say one. */
void turns_rate(double x[], int *n, double bytes, double seconds);

/* The figure of x[n], which are the best of `turns`. Sorts them. */
figure turns_figure(double x[], int n, int turns);

/* Start, and wait. */
void turns_run(MPIX_Request *request);

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

#endif
