/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - see reduce.h. Compiled with -O3, for the vectors of the processor. */
#include "nbc/run/reduce.h"

#include <stdint.h>

#define DEFINE(name, type, result)                                                                 \
    static void name(const void *from, void *to, size_t n)                                         \
    {                                                                                              \
        const type *restrict x = from;                                                             \
        type *restrict y = to;                                                                     \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = result;                                                                         \
    }

/* Signed numbers are added as unsigned ones: the same bits, and they may overflow. */
#define DEFINE_SUM(name, type) DEFINE(sum_##name, type, x[i] + y[i])
#define DEFINE_MOST(name)                                                                          \
    DEFINE(max_##name, name##_t, x[i] > y[i] ? x[i] : y[i])                                        \
    DEFINE(min_##name, name##_t, x[i] < y[i] ? x[i] : y[i])

DEFINE_SUM(float, float)
DEFINE_SUM(double, double)
DEFINE_SUM(32, uint32_t)
DEFINE_SUM(64, uint64_t)
DEFINE_MOST(int32)
DEFINE_MOST(int64)

#define LONG_LOOP(of_32, of_64) (sizeof(long) == sizeof(uint64_t) ? (of_64) : (of_32))

enum { SUM, MAX, MIN, LOOPS };

reduce_function *reduce_find(MPI_Op op, MPI_Datatype type)
{
    static const struct {
        MPI_Datatype type;
        reduce_function *loop[LOOPS];
    } known[] = {
        {MPI_DOUBLE, {sum_double}},
        {MPI_FLOAT, {sum_float}},
        {MPI_INT, {sum_32, max_int32, min_int32}},
        {MPI_INT32_T, {sum_32, max_int32, min_int32}},
        {MPI_UNSIGNED, {sum_32}},
        {MPI_UINT32_T, {sum_32}},
        {MPI_LONG_LONG, {sum_64, max_int64, min_int64}},
        {MPI_INT64_T, {sum_64, max_int64, min_int64}},
        {MPI_UINT64_T, {sum_64}},
        {MPI_UNSIGNED_LONG_LONG, {sum_64}},
        {MPI_LONG,
         {LONG_LOOP(sum_32, sum_64), LONG_LOOP(max_int32, max_int64),
          LONG_LOOP(min_int32, min_int64)}},
        {MPI_UNSIGNED_LONG, {LONG_LOOP(sum_32, sum_64)}},
    };
    int which = op == MPI_SUM ? SUM : op == MPI_MAX ? MAX : op == MPI_MIN ? MIN : LOOPS;

    for (size_t i = 0; which < LOOPS && i < sizeof known / sizeof *known; i++)
        if (type == known[i].type)
            return known[i].loop[which];
    return NULL;
}
