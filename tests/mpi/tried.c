/* SPDX-License-Identifier: BSD-3-Clause */
/* tried.c - the same calls on two communicators of one shape, the first of which may not take some
 * algorithms: what has been tried there says nothing of the other. For tests/check_interpose.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

enum { CALLS = 80, ITEMS = 1024 };

static int call_often(MPI_Comm comm)
{
    int p, rank, wrong = 0, mine[ITEMS], *all;

    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &rank);
    all = malloc((size_t)p * ITEMS * sizeof *all);
    for (int k = 0; k < CALLS; k++) {
        for (int i = 0; i < ITEMS; i++)
            mine[i] = rank + k;
        MPI_Allgather(mine, ITEMS, MPI_INT, all, ITEMS, MPI_INT, comm);
        for (int i = 0; i < p * ITEMS; i++)
            wrong += all[i] != i / ITEMS + k;
    }
    free(all);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Comm few, any;
    MPI_Info info;
    int wrong;

    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", "^linear,ring,lane,hierarchical");
    MPI_Comm_dup(MPI_COMM_WORLD, &few);
    wrong = tutti_comm_set_hints(few, info) != MPI_SUCCESS;
    wrong += call_often(few);
    MPI_Comm_dup(MPI_COMM_WORLD, &any);
    wrong += call_often(any);
    MPI_Info_free(&info);
    MPI_Comm_free(&few);
    MPI_Comm_free(&any);
    MPI_Finalize();
    if (wrong)
        printf("%d are wrong\n", wrong);
    return wrong != 0;
}
