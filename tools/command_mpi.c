/* SPDX-License-Identifier: BSD-3-Clause */
/* command_mpi.c - see command.h: of programs that have MPI. */
#include "command.h"

#include <mpi.h>
#include <stdio.h>

int command_refuse_all(const command *c, int *argc, char ***argv)
{
    int rank, begun = 0;

    if (!*c->error)
        return 0;
    MPI_Initialized(&begun);
    if (!begun)
        MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "%s\n", c->error);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 2;
}
