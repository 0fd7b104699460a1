/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_crowd.c - more ranks of a node than it has cores. See tune_measure.h. */
#define _GNU_SOURCE /* CPU_COUNT */
#include "tune_turns.h"

#include "tune/planner.h"
#include "tune/select.h"

#include <sched.h>
#include <string.h>

/* Measured, and forecast: the sum of one vector of 8 bytes, all ranks at a time. */
enum { BYTES = 8 };
static const char algorithm[] = "recursive_doubling";

int measure_cores(MPI_Comm comm)
{
    cpu_set_t mine, all;

    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) /* more processors than the set has */
        memset(&mine, 255, sizeof mine);
    MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, comm);
    return CPU_COUNT(&all);
}

static double time_sums(MPIX_Request *sum, MPI_Comm comm)
{
    enum { CALLS = 32 };
    double begin;

    MPIX_Barrier_dissemination(comm);
    begin = MPI_Wtime();
    for (int i = 0; i < CALLS; i++)
        turns_run(sum);
    return (MPI_Wtime() - begin) / CALLS;
}

figure measure_crowd(MPI_Comm comm)
{
    double mine = 1, all, x[TURNS_MOST], begin = MPI_Wtime();
    MPIX_Request sum;
    int n = 0;

    MPIX_Allreduce_recursive_doubling_init(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL,
                                           &sum);
    time_sums(&sum, comm);
    for (; turns_again(comm, n, begin); n++)
        x[n] = time_sums(&sum, comm);
    MPIX_Request_free(&sum);
    return turns_figure(x, n, n);
}

/* Seconds, with such turns. */
static double forecast_of(constants k, int ranks, double turn)
{
    forecast list[PLANNER_MOST];
    constants shared;
    forecast_call call = {.kind = COLL_allreduce, .p = ranks, .bytes = BYTES, .k = &shared};

    k.turn = turn;
    shared = constants_shared(&k, ranks);
    for (int i = 0; i < algo_count; i++)
        if (strcmp(algo_table[i]->name, algorithm) != 0)
            algo_set_add(&call.without, i);
    return planner_list(&call, list) > 0 ? 1e-12 * (double)list[0].time : 0;
}

static double turn_of(const constants *k, int ranks, double seconds)
{
    const double one = 1e-6;
    double without = forecast_of(*k, ranks, 0), with = forecast_of(*k, ranks, one);

    return seconds > without && with > without ? one * (seconds - without) / (with - without) : 0;
}

figure tune_turn(const constants *k, int ranks, figure sums)
{
    sums.value = turn_of(k, ranks, sums.value);
    sums.low = turn_of(k, ranks, sums.low);
    sums.high = turn_of(k, ranks, sums.high);
    return sums;
}
