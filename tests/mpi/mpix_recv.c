/* SPDX-License-Identifier: BSD-3-Clause */
/* mpix_recv.c - a program of Tutti's own calls that sits in MPI_Recv, or in another call of the MPI
 * that has nothing to do with it, while the others wait for one of its operations: with the driver
 * poll only libtutti_mpi.so, the thread or tutti_progress advances it there. No call that
 * libtutti_mpi.so takes over is made. Ring: the message that comes has to go on.
 *
 *     mpix_recv single|multiple nonblocking|persistent [recv|barrier|iprobe|fence|get_status]
 *
 * With the last argument it is skipped (77) where the driver does not advance operations there, but
 * for get_status, which libtutti has, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { LARGE = 100000 };

static const char *where = "recv";
static MPI_Win win;

static int is_where(const char *name)
{
    return strcmp(where, name) == 0;
}

/* Rank 0, before it has waited for the operation; the others when they have. */
static void sit(int rank, int p, MPI_Request r)
{
    int go = 1, flag = 0;

    if (is_where("barrier"))
        PMPI_Barrier(MPI_COMM_WORLD);
    else if (is_where("fence"))
        MPI_Win_fence(0, win);
    else if (is_where("get_status") && rank == 0)
        while (!flag)
            MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
    else if (rank == 1)
        MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (rank > 0 || p == 1)
        return;
    while (is_where("iprobe") && !flag)
        MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (is_where("iprobe") || is_where("recv") || is_where("get_status"))
        MPI_Recv(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int driver_advances_anywhere(void)
{
    const char *name, *reason;

    tutti_progress_driver(&name, &reason);
    return strcmp(name, "async") == 0 || strcmp(name, "hook") == 0;
}

int main(int argc, char **argv)
{
    int rank, p, level, wrong = 0, *mine = malloc(LARGE * sizeof *mine), *all;
    int persistent = argc > 2 && strcmp(argv[2], "persistent") == 0;
    MPIX_Request request;
    MPI_Request r;

    MPI_Init_thread(&argc, &argv,
                    argc > 1 && strcmp(argv[1], "multiple") == 0 ? MPI_THREAD_MULTIPLE
                                                                 : MPI_THREAD_SINGLE,
                    &level);
    tutti_init();
    if (argc > 3) {
        where = argv[3];
        if (!driver_advances_anywhere() && !is_where("get_status")) { /* which is ours */
            MPI_Finalize();
            return 77;
        }
    }
    if (is_where("fence")) {
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_fence(0, win);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    all = malloc((size_t)p * LARGE * sizeof *all);
    for (int i = 0; i < LARGE; i++)
        mine[i] = rank;
    if (persistent) {
        MPIX_Allgather_ring_init(mine, LARGE, MPI_INT, all, LARGE, MPI_INT, MPI_COMM_WORLD,
                                 MPI_INFO_NULL, &request);
        MPIX_Start_native(&request, &r);
    } else {
        MPIX_Iallgather_ring(mine, LARGE, MPI_INT, all, LARGE, MPI_INT, MPI_COMM_WORLD, &r);
    }
    if (rank == 0)
        sit(rank, p, r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (rank > 0)
        sit(rank, p, MPI_REQUEST_NULL);
    for (int i = 0; i < p * LARGE; i++)
        wrong += all[i] != i / LARGE;
    if (persistent)
        MPIX_Request_free(&request);
    if (is_where("fence"))
        MPI_Win_free(&win);
    MPI_Finalize();
    if (rank == 0 && !wrong)
        puts("right");
    return wrong != 0;
}
