/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_spawn.c - an MPI program that knows nothing of Tutti: processes that are started later
 * (MPI_Comm_spawn) are no part of the channel. Their collectives give the same data, non-blocking
 * ones before and after the first blocking one.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { CHILDREN = 2, MOST = 64 };

static int check(const int *all, int p, int base)
{
    int wrong = 0;

    for (int i = 0; i < p; i++)
        wrong += all[i] != base + i;
    return wrong;
}

static int use(MPI_Comm c)
{
    int p, rank, mine, wrong = 0, all[MOST];
    MPI_Request r;

    MPI_Comm_size(c, &p);
    MPI_Comm_rank(c, &rank);
    for (int round = 0; round < 3; round++) {
        mine = 100 * round + rank;
        MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, c, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        wrong += check(all, p, 100 * round);
        mine += 10;
        MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, c);
        wrong += check(all, p, 100 * round + 10);
    }
    return wrong;
}

/* Open MPI 5 and later do not give what mpirun -x names to processes that are spawned. */
static MPI_Info with_preload(void)
{
    MPI_Info info;

    MPI_Info_create(&info);
#if defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5
    const char *preload = getenv("LD_PRELOAD");
    char text[4096];

    if (preload) {
        snprintf(text, sizeof text, "LD_PRELOAD=%s", preload);
        MPI_Info_set(info, "PMIX_ENVAR", text);
    }
#endif
    return info;
}

int main(int argc, char **argv)
{
    MPI_Info info;
    int wrong, all_wrong = 0, rank;
    MPI_Comm parent, between, together;

    MPI_Init(&argc, &argv);
    info = with_preload();
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, info, 0, MPI_COMM_WORLD, &between,
                       MPI_ERRCODES_IGNORE);
    else
        between = parent;
    MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &together);
    wrong = use(MPI_COMM_WORLD) + use(together);
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, together);
    MPI_Comm_rank(together, &rank);
    if (rank == 0)
        puts(all_wrong ? "wrong" : "right");
    MPI_Comm_free(&together);
    MPI_Comm_disconnect(&between);
    MPI_Info_free(&info);
    MPI_Finalize();
    return all_wrong != 0;
}
