/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_faults_reduce.c - as plain_faults.c: reductions. */
#include "mpi_test.h"

#include <stdlib.h>

enum { NUMBERS = 1000 };

static long *numbers_of(int rank)
{
    long *x = malloc(NUMBERS * sizeof *x);

    for (int i = 0; i < NUMBERS; i++)
        x[i] = rank + 1;
    return x;
}

static void check_numbers(const long *x, int n, long expected_value)
{
    int wrong = 0;

    for (int i = 0; i < n; i++)
        wrong += x[i] != expected_value;
    CHECK(wrong == 0);
}

static void reduce_in_place_to_the_last_rank(void)
{
    int last = world_size - 1;
    long *x = numbers_of(world_rank);

    MPI_Reduce(world_rank == last ? MPI_IN_PLACE : x, world_rank == last ? x : NULL, NUMBERS,
               MPI_LONG, MPI_SUM, last, MPI_COMM_WORLD);
    if (world_rank == last)
        check_numbers(x, NUMBERS, world_size * (world_size + 1) / 2);
    free(x);
}

static void exscan_without_a_result_at_rank_0(void)
{
    long *x = numbers_of(world_rank), *y = world_rank == 0 ? NULL : numbers_of(0);

    MPI_Exscan(x, y, NUMBERS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank > 0)
        check_numbers(y, NUMBERS, world_rank * (world_rank + 1) / 2);
    free(y);
    free(x);
}

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

static void reduce_scatter_block_of_functions_with_gaps(void)
{
    size_t all = 3 * (size_t)world_size * NUMBERS;
    long *in = calloc(all, sizeof *in), *out = calloc(all, sizeof *out);
    int sum = world_size * (world_size + 1) / 2, wrong = 0;
    MPI_Datatype type, gap;
    MPI_Op op;

    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){0, 2}, MPI_LONG, &gap);
    MPI_Type_create_resized(gap, 0, 3 * sizeof(long), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    for (size_t i = 0; i < all; i += 3) { /* x + 1 and so on: the last of the ranks counts */
        in[i] = 1;
        in[i + 2] = world_rank + 1;
    }
    MPI_Reduce_scatter_block(in, out, NUMBERS, type, op, MPI_COMM_WORLD);
    for (int i = 0; i < 3 * NUMBERS; i += 3)
        wrong += out[i] != 1 || out[i + 2] != sum;
    CHECK(wrong == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Type_free(&gap);
    free(out);
    free(in);
}

/* Behind the numbers of all ranks there is something that is not the call's. */
static void reduce_scatter_block_in_place_stays_in_its_buffer(void)
{
    enum { BEHIND = 64 };
    size_t all = (size_t)world_size * NUMBERS;
    long *x = calloc(all + BEHIND, sizeof *x);

    for (size_t i = 0; i < all; i++)
        x[i] = world_rank + 1;
    MPI_Reduce_scatter_block(MPI_IN_PLACE, x, NUMBERS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    check_numbers(x, NUMBERS, world_size * (world_size + 1) / 2);
    check_numbers(x + all, BEHIND, 0);
    free(x);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(reduce_in_place_to_the_last_rank),
        MPI_TEST(exscan_without_a_result_at_rank_0),
        MPI_TEST(reduce_scatter_block_of_functions_with_gaps),
        MPI_TEST(reduce_scatter_block_in_place_stays_in_its_buffer),
    };

    return mpi_test_main(argc, argv, "plain_faults_reduce", tests, sizeof tests / sizeof *tests);
}
