/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_faults.c - legal blocking calls that some version of an MPI alone gets wrong
 * (src/tune/native.c): no constants may leave them to the MPI. tests/native_faults runs each by
 * itself, without Tutti, and says what the MPI at hand does. */
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

enum { RECORDS = 3000 };

/* Of all ranks: [world_size * RECORDS]. */
typedef struct records {
    record *mine, *got;
    size_t bytes;
    MPI_Datatype type;
} records;

static records records_open(void)
{
    size_t all = (size_t)world_size * RECORDS;
    records r = {calloc(all, sizeof(record)), calloc(all, sizeof(record)), all * sizeof(record),
                 record_type()};

    for (size_t i = 0; i < all; i++)
        r.mine[i] = expected(world_rank, (int)i);
    memcpy(r.got, r.mine, r.bytes);
    return r;
}

static void records_close(records *r)
{
    MPI_Type_free(&r->type);
    free(r->got);
    free(r->mine);
}

static void gather_of_structs_with_gaps(void)
{
    records r = records_open();

    for (int root = 0; root<world_size; root += world_size> 1 ? world_size - 1 : 1) {
        memset(r.got, 0, r.bytes);
        CHECK(MPI_Gather(r.mine, RECORDS, r.type, r.got, RECORDS, r.type, root, MPI_COMM_WORLD) ==
              MPI_SUCCESS);
        if (world_rank == root)
            check_records(r.got, RECORDS, -1, 0);
    }
    records_close(&r);
}

static void scatter_of_structs_with_gaps(void)
{
    records r = records_open();

    for (int root = 0; root<world_size; root += world_size> 1 ? world_size - 1 : 1) {
        memset(r.got, 0, r.bytes);
        CHECK(MPI_Scatter(r.mine, RECORDS, r.type, r.got, RECORDS, r.type, root, MPI_COMM_WORLD) ==
              MPI_SUCCESS);
        check_records(r.got, RECORDS, root, world_rank * RECORDS);
    }
    records_close(&r);
}

static void alltoall_of_structs_with_gaps_in_place(void)
{
    records r = records_open();

    CHECK(MPI_Alltoall(MPI_IN_PLACE, 0, r.type, r.got, RECORDS, r.type, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    check_records(r.got, RECORDS, -1, world_rank * RECORDS);
    records_close(&r);
}

static void alltoallv_of_structs_with_gaps_in_place(void)
{
    records r = records_open();
    int *counts = calloc(2 * (size_t)world_size, sizeof *counts), *displs = counts + world_size;

    for (int q = 0; q < world_size; q++) {
        counts[q] = RECORDS;
        displs[q] = q * RECORDS;
    }
    CHECK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, r.type, r.got, counts, displs, r.type,
                        MPI_COMM_WORLD) == MPI_SUCCESS);
    check_records(r.got, RECORDS, -1, world_rank * RECORDS);
    free(counts);
    records_close(&r);
}

static void alltoallw_of_structs_with_gaps_in_place(void)
{
    records r = records_open();
    int *counts = calloc(2 * (size_t)world_size, sizeof *counts), *displs = counts + world_size;
    MPI_Datatype *types = calloc((size_t)world_size, sizeof(MPI_Datatype));

    for (int q = 0; q < world_size; q++) {
        counts[q] = RECORDS;
        displs[q] = q * RECORDS * (int)sizeof(record);
        types[q] = r.type;
    }
    CHECK(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, r.got, counts, displs, types,
                        MPI_COMM_WORLD) == MPI_SUCCESS);
    check_records(r.got, RECORDS, -1, world_rank * RECORDS);
    free(types);
    free(counts);
    records_close(&r);
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

static void allgatherv_with_types_of_each_rank(void)
{
    gather_to_all(480);
    gather_to_all(24000);
    gather_to_all(480000);
}

/* ---- columns, whose elements lie between each other ---- */

enum { ROWS = 4, COLUMNS = 6, MOST = 16 };

/* Element (i, j) of rank q. */
static double element(int q, int i, int j)
{
    return 1000 * q + 100 * i + j;
}

static MPI_Datatype column_type(double m[ROWS][MOST])
{
    MPI_Datatype vector, column;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < MOST; j++)
            m[i][j] = element(world_rank, i, j);
    MPI_Type_vector(ROWS, 1, MOST, MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(double), &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&vector);
    return column;
}

static void gather_of_columns(void)
{
    double m[ROWS][MOST], flat[ROWS * MOST * MOST];
    MPI_Datatype column;
    int wrong = 0;

    if (world_size > MOST)
        return;
    column = column_type(m);
    for (int root = 0; root < world_size && root < 2; root++) {
        CHECK(MPI_Gather(m, COLUMNS, column, flat, ROWS * COLUMNS, MPI_DOUBLE, root,
                         MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int q = 0; q < world_size && world_rank == root; q++)
            for (int k = 0; k < ROWS * COLUMNS; k++)
                wrong += flat[q * ROWS * COLUMNS + k] != element(q, k % ROWS, k / ROWS);
    }
    CHECK(wrong == 0);
    MPI_Type_free(&column);
}

static void alltoall_of_columns(void)
{
    double m[ROWS][MOST], flat[ROWS * MOST];
    MPI_Datatype column;
    int wrong = 0;

    if (world_size > MOST)
        return;
    column = column_type(m);
    CHECK(MPI_Alltoall(m, 1, column, flat, ROWS, MPI_DOUBLE, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int q = 0; q < world_size; q++)
        for (int k = 0; k < ROWS; k++)
            wrong += flat[q * ROWS + k] != element(q, k, world_rank);
    CHECK(wrong == 0);
    MPI_Type_free(&column);
}

/* ---- no bytes at all: by a count of 0 on some ranks, by an empty type on others ---- */

static void scatter_of_nothing(void)
{
    MPI_Datatype empty = bytes_type(0);
    int x[8] = {0}, y[8] = {0};

    MPI_Scatter(x, 0, MPI_INT, y, 7, empty, 0, MPI_COMM_WORLD);
    MPI_Type_free(&empty);
}

static void gather_of_nothing(void)
{
    MPI_Datatype empty = bytes_type(0);
    int x[8] = {0}, y[8] = {0};

    MPI_Gather(x, 5, empty, y, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Type_free(&empty);
}

static void bcast_of_nothing(void)
{
    MPI_Datatype empty = bytes_type(0);
    bool first = world_rank == 0;
    int x[8] = {0};

    MPI_Bcast(x, first ? 0 : 7, first ? MPI_INT : empty, 0, MPI_COMM_WORLD);
    MPI_Type_free(&empty);
}

static void alltoall_of_nothing(void)
{
    MPI_Datatype empty = bytes_type(0);
    bool first = world_rank == 0;
    int x[8] = {0}, y[8] = {0};

    MPI_Alltoall(x, first ? 7 : 0, first ? empty : MPI_INT, y, first ? 0 : 7,
                 first ? MPI_INT : empty, MPI_COMM_WORLD);
    MPI_Type_free(&empty);
}

static void collectives_of_nothing_at_null(void)
{
    MPI_Datatype empty = bytes_type(0);

    MPI_Allgather(NULL, 5, empty, NULL, 5, empty, MPI_COMM_WORLD);
    MPI_Alltoall(NULL, 5, empty, NULL, 5, empty, MPI_COMM_WORLD);
    MPI_Type_free(&empty);
}

static void alltoallv_of_nothing_at_one_address(void)
{
    int *zeros = calloc((size_t)world_size, sizeof *zeros);

    CHECK(MPI_Alltoallv(zeros, zeros, zeros, MPI_INT, zeros, zeros, zeros, MPI_INT,
                        MPI_COMM_WORLD) == MPI_SUCCESS);
    free(zeros);
}

static void alltoallw_of_nothing_at_one_address(void)
{
    int *zeros = calloc((size_t)world_size, sizeof *zeros);
    MPI_Datatype *types = calloc((size_t)world_size, sizeof(MPI_Datatype));

    for (int i = 0; i < world_size; i++)
        types[i] = MPI_INT;
    CHECK(MPI_Alltoallw(zeros, zeros, zeros, types, zeros, zeros, zeros, types, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    free(types);
    free(zeros);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(gather_of_structs_with_gaps),
        MPI_TEST(scatter_of_structs_with_gaps),
        MPI_TEST(alltoall_of_structs_with_gaps_in_place),
        MPI_TEST(alltoallv_of_structs_with_gaps_in_place),
        MPI_TEST(alltoallw_of_structs_with_gaps_in_place),
        MPI_TEST(allgatherv_with_types_of_each_rank),
        MPI_TEST(gather_of_columns),
        MPI_TEST(alltoall_of_columns),
        MPI_TEST(scatter_of_nothing),
        MPI_TEST(gather_of_nothing),
        MPI_TEST(bcast_of_nothing),
        MPI_TEST(alltoall_of_nothing),
        MPI_TEST(collectives_of_nothing_at_null),
        MPI_TEST(alltoallv_of_nothing_at_one_address),
        MPI_TEST(alltoallw_of_nothing_at_one_address),
    };

    return mpi_test_main(argc, argv, "plain_faults", tests, sizeof tests / sizeof *tests);
}
