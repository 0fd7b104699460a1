/* SPDX-License-Identifier: BSD-3-Clause */
/* mpix_calls.c - calls by MPIX_ names, and one by an MPI_ name, for a tool to count: check_pmpix.
 * */
#include <stdio.h>
#include <tutti.h>

static int wrong, p;

static void check(const int all[])
{
    for (int r = 0; r < p; r++)
        wrong += all[r] != r;
}

int main(int argc, char **argv)
{
    int mine, all[64], sum = 0;
    MPI_Request native;
    MPIX_Request request[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPIX_Allgather_ring(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    check(all);
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPIX_Allreduce_auto_c(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != p * (p - 1) / 2;
    for (int i = 0; i < 3; i++) {
        MPIX_Iallgather_auto(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &native);
        MPI_Wait(&native, MPI_STATUS_IGNORE);
        check(all);
    }
    for (int i = 0; i < 2; i++)
        MPIX_Allgather_auto_init(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                                 &request[i]);
    for (int i = 0; i < 4; i++) {
        MPIX_Start(&request[0]);
        MPIX_Waitall(1, request, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        MPIX_Request_free(&request[i]);
    puts(wrong ? "wrong" : "right");
    MPI_Finalize();
    return wrong != 0;
}
