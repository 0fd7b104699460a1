/* SPDX-License-Identifier: BSD-3-Clause */
/* only_starts.c - a program that calls nothing between MPI_Init and MPI_Finalize; or, as
 * `only_starts long`, MPI_Alltoallw with blocks of 300 bytes.
 */
#include <mpi.h>

enum { MOST = 8, BYTES = 300 };

static void exchange(void)
{
    static char from[MOST * BYTES], to[MOST * BYTES];
    int counts[MOST], displs[MOST];
    MPI_Datatype types[MOST];

    for (int r = 0; r < MOST; r++) {
        counts[r] = BYTES;
        displs[r] = r * BYTES;
        types[r] = MPI_CHAR;
    }
    MPI_Alltoallw(from, counts, displs, types, to, counts, displs, types, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1)
        exchange();
    return MPI_Finalize();
}
