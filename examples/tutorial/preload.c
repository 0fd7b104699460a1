/* SPDX-License-Identifier: BSD-3-Clause */
/* preload.c - a program that knows nothing of Tutti: every rank gets the words of all. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, right = 1, counts[64], displacements[64];
    char word[64], all[64 * 64];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 64)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int step = 0; step < 50; step++) {
        int length = snprintf(word, sizeof word, "%d:%.*s ", step, rank % 10 + 1, "abcdefghij");
        int total = 0;
        MPI_Request request;
        MPI_Allgather(&length, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < size; i++) {
            displacements[i] = total;
            total += counts[i];
        }
        MPI_Iallgatherv(word, length, MPI_CHAR, all, counts, displacements, MPI_CHAR,
                        MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < size; i++) {
            snprintf(word, sizeof word, "%d:%.*s ", step, i % 10 + 1, "abcdefghij");
            right &= memcmp(all + displacements[i], word, counts[i]) == 0;
        }
        if (rank == 0 && step == 49)
            printf("%.*s\n", total, all);
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
