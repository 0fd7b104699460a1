/* SPDX-License-Identifier: BSD-3-Clause */
/* persistent.c - a plain MPI-4 program: a persistent allgather, started four times with other
 * values.
 *
 *   mpiexec.mpich -n 4 persistent
 *   mpiexec.mpich -n 4 -genv LD_PRELOAD $PWD/build/mpich/lib/libtutti_mpi.so persistent
 *
 * It knows nothing of Tutti. Each rank sends its number and that of the start, so that data of an
 * earlier start is seen. Printed is for each start how many of the values that all ranks have
 * received are wrong; the exit status is 1 if any is. Debian's MPICH 4.0.2 is wrong from the second
 * start on, with a power of two of ranks (mpich#6423).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 4, FACTOR = 1000000 };

/* "MPICH 4.0.2": other MPIs say it in other words, of which the first line is kept. */
static void print_title(int size)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING], number[32];
    int length;

    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    if (sscanf(text, "MPICH Version: %31s", number) == 1)
        snprintf(text, sizeof text, "MPICH %s", number);
    printf("%s, MPI_Allgather_init on %d ranks\n", text, size);
}

static int count_wrong(const int *all, int size, int start)
{
    int wrong = 0;

    for (int rank = 0; rank < size; rank++)
        wrong += all[rank] != start * FACTOR + rank;
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, size, mine, *all, failed = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    all = malloc((size_t)size * sizeof *all);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        print_title(size);
    MPI_Allgather_init(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int start = 1; start <= STARTS; start++) {
        int wrong, of_all;
        mine = start * FACTOR + rank;
        memset(all, 0, (size_t)size * sizeof *all);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong = count_wrong(all, size, start);
        MPI_Allreduce(&wrong, &of_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0 && of_all)
            printf("start %d: %d of %d values wrong\n", start, of_all, size * size);
        else if (rank == 0)
            printf("start %d: right\n", start);
        failed |= of_all != 0;
    }
    MPI_Request_free(&request);
    free(all);
    MPI_Finalize();
    return failed;
}
