/* bench_blocks.c - a message of several blocks: packed, or described by a derived datatype?
 *
 * Two ranks exchange n blocks of so many bytes that lie two blocks apart, packed by memcpy on both
 * sides or as one MPI_Type_create_hindexed_block; the median of the slower rank's times, in
 * microseconds, interleaved. The choice in src/nbc/wire.c (PACK_LIMIT) comes from here.
 */
#include "median.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 200 };

static void exchange(void *out, void *in, int count, MPI_Datatype type, int other)
{
    MPI_Request r[2];

    MPI_Irecv(in, count, type, other, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, count, type, other, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void run_packed(char *out, char *in, char *pack, int n, int size, int other)
{
    char *got = pack + (size_t)n * (size_t)size;

    for (int i = 0; i < n; i++)
        memcpy(pack + (size_t)i * (size_t)size, out + 2 * (size_t)i * (size_t)size, (size_t)size);
    exchange(pack, got, n * size, MPI_BYTE, other);
    for (int i = 0; i < n; i++)
        memcpy(in + 2 * (size_t)i * (size_t)size, got + (size_t)i * (size_t)size, (size_t)size);
}

static MPI_Datatype make_type(int n, int size)
{
    MPI_Aint *at = malloc((size_t)n * sizeof *at);
    MPI_Datatype type;

    for (int i = 0; i < n; i++)
        at[i] = 2 * (MPI_Aint)i * size;
    MPI_Type_create_hindexed_block(n, size, at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    free(at);
    return type;
}

static void measure(int n, int size, int rank)
{
    size_t bytes = 2 * (size_t)n * (size_t)size;
    char *out = calloc(bytes, 1), *in = calloc(bytes, 1), *pack = calloc(bytes, 1);
    double times[2][REPETITIONS];
    MPI_Datatype type = make_type(n, size);

    for (int k = 0; k < REPETITIONS; k++)
        for (int i = 0; i < 2; i++) {
            int packed = (i + k) % 2;
            memset(out, k, bytes);
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            if (packed)
                run_packed(out, in, pack, n, size, 1 - rank);
            else
                exchange(out, in, 1, type, 1 - rank);
            times[packed][k] = MPI_Wtime() - begin;
        }
    MPI_Allreduce(MPI_IN_PLACE, times, 2 * REPETITIONS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double derived = median(times[0], REPETITIONS), packed = median(times[1], REPETITIONS);
    if (rank == 0)
        printf("%6d %8d %9d %10.2f %10.2f %7.2f\n", n, size, n * size, 1e6 * packed, 1e6 * derived,
               packed / derived);
    MPI_Type_free(&type);
    free(pack);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        if (rank == 0)
            fprintf(stderr, "bench_blocks: run on 2 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0)
        printf("# blocks    bytes     total  packed us  derived us   ratio\n");
    for (int n = 2; n <= 128; n *= 8)
        for (int bytes = 8; bytes <= 1 << 17; bytes *= 4)
            if ((long)n * bytes <= 1 << 21)
                measure(n, bytes, rank);
    MPI_Finalize();
    return 0;
}
