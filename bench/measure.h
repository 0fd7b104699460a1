/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h - measure variants side by side: blocks of one size.
 *
 * A repetition runs every variant once, in an order drawn anew (seeded): after a synchronization a
 * batch of operations is timed on each rank, and counts as the slowest rank's time; per operation.
 * The send buffer changes before each operation. For overlap three times are taken one after the
 * other:
 *
 *   PURE: start and wait, nothing else
 *   CPU: the computation alone, as much as takes as long as PURE did in some repetitions before,
 *     which are not counted
 *   OVERALL: start, the computation in pieces with a progress call between them, wait; of it
 *     COMPUTE is the computation with its calls, TEST the calls, OVERALL_START and OVERALL_WAIT
 *     the rest
 *
 * Overlap, as the two suites define it, in per cent:
 *
 *   OSU   max(0, 100 - 100 (OVERALL - (COMPUTE - TEST)) / PURE)
 *   IMB   100 max(0, min(1, (PURE + CPU - OVERALL) / min(PURE, CPU)))
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "stats.h"
#include "variant.h"

typedef enum phase {
    PURE,
    START, /* of PURE: until the call returns; WAIT: the rest. Not with batches. */
    WAIT,
    CPU,
    OVERALL,
    COMPUTE,
    TEST,
    OVERALL_START,
    OVERALL_WAIT,
    PHASES
} phase;

extern const char *const phase_names[PHASES]; /* "pure", "start", ... */

typedef struct result {
    const variant *who;
    bool applicable;
    int64_t size;
    int n; /* repetitions */
    double
        *times[PHASES]; /* [n]: seconds per operation, slowest rank; in the order they were taken */
    summary total;      /* of PURE */
    double middle[PHASES];  /* medians */
    double average[PHASES]; /* over ranks and repetitions, as OSU has them */
    double least, most;     /* ranks' averages of PURE */
    double overlap;         /* as asked for, from medians; osu: from averages */
    double osu_average;
    int late;      /* repetitions that some rank began late in all attempts; they count */
    double drift;  /* see sync.h */
    int64_t wrong; /* bytes on all ranks; without data: ranks that left too early */
    bool verified; /* else nobody has looked */
    char took[64]; /* the algorithm of Tutti's that ran, with its words; "": the MPI's, ... */
} result;

/* Measure; r[n] belong to the caller, who calls results_free. `done` is called with the fraction
 * done. */
void measure(const options *o, variant *v, int n, const buffers *b, int64_t size, result *r,
             void (*done)(double fraction));
void results_free(result *r, int n);

#endif
