/* SPDX-License-Identifier: BSD-3-Clause */
/* overlap.c - the sum of one vector travels while the next one is computed. */
#include <stdio.h>
#include <tutti.h>

enum { N = 1 << 14, TERMS = 1000, BATCHES = 10 };
static double batch[2][N]; /* one is being summed, one is being computed */

static void compute(double *v, int k, int rank)
{
    for (int t = 0; t < TERMS; t++) {
        for (int i = 0; i < N; i++)
            v[i] = (t ? v[i] : 0) + k + rank;
        tutti_progress(); /* lets the operation under way go on; never blocks */
    }
}

int main(int argc, char **argv)
{
    int rank, size, done, early = 0, wrong = 0;

    MPI_Init(&argc, &argv);
    tutti_init(); /* so that not even the first call blocks */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    compute(batch[0], 0, rank);
    for (int k = 0; k < BATCHES; k++) {
        double *now = batch[k % 2], *next = batch[(k + 1) % 2];
        MPI_Request request; /* an ordinary one: MPI_Wait, MPI_Waitall, MPI_Test... take it */
        MPIX_Iallreduce_auto(MPI_IN_PLACE, now, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        compute(next, k + 1, rank);                   /* does not touch `now` */
        MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* only to count */
        early += done;
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* returns at once if it is complete */
        for (int i = 0; i < N; i++)
            wrong += now[i] != TERMS * (size * k + size * (size - 1) / 2);
    }
    printf("rank %d: %d wrong; %d of %d sums were there first\n", rank, wrong, early, BATCHES);
    MPI_Finalize();
    return wrong != 0;
}
