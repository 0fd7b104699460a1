/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_faults.c - legal calls that MPICH 4.0.2 or Open MPI 4.1.4 alone get wrong
 * (src/tune/native.c): no constants may leave them to the MPI. */
#include "mpi_test.h"

#include <stdlib.h>
#include <string.h>

/* ---- structs with a gap ---- */

typedef struct record {
    int number;
    double value;
} record;

static MPI_Datatype record_type(void)
{
    int one[] = {1, 1};
    MPI_Aint at[] = {offsetof(record, number), offsetof(record, value)};
    MPI_Datatype basic[] = {MPI_INT, MPI_DOUBLE}, type;

    MPI_Type_create_struct(2, one, at, basic, &type);
    MPI_Type_commit(&type);
    return type;
}

static record expected(int rank, int i)
{
    return (record){.number = rank * 1000 + i, .value = rank + i / 8.0};
}

static bool is_right(const record *got, int rank, int i)
{
    record r = expected(rank, i);

    return got->number == r.number && got->value == r.value;
}

/* Block q of `got` is of rank q, or all are of `root`: elements from `first` on. */
static void check_records(const record *got, int n, int root, int first)
{
    int wrong = 0;

    for (int q = 0; q < (root < 0 ? world_size : 1); q++)
        for (int i = 0; i < n; i++)
            wrong += !is_right(&got[q * n + i], root < 0 ? q : root, first + i);
    CHECK(wrong == 0);
}

static void structs_with_gaps(void)
{
    enum { N = 3000 };
    size_t all = (size_t)world_size * N;
    record *mine = calloc(all, sizeof *mine), *got = calloc(all, sizeof *got);
    MPI_Datatype type = record_type();
    int last = world_size - 1;

    for (size_t i = 0; i < all; i++)
        mine[i] = expected(world_rank, (int)i);
    for (int root = 0; root <= last; root += last > 0 ? last : 1) {
        memset(got, 0, all * sizeof *got);
        CHECK(MPI_Gather(mine, N, type, got, N, type, root, MPI_COMM_WORLD) == MPI_SUCCESS);
        if (world_rank == root)
            check_records(got, N, -1, 0);
        memset(got, 0, all * sizeof *got);
        CHECK(MPI_Scatter(mine, N, type, got, N, type, root, MPI_COMM_WORLD) == MPI_SUCCESS);
        check_records(got, N, root, world_rank * N);
    }
    memcpy(got, mine, all * sizeof *got);
    CHECK(MPI_Alltoall(MPI_IN_PLACE, 0, type, got, N, type, MPI_COMM_WORLD) == MPI_SUCCESS);
    check_records(got, N, -1, world_rank * N);
    MPI_Type_free(&type);
    free(got);
    free(mine);
}

/* ---- equal signatures, other types ---- */

static MPI_Datatype bytes_type(int n)
{
    MPI_Datatype type;

    MPI_Type_contiguous(n, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Blocks of n bytes, a multiple of 240. */
static void gather_to_all(int n)
{
    static const int lengths[] = {1, 24, 8, 80, 3, 240, 16, 5};
    int a = lengths[world_rank % 8], b = lengths[(world_rank * 3 + 1) % 8], wrong = 0;
    int *counts = calloc(2 * (size_t)world_size, sizeof *counts), *displs = counts + world_size;
    unsigned char *mine = malloc((size_t)n), *got = calloc((size_t)world_size, (size_t)n);
    MPI_Datatype sent = bytes_type(a), received = bytes_type(b);

    memset(mine, world_rank + 1, (size_t)n);
    for (int q = 0; q < world_size; q++) {
        counts[q] = n / b;
        displs[q] = q * (n / b);
    }
    CHECK(MPI_Allgatherv(mine, n / a, sent, got, counts, displs, received, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    for (int q = 0; q < world_size; q++)
        for (int i = 0; i < n; i++)
            wrong += got[q * n + i] != q + 1;
    CHECK(wrong == 0);
    MPI_Type_free(&sent);
    MPI_Type_free(&received);
    free(got);
    free(mine);
    free(counts);
}

static void ranks_with_types_of_their_own(void)
{
    gather_to_all(480);
    gather_to_all(24000);
    gather_to_all(480000);
}

/* ---- columns, whose elements lie between each other ---- */

static void columns(void)
{
    enum { ROWS = 4, COLUMNS = 6, MOST = 16 };
    double m[ROWS][MOST], flat[ROWS * MOST * MOST];
    MPI_Datatype vector, column;
    int wrong = 0;

    if (world_size > MOST)
        return;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < MOST; j++)
            m[i][j] = 1000 * world_rank + 100 * i + j;
    MPI_Type_vector(ROWS, 1, MOST, MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(double), &column);
    MPI_Type_commit(&column);
    for (int root = 0; root < world_size && root < 2; root++) {
        CHECK(MPI_Gather(m, COLUMNS, column, flat, ROWS * COLUMNS, MPI_DOUBLE, root,
                         MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int q = 0; q < world_size && world_rank == root; q++)
            for (int k = 0; k < ROWS * COLUMNS; k++)
                wrong += flat[q * ROWS * COLUMNS + k] != 1000 * q + 100 * (k % ROWS) + k / ROWS;
    }
    CHECK(MPI_Alltoall(m, 1, column, flat, ROWS, MPI_DOUBLE, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int q = 0; q < world_size; q++)
        for (int k = 0; k < ROWS; k++)
            wrong += flat[q * ROWS + k] != 1000 * q + 100 * k + world_rank;
    CHECK(wrong == 0);
    MPI_Type_free(&column);
    MPI_Type_free(&vector);
}

/* ---- no bytes at all ---- */

static void nothing(void)
{
    int x[8] = {0}, y[8] = {0}, zeros[64] = {0};
    bool first = world_rank == 0;
    MPI_Datatype empty = bytes_type(0);

    if (world_size > 64)
        return;
    MPI_Scatter(x, 0, MPI_INT, y, 7, empty, 0, MPI_COMM_WORLD);
    MPI_Gather(x, 5, empty, y, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(x, first ? 0 : 7, first ? MPI_INT : empty, 0, MPI_COMM_WORLD);
    MPI_Alltoall(x, first ? 7 : 0, first ? empty : MPI_INT, y, first ? 0 : 7,
                 first ? MPI_INT : empty, MPI_COMM_WORLD);
    MPI_Allgather(NULL, 5, empty, NULL, 5, empty, MPI_COMM_WORLD);
    MPI_Alltoall(NULL, 5, empty, NULL, 5, empty, MPI_COMM_WORLD);
    MPI_Alltoallv(NULL, zeros, zeros, MPI_INT, NULL, zeros, zeros, MPI_INT, MPI_COMM_WORLD);
    MPI_Type_free(&empty);
}

/* ---- reductions ---- */

/* (a, b) of x -> a x + b, one after the other; the second word of three is a gap. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    long *f = in, *g = inout;

    (void)type;
    for (int i = 0; i < 3 * *n; i += 3) {
        g[i + 2] += g[i] * f[i + 2];
        g[i] *= f[i];
    }
}

static void reductions(void)
{
    enum { N = 1000 };
    size_t all = (size_t)world_size * N;
    long *in = calloc(3 * all, sizeof *in), *out = calloc(3 * all, sizeof *out);
    int sum = world_size * (world_size + 1) / 2, last = world_size - 1, wrong = 0;
    MPI_Datatype type, gap;
    MPI_Op op;

    for (int i = 0; i < N; i++)
        in[i] = out[i] = world_rank + 1;
    MPI_Reduce(world_rank == last ? MPI_IN_PLACE : in, out, N, MPI_LONG, MPI_SUM, last,
               MPI_COMM_WORLD);
    for (int i = 0; i < N && world_rank == last; i++)
        wrong += out[i] != sum;
    MPI_Exscan(in, world_rank == 0 ? NULL : out, N, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N && world_rank > 0; i++)
        wrong += out[i] != world_rank * (world_rank + 1) / 2;

    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){0, 2}, MPI_LONG, &gap);
    MPI_Type_create_resized(gap, 0, 3 * sizeof(long), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    for (size_t i = 0; i < 3 * all; i += 3) { /* x + 1 and so on: the last of the ranks counts */
        in[i] = 1;
        in[i + 2] = world_rank + 1;
    }
    MPI_Reduce_scatter_block(in, out, N, type, op, MPI_COMM_WORLD);
    for (int i = 0; i < 3 * N; i += 3)
        wrong += out[i] != 1 || out[i + 2] != sum;
    CHECK(wrong == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Type_free(&gap);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(structs_with_gaps), MPI_TEST(ranks_with_types_of_their_own),
        MPI_TEST(columns),           MPI_TEST(nothing),
        MPI_TEST(reductions),
    };

    return mpi_test_main(argc, argv, "plain_faults", tests, sizeof tests / sizeof *tests);
}
