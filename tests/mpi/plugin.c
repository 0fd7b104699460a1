/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c - a plug-in with Tutti in it: collectives on MPI_COMM_WORLD, one persistent request
 * freed and one left. See plugin_host.c. */
#include <tutti.h>

#include <stdlib.h>

int plugin_run(void);

static int wrong_blocks(const int *all, int size, int step)
{
    int wrong = 0;

    for (int i = 0; i < size; i++)
        wrong += all[i] != 10 * i + step;
    return wrong;
}

/* Returns how many blocks were wrong. */
int plugin_run(void)
{
    MPIX_Request persistent[2];
    MPI_Request once;
    int rank, size, mine, wrong = 0, *all;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    all = malloc((size_t)size * sizeof *all);
    for (int i = 0; i < 2; i++)
        MPIX_Allgather_ring_init(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                                 &persistent[i]);
    for (int step = 0; step < 4; step++) {
        mine = 10 * rank + step;
        MPIX_Start(&persistent[step % 2]);
        MPIX_Wait(&persistent[step % 2], MPI_STATUS_IGNORE);
        wrong += wrong_blocks(all, size, step);
    }
    mine = 10 * rank + 4;
    MPIX_Iallgather_auto(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &once);
    MPI_Wait(&once, MPI_STATUS_IGNORE);
    wrong += wrong_blocks(all, size, 4);
    MPIX_Request_free(&persistent[0]); /* the other one outlives us, and its buffer with it */
    return wrong;
}
