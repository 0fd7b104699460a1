/* SPDX-License-Identifier: BSD-3-Clause */
/* first.c - tutti-bench first: what the first operation on a communicator costs.
 *
 * First, once, the start of Tutti in the process and the first operation of all (in which the
 * machine is looked at). Then many fresh duplicates of MPI_COMM_WORLD in turn: on one the first and
 * the second call are MPI_Iallgather + MPI_Wait, on the next MPIX_Iallgather_linear + MPI_Wait; and
 * MPI_Comm_dup itself, which is what a communicator of our own for each would cost. Each begins
 * after a barrier; the slowest rank counts; medians.
 */
#include "stats.h"
#include "subcommands.h"

#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

enum { ROUNDS = 201 };

static int mine, *all;

static double native(MPI_Comm c)
{
    MPI_Request r;
    double begin = MPI_Wtime();

    MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, c, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return MPI_Wtime() - begin;
}

static double ours(MPI_Comm c)
{
    MPI_Request r;
    double begin = MPI_Wtime();

    MPIX_Iallgather_linear(&mine, 1, MPI_INT, all, 1, MPI_INT, c, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return MPI_Wtime() - begin;
}

/* The slowest rank's, in microseconds. */
static double slowest(double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds * 1e6;
}

static double after_barrier(double (*call)(MPI_Comm), MPI_Comm c)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return slowest(call(c));
}

static void rounds(double duplication[], double first[2][ROUNDS], double second[2][ROUNDS])
{
    for (int i = 0; i < 2 * ROUNDS; i++) {
        double (*call)(MPI_Comm) = i % 2 ? ours : native;
        MPI_Comm c;
        double begin;
        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        duplication[i / 2] = slowest(MPI_Wtime() - begin);
        first[i % 2][i / 2] = after_barrier(call, c);
        second[i % 2][i / 2] = after_barrier(call, c);
        MPI_Comm_free(&c);
    }
}

int bench_first(int argc, char **argv)
{
    static double duplication[ROUNDS], first[2][ROUNDS], second[2][ROUNDS];
    double begin, start, very_first;
    int rank, p;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    all = malloc((size_t)p * sizeof *all);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    tutti_init();
    start = slowest(MPI_Wtime() - begin);
    very_first = after_barrier(ours, MPI_COMM_WORLD);
    rounds(duplication, first, second);
    if (rank == 0)
        printf("# microseconds, %d ranks; the slowest rank's, medians of %d but for the first two\n"
               "tutti_init                       %9.1f\n"
               "first operation of the process   %9.1f\n"
               "MPI_Comm_dup                     %9.1f\n"
               "MPI_Iallgather        first call %9.1f   second %9.1f\n"
               "MPIX_Iallgather_linear first call%9.1f   second %9.1f\n",
               p, ROUNDS, start, very_first, median(duplication, ROUNDS), median(first[0], ROUNDS),
               median(second[0], ROUNDS), median(first[1], ROUNDS), median(second[1], ROUNDS));
    free(all);
    MPI_Finalize();
    return 0;
}
