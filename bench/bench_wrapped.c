/* bench_wrapped.c - what an unmodified program gains or loses under libtutti_mpi.so: the wrappers
 * of allgather against the MPI's own, blocking and non-blocking.
 *
 * Linked with the library before the MPI, so that MPI_Allgather is the wrapper and PMPI_Allgather
 * the MPI's. All four are run in turn, in batches; the median of the batches' times per call is
 * shown, in microseconds, as rank 0 sees it. The send buffer does not change.
 */
#include "median.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 201, LARGEST = 1 << 20, VARIANTS = 4 };

static char *from, *to;
static int size;

static void blocking_native(void)
{
    PMPI_Allgather(from, size, MPI_BYTE, to, size, MPI_BYTE, MPI_COMM_WORLD);
}

static void blocking_wrapped(void)
{
    MPI_Allgather(from, size, MPI_BYTE, to, size, MPI_BYTE, MPI_COMM_WORLD);
}

static void nonblocking_native(void)
{
    MPI_Request r;

    PMPI_Iallgather(from, size, MPI_BYTE, to, size, MPI_BYTE, MPI_COMM_WORLD, &r);
    PMPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void nonblocking_wrapped(void)
{
    MPI_Request r;

    MPI_Iallgather(from, size, MPI_BYTE, to, size, MPI_BYTE, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static double time_of(void (*call)(void))
{
    int n = size < 65536 ? 100 : 10;
    double begin;

    PMPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < n; i++)
        call();
    return (MPI_Wtime() - begin) / n * 1e6;
}

int main(int argc, char **argv)
{
    static void (*const calls[VARIANTS])(void) = {blocking_native, blocking_wrapped,
                                                  nonblocking_native, nonblocking_wrapped};
    static double t[VARIANTS][BATCHES];
    int rank, p;
    double m[VARIANTS];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    from = calloc(1, LARGEST);
    to = calloc((size_t)p, LARGEST);
    if (rank == 0)
        printf("%8s %10s %8s %6s %13s %8s %6s\n", "# bytes", "blocking", "Tutti", "ratio",
               "non-blocking", "Tutti", "ratio");
    for (size = 8; size <= LARGEST; size *= 8) {
        for (int b = 0; b < BATCHES; b++)
            for (int v = 0; v < VARIANTS; v++)
                t[v][b] = time_of(calls[v]);
        for (int v = 0; v < VARIANTS; v++)
            m[v] = median(t[v], BATCHES);
        if (rank == 0)
            printf("%8d %10.2f %8.2f %6.2f %13.2f %8.2f %6.2f\n", size, m[0], m[1], m[1] / m[0],
                   m[2], m[3], m[3] / m[2]);
    }
    free(from);
    free(to);
    MPI_Finalize();
    return 0;
}
