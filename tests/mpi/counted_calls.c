/* SPDX-License-Identifier: BSD-3-Clause */
/* counted_calls.c - a program whose calls are known, for check_statistics. First argument: all,
 * multiple (the same at that level, and from two threads), alone (ranks 0 and 1 only, without
 * tutti_init), overlap, abort. */
#include <pthread.h>
#include <string.h>
#include <tutti.h>

static int rank, p;
static char in[64 * 64], out[64 * 64 * 8];

static void on_world(void)
{
    MPIX_Request r;
    MPI_Request native;

    for (int i = 0; i < 10; i++)
        MPIX_Allgather_ring(in, 100, MPI_BYTE, out, 100, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        MPIX_Allgather_linear(in, 5, MPI_INT, out, 5, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++)
        MPIX_Bcast_binomial(in, 1000, MPI_BYTE, p - 1, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++) {
        MPIX_Iallreduce_recursive_doubling(MPI_IN_PLACE, in, 8, MPI_INT, MPI_BOR, MPI_COMM_WORLD,
                                           &native);
        MPI_Wait(&native, MPI_STATUS_IGNORE);
    }
    MPIX_Alltoall_pairwise_init(in, 16, MPI_BYTE, out, 16, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &r);
    for (int i = 0; i < 7; i++) {
        MPIX_Start(&r);
        MPIX_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPIX_Start_native(&r, &native);
    MPI_Wait(&native, MPI_STATUS_IGNORE);
    MPIX_Request_free(&r);
    MPIX_Barrier_dissemination(MPI_COMM_WORLD);
}

/* Ranks of their own lengths: r + 1 bytes. */
static void on_named(MPI_Comm comm)
{
    int counts[64], displs[64], mine, n;

    MPI_Comm_rank(comm, &mine);
    MPI_Comm_size(comm, &n);
    for (int r = 0; r < n; r++) {
        counts[r] = r + 1;
        displs[r] = r * 64;
    }
    for (int i = 0; i < 2; i++)
        MPIX_Allgatherv_ring(in, mine + 1, MPI_BYTE, out, counts, displs, MPI_BYTE, comm);
    MPIX_Scatter_linear(in, 10, MPI_BYTE, out, 10, MPI_BYTE, 0, comm);
}

static void *in_thread(void *comm)
{
    int sum;

    for (int i = 0; i < 50; i++)
        MPIX_Allreduce_recursive_doubling(&rank, &sum, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm);
    return NULL;
}

static void in_threads(void)
{
    pthread_t thread[2];
    MPI_Comm comm[2];

    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        MPI_Comm_set_name(comm[i], i ? "second" : "first");
        tutti_comm_prepare(comm[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, in_thread, &comm[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        MPI_Comm_free(&comm[i]);
    }
}

/* The program computes for most of the time between start and wait, and waits for most of it. */
static void overlapped(void)
{
    MPIX_Request r;
    double begin;

    MPIX_Allgather_ring_init(in, 8, MPI_BYTE, out, 8, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    MPIX_Start(&r);
    begin = MPI_Wtime();
    while (MPI_Wtime() - begin < 0.2)
        ;
    MPIX_Wait(&r, MPI_STATUS_IGNORE);
    MPIX_Request_free(&r);
    if (rank == 0)
        while (MPI_Wtime() - begin < 0.6)
            ;
    MPIX_Barrier_dissemination(MPI_COMM_WORLD);
}

static void run_all(void)
{
    MPI_Comm half, gone;

    on_world();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, rank % 2 ? "odd \"half\"" : "even half");
    on_named(half);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &gone);
        if (i == 1)
            MPI_Comm_set_name(gone, "gone");
        MPIX_Barrier_dissemination(gone);
        MPI_Comm_free(&gone);
    }
}

static void run_alone(void)
{
    MPI_Comm two;

    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two);
    if (two == MPI_COMM_NULL)
        return;
    MPIX_Barrier_dissemination(two);
    MPI_Comm_free(&two);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    int multiple = strcmp(what, "multiple") == 0, provided;

    MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (strcmp(what, "alone") != 0)
        tutti_init();
    if (strcmp(what, "alone") == 0)
        run_alone();
    else if (strcmp(what, "overlap") == 0)
        overlapped();
    else
        run_all();
    if (multiple)
        in_threads();
    if (strcmp(what, "abort") == 0 && rank == p - 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    return 0;
}
