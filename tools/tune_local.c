/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_local.c - how many bytes per second one core copies and adds up. See tune_measure.h. */
#include "tune_turns.h"

#include "nbc/run/reduce.h"

#include <stdlib.h>
#include <string.h>

enum { LOCAL_BYTES = 1 << 20, LOCAL_CALLS = 2 };

static double time_copy(void *to, const void *from)
{
    double begin = MPI_Wtime();

    for (int i = 0; i < LOCAL_CALLS; i++) {
        memcpy(to, from, LOCAL_BYTES);
        __asm__ volatile("" : : "r"(to) : "memory"); /* each is done */
    }
    return MPI_Wtime() - begin;
}

/* As the engine does it. */
static double time_reduce(void *to, const void *from)
{
    int n = LOCAL_BYTES / (int)sizeof(double);
    reduce_function *sum = (size_t)n <= reduce_most() ? reduce_find(MPI_SUM, MPI_DOUBLE) : NULL;
    double begin = MPI_Wtime();

    for (int i = 0; i < LOCAL_CALLS; i++)
        if (sum)
            sum(from, to, (size_t)n);
        else
            MPI_Reduce_local(from, to, n, MPI_DOUBLE, MPI_SUM);
    return MPI_Wtime() - begin;
}

void measure_local(figure *copy, figure *reduce)
{
    double copied[TURNS_MOST], reduced[TURNS_MOST];
    int ncopied = 0, nreduced = 0;
    void *to = tune_allocate(LOCAL_BYTES), *from = tune_allocate(LOCAL_BYTES);

    time_copy(to, from);
    time_reduce(to, from);
    for (int turn = 0; turn < TURNS_MOST; turn++) {
        turns_rate(copied, &ncopied, (double)LOCAL_BYTES * LOCAL_CALLS, time_copy(to, from));
        turns_rate(reduced, &nreduced, (double)LOCAL_BYTES * LOCAL_CALLS, time_reduce(to, from));
    }
    *copy = turns_figure(copied, ncopied, TURNS_MOST);
    *reduce = turns_figure(reduced, nreduced, TURNS_MOST);
    free(to);
    free(from);
}
