/* SPDX-License-Identifier: BSD-3-Clause */
/* persistent.c - plan once, start in every step: Jacobi's method, an unknown on each rank.
 * The system: 2p x[i] + (sum of all other x) = b[i], with b such that x[i] = i solves it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

int main(int argc, char **argv)
{
    int rank, size, right;
    MPIX_Request gather;

    MPI_Init(&argc, &argv);
    tutti_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double b = (2.0 * size - 1) * rank + size * (size - 1) / 2.0;
    double mine = 1, *x = malloc(size * sizeof *x);

    /* collective, once: takes the arguments of MPI_Allgather, an info, and gives a request */
    MPIX_Allgather_auto_init(&mine, 1, MPI_DOUBLE, x, 1, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &gather);
    for (int step = 0; step < 60; step++) {
        MPIX_Start(&gather); /* sends what is in `mine` now */
        MPIX_Wait(&gather, MPI_STATUS_IGNORE);
        mine = b; /* the request is inactive: both buffers are ours again */
        for (int i = 0; i < size; i++)
            mine -= i == rank ? 0 : x[i];
        mine /= 2.0 * size;
    }
    MPIX_Request_free(&gather);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("x[%d] = %.6f\n", i, x[i]);
    right = fabs(mine - rank) < 1e-6;
    free(x);
    MPI_Finalize();
    return right ? 0 : 1;
}
