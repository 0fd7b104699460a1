/* SPDX-License-Identifier: BSD-3-Clause */
/* mpix_recv.c - a program of Tutti's own calls that sits in MPI_Recv while the others wait for one
 * of its operations: on MPICH only libtutti_mpi.so, the thread or tutti_progress advances it there.
 * No call that libtutti_mpi.so takes over is made. Ring: the message that comes has to go on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { LARGE = 100000 };

int main(int argc, char **argv)
{
    int rank, p, level, go = 1, wrong = 0, *mine = malloc(LARGE * sizeof *mine), *all;
    int persistent = argc > 2 && strcmp(argv[2], "persistent") == 0;
    MPIX_Request request;
    MPI_Request r;

    MPI_Init_thread(&argc, &argv,
                    argc > 1 && strcmp(argv[1], "multiple") == 0 ? MPI_THREAD_MULTIPLE
                                                                 : MPI_THREAD_SINGLE,
                    &level);
    tutti_init();
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
    if (rank == 0 && p > 1)
        MPI_Recv(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (int i = 0; i < p * LARGE; i++)
        wrong += all[i] != i / LARGE;
    if (persistent)
        MPIX_Request_free(&request);
    MPI_Finalize();
    if (rank == 0 && !wrong)
        puts("right");
    return wrong != 0;
}
