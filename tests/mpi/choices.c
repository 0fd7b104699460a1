/* SPDX-License-Identifier: BSD-3-Clause */
/* choices.c - `auto` calls of every form and several sizes, for check_verbose. `choices FILE`
 * exports wisdom. */
#include <stdlib.h>
#include <tutti.h>

enum { MOST = 4096 };

static char *mine, *all;
static int p, *counts, *displs;

/* Blocks of 1 to MOST bytes, each size twice in each of the three forms. */
static void allgathers(void)
{
    MPIX_Request persistent;
    MPI_Request request;

    for (int n = 1; n <= MOST; n *= 2)
        for (int again = 0; again < 2; again++) {
            MPIX_Iallgather_auto(mine, n, MPI_BYTE, all, n, MPI_BYTE, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPIX_Allgather_auto(mine, n, MPI_BYTE, all, n, MPI_BYTE, MPI_COMM_WORLD);
            MPIX_Allgather_auto_init(mine, n, MPI_BYTE, all, n, MPI_BYTE, MPI_COMM_WORLD,
                                     MPI_INFO_NULL, &persistent);
            MPIX_Request_free(&persistent);
        }
}

static void alltoallvs(void)
{
    for (int n = 1; n <= MOST; n *= 2) {
        for (int i = 0; i < p; i++) {
            counts[i] = n;
            displs[i] = i * n;
        }
        MPIX_Alltoallv_auto(mine, counts, displs, MPI_BYTE, all, counts, displs, MPI_BYTE,
                            MPI_COMM_WORLD);
    }
}

/* Around a ring. */
static void neighbor_allgathers(void)
{
    int periodic = 1;
    MPI_Comm ring;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &periodic, 0, &ring);
    for (int n = 1; n <= MOST / 2; n *= 2)
        MPIX_Neighbor_allgather_auto(mine, n, MPI_BYTE, all, n, MPI_BYTE, ring);
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    char text[200];

    MPI_Init(&argc, &argv);
    if (argc > 1)
        return tutti_wisdom_export(MPI_COMM_WORLD, argv[1]) || MPI_Finalize();
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    mine = calloc((size_t)p, MOST);
    all = calloc((size_t)p, MOST);
    counts = calloc((size_t)p, sizeof *counts);
    displs = calloc((size_t)p, sizeof *displs);
    allgathers();
    alltoallvs();
    neighbor_allgathers();
    MPIX_Alltoall_pairwise(mine, 8, MPI_BYTE, all, 8, MPI_BYTE, MPI_COMM_WORLD);
    tutti_comm_explain(MPI_COMM_WORLD, "alltoall 8", text, sizeof text);
    free(displs);
    free(counts);
    free(all);
    free(mine);
    MPI_Finalize();
}
