/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - of the times of repetitions. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

typedef struct summary {
    int n;
    double median, low, high; /* low, high: order statistics between which the median of the
                                 distribution lies with a probability of at least 95 % */
    double coverage;          /* that probability; below 0.95 for fewer than 6 values, where low and
                                 high are the extremes */
} summary;

/* Summary of n >= 1 values; sorts them. It is exact for any distribution: how many values lie below
 * the median is binomial (n, 1/2). Conover, Practical Nonparametric Statistics, 3.2. */
summary summarize(double *values, int n);

/* The same as summarize(...).median. */
double median(double *values, int n);

#endif
