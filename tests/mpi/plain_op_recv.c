/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_op_recv.c - a program that knows nothing of Tutti: one rank sits in MPI_Recv while an
 * allreduce with an operation of its own, already freed, is under way; its message comes only when
 * the allreduce is complete elsewhere.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void add(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)to)[i] += ((int *)from)[i];
}

int main(int argc, char **argv)
{
    const char *threads = getenv("TEST_THREADS");
    int level, p, rank, wrong = 0;

    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < 20; turn++) {
        int mine = rank + turn, sum = -1, first = turn % p, word = 0;
        MPI_Request r;
        MPI_Op op;

        MPI_Op_create(add, 0, &op);
        MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &r);
        MPI_Op_free(&op);
        if (rank == first && p > 1)
            MPI_Recv(&word, 1, MPI_INT, (first + 1) % p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        if (rank == (first + 1) % p && p > 1)
            MPI_Send(&turn, 1, MPI_INT, first, 7, MPI_COMM_WORLD);
        wrong += sum != p * turn + p * (p - 1) / 2;
    }
    if (wrong)
        printf("rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}
