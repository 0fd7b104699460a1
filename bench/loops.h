/* SPDX-License-Identifier: BSD-3-Clause */
/* loops.h - reductions as plain loops: loops.c, compiled once with -O2 and once with -O3. */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

/* inout = in op inout, of so many elements; they do not overlap. */
typedef struct loops {
    void (*sum_double)(const void *in, void *inout, int count);
    void (*sum_int)(const void *in, void *inout, int count);
    void (*max_double)(const void *in, void *inout, int count);
} loops;

extern const loops loops_O2, loops_O3;

#endif
