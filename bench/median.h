/* median.h - of the times that a benchmark has taken. */
#ifndef TUTTI_MEDIAN_H
#define TUTTI_MEDIAN_H

#include <stdlib.h>

static int median_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts them. */
static inline double median(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, median_compare);
    return n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

#endif
