/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - see stats.h. */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* P(k of n values lie below the median). */
static double probability(int n, int k)
{
    return exp(lgamma(n + 1.) - lgamma(k + 1.) - lgamma(n - k + 1.) - n * log(2.));
}

summary summarize(double *values, int n)
{
    summary s = {.n = n, .median = median(values, n), .coverage = 1};
    int cut = 0; /* so many values are left out on each side */

    /* between the values cut and n - 1 - cut: neither cut nor fewer values on one side */
    for (double outside = 2 * probability(n, 0); 1 - outside >= 0.95 && 2 * (cut + 1) < n;) {
        s.coverage = 1 - outside;
        cut++;
        outside += 2 * probability(n, cut);
    }
    if (cut)
        cut--;
    else
        s.coverage = n > 1 ? 1 - 2 * probability(n, 0) : 0;
    s.low = values[cut];
    s.high = values[n - 1 - cut];
    return s;
}
