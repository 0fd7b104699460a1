/* SPDX-License-Identifier: BSD-3-Clause */
/* roots.c - every rank is rank 0 of a communicator on which something is measured, for
 * check_measure (TUTTI_PLAN=measure): all of them save what they have found when MPI_Finalize
 * begins.
 */
#include <stdlib.h>
#include <tutti.h>

int main(int argc, char **argv)
{
    int rank, p;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int k = 0; k < p; k++) {
        int n = 64 << k, *mine = calloc((size_t)n, sizeof *mine),
            *sum = calloc((size_t)n, sizeof *sum);
        MPI_Comm comm;
        MPIX_Request r;

        MPI_Comm_split(MPI_COMM_WORLD, 0, (rank - k + p) % p, &comm);
        MPIX_Allreduce_auto_init(mine, sum, n, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r);
        for (int i = 0; i < 40; i++) {
            MPIX_Start(&r);
            MPIX_Wait(&r, MPI_STATUS_IGNORE);
        }
        MPIX_Request_free(&r);
        MPI_Comm_free(&comm);
        free(mine);
        free(sum);
    }
    MPI_Finalize();
    return 0;
}
