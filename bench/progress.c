/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - tutti-bench progress: nanoseconds of tutti_progress() when nothing runs, and while
 * an operation of this rank waits for another one. On 2 ranks or more; rank 0 is shown. */
#include "subcommands.h"

#include <mpi.h>
#include <tutti.h>

#include <stdio.h>

enum { CALLS = 1000000 };

static double time_calls(void)
{
    double begin = MPI_Wtime();

    for (int i = 0; i < CALLS; i++)
        tutti_progress();
    return 1e9 * (MPI_Wtime() - begin) / CALLS;
}

static int refuse(const char *why)
{
    fprintf(stderr, "tutti-bench progress: %s\n", why);
    return 2;
}

int bench_progress(int argc, char **argv)
{
    const char *driver = "", *reason = "";
    int rank, p, value = 0, all[2];
    double idle, busy;
    MPI_Comm two;
    MPIX_Request r;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two);
    if (p < 2) {
        MPI_Finalize();
        return refuse("run on 2 ranks");
    }
    if (two != MPI_COMM_NULL) {
        MPIX_Allgather_auto_init(&value, 1, MPI_INT, all, 1, MPI_INT, two, MPI_INFO_NULL, &r);
        idle = time_calls();
        if (rank == 0)
            MPIX_Start(&r);
        busy = time_calls();
        MPI_Barrier(two);
        if (rank == 1)
            MPIX_Start(&r);
        MPIX_Wait(&r, MPI_STATUS_IGNORE);
        MPIX_Request_free(&r);
        tutti_progress_driver(&driver, &reason);
        if (rank == 0)
            printf("driver %s: tutti_progress() takes %.1f ns when nothing runs, %.1f ns while an "
                   "operation waits\n",
                   driver, idle, busy);
        MPI_Comm_free(&two);
    }
    MPI_Finalize();
    return 0;
}
