/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_profiled.c - a plain program that calls collectives in all forms beside messages, and
 * checks what it gets. For check_tool_order, which counts its calls.
 */
#include <mpi.h>
#ifdef TUTTI_HAVE_MPIX_PERSISTENT
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Bcast_init     MPIX_Bcast_init
#endif
#include <stdio.h>

enum { ROUNDS = 5, LONG = 5000 };

static int rank, size, wrong;

static void blocking_and_not(int round)
{
    int mine = rank + round, sum = -1, all[64], done = 0;
    MPI_Request r[2];

    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != size * (size - 1) / 2 + size * round;
    MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        wrong += all[i] != i + round;
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&sum, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, &r[1]);
    MPI_Send(&mine, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD);
    while (!done)
        MPI_Testall(2, r, &done, MPI_STATUSES_IGNORE);
    wrong += sum != (rank + 1) % size + round;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void persistent(void)
{
#if defined TUTTI_HAVE_MPI4_PERSISTENT || defined TUTTI_HAVE_MPIX_PERSISTENT
    static int mine[LONG], sums[LONG];
    int word = 0;
    MPI_Request r[2];

    MPI_Allreduce_init(mine, sums, LONG, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Bcast_init(&word, 1, MPI_INT, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 0; i < LONG; i++)
            mine[i] = rank + i + k;
        word = rank == size - 1 ? 100 + k : -1;
        if (k % 2) {
            MPI_Startall(2, r);
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        } else {
            MPI_Start(&r[0]);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
            MPI_Start(&r[1]);
            MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < LONG; i++)
            wrong += sums[i] != size * (size - 1) / 2 + size * (i + k);
        wrong += word != 100 + k;
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
#endif
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; round++)
        blocking_and_not(round);
    persistent();
    MPI_Finalize();
    if (!wrong)
        puts("right");
    return wrong != 0;
}
