/* SPDX-License-Identifier: BSD-3-Clause */
/* sum.c - see sum.h. Compiled with -O3, for the vectors of the processor. */
#include "nbc/run/sum.h"

#include <stdint.h>

/* Signed numbers are added as unsigned ones: the same bits, and they may overflow. */
#define DEFINE_SUM(name, type)                                                                     \
    static void name(const void *from, void *to, size_t n)                                         \
    {                                                                                              \
        const type *restrict x = from;                                                             \
        type *restrict y = to;                                                                     \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = x[i] + y[i];                                                                    \
    }

DEFINE_SUM(sum_float, float)
DEFINE_SUM(sum_double, double)
DEFINE_SUM(sum_32, uint32_t)
DEFINE_SUM(sum_64, uint64_t)

sum_function *sum_find(MPI_Op op, MPI_Datatype type)
{
    static const struct {
        MPI_Datatype type;
        sum_function *sum;
    } known[] = {
        {MPI_DOUBLE, sum_double},
        {MPI_FLOAT, sum_float},
        {MPI_INT, sum_32},
        {MPI_UNSIGNED, sum_32},
        {MPI_INT32_T, sum_32},
        {MPI_UINT32_T, sum_32},
        {MPI_LONG_LONG, sum_64},
        {MPI_INT64_T, sum_64},
        {MPI_UINT64_T, sum_64},
        {MPI_LONG, sizeof(long) == sizeof(uint64_t) ? sum_64 : sum_32},
        {MPI_UNSIGNED_LONG, sizeof(long) == sizeof(uint64_t) ? sum_64 : sum_32},
        {MPI_UNSIGNED_LONG_LONG, sum_64},
    };

    for (size_t i = 0; op == MPI_SUM && i < sizeof known / sizeof *known; i++)
        if (type == known[i].type)
            return known[i].sum;
    return NULL;
}
