/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_turns.c - see tune_turns.h. */
#include "tune_turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double budget = 1.5; /* seconds, for the turns of one measurement */

void *tune_allocate(size_t bytes)
{
    void *memory = malloc(bytes);

    if (!memory) {
        fprintf(stderr, "tutti-tune: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memset(memory, 0, bytes);
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* The figure of x[n], which are the best of `turns`. */
figure turns_figure(double x[], int n, int turns)
{
    if (n == 0)
        return (figure){0};
    qsort(x, (size_t)n, sizeof *x, ascending);
    return (figure){.value = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2,
                    .low = x[n / 4],
                    .high = x[n - 1 - n / 4],
                    .n = n,
                    .turns = turns};
}

/* So many of the turns, the quickest, count: what disturbs makes them longer. Beside
 * two other jobs on two cores most of them are. */
int turns_good(int turns)
{
    return turns / 4 > TURNS_LEAST / 2 ? turns / 4 : TURNS_LEAST / 2 + 1;
}

/* Another turn? Rank 0 decides. Ranks that wake up are given a processor anew: two that had to
 * share one do not do so for ever. */
bool turns_again(MPI_Comm comm, int turns, double begin)
{
    const struct timespec nap = {.tv_nsec = 4000000};
    int more = turns < TURNS_LEAST || (turns < TURNS_MOST && MPI_Wtime() - begin < budget);

    MPI_Bcast(&more, 1, MPI_INT, 0, comm);
    nanosleep(&nap, NULL);
    return more;
}

/* Bytes per second, from what more bytes took. A turn in which they took less says nothing. */
void turns_rate(double x[], int *n, double bytes, double seconds)
{
    if (seconds > 0)
        x[(*n)++] = bytes / seconds;
}

void turns_run(MPIX_Request *request)
{
    MPIX_Start(request);
    MPIX_Wait(request, MPI_STATUS_IGNORE);
}
