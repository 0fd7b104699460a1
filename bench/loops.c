/* SPDX-License-Identifier: BSD-3-Clause */
/* loops.c - see loops.h. LOOPS is the name of this copy. */
#include "loops.h"

#define SUM(a, b) ((a) + (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define LOOP(name, type, combine)                                                                  \
    static void name(const void *from, void *to, int count)                                        \
    {                                                                                              \
        const type *restrict in = from;                                                            \
        type *restrict inout = to;                                                                 \
                                                                                                   \
        for (int i = 0; i < count; i++)                                                            \
            inout[i] = combine(in[i], inout[i]);                                                   \
    }

LOOP(sum_double, double, SUM)
LOOP(sum_int, unsigned, SUM)
LOOP(max_double, double, MAX)

const loops LOOPS = {sum_double, sum_int, max_double};
