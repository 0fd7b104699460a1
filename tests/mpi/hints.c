/* SPDX-License-Identifier: BSD-3-Clause */
/* hints.c - see hints.h. */
#include "mpi/hints.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

MPI_Comm fresh(void)
{
    MPI_Comm comm;

    tutti_init(); /* so that no first call blocks, whatever the thread level */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

int hint(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info = info_of(key, value);
    int error = tutti_comm_set_hints(comm, info);

    MPI_Info_free(&info);
    return error;
}

bool made_up(void)
{
    const char *value = getenv("TUTTI_REGIONS");

    return value && strcmp(value, "hwloc") != 0;
}

void fill(int block[N], int turn)
{
    for (int i = 0; i < N; i++)
        block[i] = world_rank * 1000 + turn * 10 + i;
}

bool is_right(const int *all, int p, int turn)
{
    for (int r = 0; r < p; r++)
        for (int i = 0; i < N; i++)
            if (all[r * N + i] != r * 1000 + turn * 10 + i)
                return false;
    return true;
}
