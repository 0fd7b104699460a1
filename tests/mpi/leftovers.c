/* SPDX-License-Identifier: BSD-3-Clause */
/* leftovers.c - an MPI program that knows nothing of Tutti and ends badly: it checks what may be
 * asked before MPI_Init, and calls MPI_Finalize with operations that nobody has completed. For
 * check_interpose.
 *
 *   leftovers single|funneled|serialized|multiple [active]
 */
#include "mpi/plain.h"

#include <stdio.h>
#include <string.h>

static int level_of(const char *name)
{
    if (strcmp(name, "multiple") == 0)
        return MPI_THREAD_MULTIPLE;
    if (strcmp(name, "serialized") == 0)
        return MPI_THREAD_SERIALIZED;
    return strcmp(name, "funneled") == 0 ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE;
}

int main(int argc, char **argv)
{
    static int mine[3] = {1, 2, 3}, all[3][64];
    int before = 1, after = 0, wanted = level_of(argv[1]), level, p;
    MPI_Request r[3];

    MPI_Initialized(&before);
    if (wanted == MPI_THREAD_SINGLE)
        MPI_Init(&argc, &argv);
    else
        MPI_Init_thread(&argc, &argv, wanted, &level);
    MPI_Query_thread(&level);
    MPI_Initialized(&after);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = 0; i < 2; i++)
        PERSISTENT(Allgather)
    (&mine[i], 1, MPI_INT, all[i], 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[i]);
    MPI_Start(&r[0]);
    MPI_Iallgather(&mine[2], 1, MPI_INT, all[2], 1, MPI_INT, MPI_COMM_WORLD, &r[2]);
    if (argc <= 2 || strcmp(argv[2], "active") != 0) {
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Wait(&r[2], MPI_STATUS_IGNORE);
        before |= all[0][p - 1] != 1 || all[2][p - 1] != 3;
    }
    MPI_Finalize();
    MPI_Finalized(&after);
    puts(!before && after && level >= wanted ? "right" : "wrong");
    return 0;
}
