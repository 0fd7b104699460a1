/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - tutti-bench blocks: a message of several blocks: packed, or described by a derived
 * datatype?
 *
 * Two ranks exchange n blocks of so many bytes that lie two blocks apart: packed by memcpy on both
 * sides; as one MPI_Type_create_hindexed; and as one MPI_Type_create_struct whose blocks lie in two
 * buffers in turn, as in alltoall bruck_zerocopy. The median of the slower rank's times, in
 * microseconds, interleaved. The choice in src/nbc/run/wire.c (PACK_LIMIT) comes from here.
 */
#include "stats.h"
#include "subcommands.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 200 };

static void exchange(void *out, MPI_Datatype out_type, void *in, MPI_Datatype in_type, int count,
                     int other)
{
    MPI_Request r[2];

    MPI_Irecv(in, count, in_type, other, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, count, out_type, other, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void run_packed(char *out, char *in, char *pack, int n, int size, int other)
{
    char *got = pack + (size_t)n * (size_t)size;

    for (int i = 0; i < n; i++)
        memcpy(pack + (size_t)i * (size_t)size, out + 2 * (size_t)i * (size_t)size, (size_t)size);
    exchange(pack, MPI_BYTE, got, MPI_BYTE, n * size, other);
    for (int i = 0; i < n; i++)
        memcpy(in + 2 * (size_t)i * (size_t)size, got + (size_t)i * (size_t)size, (size_t)size);
}

enum { PACKED, HINDEXED, STRUCT, WAYS };

/* Blocks at base, and odd ones in the other buffer if there is one. */
static MPI_Datatype make_type(int n, int size, const char *base, const char *other)
{
    MPI_Aint *at = malloc((size_t)n * sizeof *at);
    int *lengths = malloc((size_t)n * sizeof *lengths);
    MPI_Datatype type, *parts = malloc((size_t)n * sizeof(MPI_Datatype));

    for (int i = 0; i < n; i++) {
        at[i] = 2 * (MPI_Aint)i * size + (other && i % 2 ? (MPI_Aint)(other - base) : 0);
        lengths[i] = size;
        parts[i] = MPI_BYTE;
    }
    if (other)
        MPI_Type_create_struct(n, lengths, at, parts, &type);
    else
        MPI_Type_create_hindexed(n, lengths, at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    free(parts);
    free(lengths);
    free(at);
    return type;
}

typedef struct buffers {
    size_t bytes;
    char *out, *in, *pack;
    MPI_Datatype hindexed, out_struct, in_struct;
} buffers;

/* The second half of `out` and of `in` is the other buffer. */
static void open_buffers(buffers *b, int n, int size)
{
    b->bytes = 2 * (size_t)n * (size_t)size;
    b->out = calloc(b->bytes, 2);
    b->in = calloc(b->bytes, 2);
    b->pack = calloc(b->bytes, 1);
    b->hindexed = make_type(n, size, b->out, NULL);
    b->out_struct = make_type(n, size, b->out, b->out + b->bytes);
    b->in_struct = make_type(n, size, b->in, b->in + b->bytes);
}

static void close_buffers(buffers *b)
{
    MPI_Type_free(&b->hindexed);
    MPI_Type_free(&b->out_struct);
    MPI_Type_free(&b->in_struct);
    free(b->pack);
    free(b->in);
    free(b->out);
}

static double time_one(const buffers *b, int way, int n, int size, int other, int seed)
{
    double begin;

    memset(b->out, seed, 2 * b->bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    if (way == PACKED)
        run_packed(b->out, b->in, b->pack, n, size, other);
    else if (way == HINDEXED)
        exchange(b->out, b->hindexed, b->in, b->hindexed, 1, other);
    else
        exchange(b->out, b->out_struct, b->in, b->in_struct, 1, other);
    return MPI_Wtime() - begin;
}

static void measure(int n, int size, int rank)
{
    double times[WAYS][REPETITIONS], t[WAYS];
    buffers b;

    open_buffers(&b, n, size);
    for (int k = -5; k < REPETITIONS; k++)
        for (int i = 0; i < WAYS; i++) {
            int way = (i + k + WAYS * 2) % WAYS;
            double one = time_one(&b, way, n, size, 1 - rank, k);
            if (k >= 0)
                times[way][k] = one;
        }
    MPI_Allreduce(MPI_IN_PLACE, times, WAYS * REPETITIONS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int way = 0; way < WAYS; way++)
        t[way] = 1e6 * median(times[way], REPETITIONS);
    if (rank == 0)
        printf("%6d %8d %9d %10.2f %10.2f %10.2f %9.2f %8.2f\n", n, size, n * size, t[PACKED],
               t[HINDEXED], t[STRUCT], t[PACKED] / t[HINDEXED], t[PACKED] / t[STRUCT]);
    close_buffers(&b);
}

int bench_blocks(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        if (rank == 0)
            fprintf(stderr, "tutti-bench blocks: run on 2 ranks\n");
        MPI_Finalize();
        return 2;
    }
    if (rank == 0)
        printf(
            "# blocks    bytes     total  packed us   hindexed     struct  pack/hind  pack/str\n");
    for (int n = 2; n <= 128; n *= 8)
        for (int bytes = 8; bytes <= 1 << 17; bytes *= 4)
            if ((long)n * bytes <= 1 << 21)
                measure(n, bytes, rank);
    MPI_Finalize();
    return 0;
}
