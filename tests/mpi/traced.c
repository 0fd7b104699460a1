/* SPDX-License-Identifier: BSD-3-Clause */
/* traced.c - a program whose trace check_trace looks at: three operations of each kind, with eight
 * bytes of each rank.
 *
 *   traced plain        MPIX_Wait, MPIX_Waitany, a native MPI_Wait
 *   traced thread       the same beside a progress thread, with one thread of the program more
 *   traced apart        as if each process had a clock of its own
 *   traced halves       only on communicators of a part of the ranks, without tutti_init
 *   traced abort        ends by MPI_Abort
 *   traced many N       N operations
 *
 * Looks inside the library, for `apart`.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

#include "nbc/process/test_knobs.h"

static int rank, size, failures;

static void check(const double *all, int n, double first)
{
    for (int i = 0; i < n; i++)
        failures += all[i] != first + i;
}

static void gather_persistently(MPI_Comm comm, double *mine, double *all, int starts)
{
    MPIX_Request request;
    int index, me, n;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    MPIX_Allgather_ring_init(mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, comm, MPI_INFO_NULL,
                             &request);
    for (int i = 0; i < starts; i++) {
        *mine = me + i;
        MPIX_Start(&request);
        if (i % 2)
            MPIX_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
        else
            MPIX_Wait(&request, MPI_STATUS_IGNORE);
        check(all, n, i);
    }
    MPIX_Request_free(&request);
}

static void reduce_natively(MPI_Comm comm, int times)
{
    MPI_Request request;
    int n;

    MPI_Comm_size(comm, &n);
    for (int i = 0; i < times; i++) {
        double mine = i, sum = 0;
        MPIX_Iallreduce_recursive_doubling(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        failures += sum != (double)n * i;
    }
}

static void run(MPI_Comm comm)
{
    double mine, *all = malloc((size_t)size * sizeof *all);

    gather_persistently(comm, &mine, all, 3);
    reduce_natively(comm, 3);
    for (int i = 0; i < 3; i++)
        MPIX_Barrier_dissemination(comm);
    free(all);
}

static void *other_thread(void *comm)
{
    reduce_natively(*(MPI_Comm *)comm, 3);
    return NULL;
}

static void run_with_thread(void)
{
    pthread_t id;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    tutti_comm_prepare(comm);
    tutti_comm_prepare(MPI_COMM_WORLD);
    tutti_progress_thread_start(MPI_INFO_NULL);
    pthread_create(&id, NULL, other_thread, &comm);
    run(MPI_COMM_WORLD);
    pthread_join(id, NULL);
    tutti_progress_thread_stop();
    MPI_Comm_free(&comm);
}

static void run_in_halves(void)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    run(half);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "plain";
    bool threads = strcmp(mode, "thread") == 0, halves = strcmp(mode, "halves") == 0;
    int provided;

    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    trace_test_apart = strcmp(mode, "apart") == 0;
    if (!halves)
        tutti_init();
    if (halves)
        run_in_halves();
    else if (threads && provided == MPI_THREAD_MULTIPLE)
        run_with_thread();
    else if (strcmp(mode, "many") == 0)
        reduce_natively(MPI_COMM_WORLD, atoi(argv[2]));
    else
        run(MPI_COMM_WORLD);
    if (strcmp(mode, "abort") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Finalize();
    if (failures)
        fprintf(stderr, "rank %d: %d values are wrong\n", rank, failures);
    return failures != 0;
}
