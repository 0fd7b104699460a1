/* SPDX-License-Identifier: BSD-3-Clause */
/* test_unusual_types.c - types and operations that programs seldom use: blocks in another order
 * than in memory, elements that interleave or lie one below the other, types of Fortran's kinds,
 * functions that look at the type they get.
 */
#include "mpi/mpi_test.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

typedef int bcast(void *, int, MPI_Datatype, int, MPI_Comm);
typedef int allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

static bcast *const cutting[] = {MPIX_Bcast_scatter_allgather, MPIX_Bcast_chain,
                                 MPIX_Bcast_circulant, MPIX_Bcast_two_tree};
static allreduce *const reductions[] = {MPIX_Allreduce_recursive_doubling, MPIX_Allreduce_auto};

/* ---- bcast ---- */

/* Two ints, the second one first: the others receive plain ints. */
static void check_permuted(bcast *cut)
{
    enum { N = 5000 };
    int lengths[] = {1, 1}, at[] = {1, 0}, *a = malloc(2 * N * sizeof *a), wrong = 0;
    MPI_Datatype swapped;

    MPI_Type_indexed(2, lengths, at, MPI_INT, &swapped);
    MPI_Type_commit(&swapped);
    for (int root = 0; root < world_size; root++) {
        bool here = world_rank == root;
        for (int i = 0; i < 2 * N; i++)
            a[i] = here ? i : -1;
        CHECK(cut(a, here ? N : 2 * N, here ? swapped : MPI_INT, root, MPI_COMM_WORLD) ==
              MPI_SUCCESS);
        for (int i = 0; i < 2 * N; i++)
            wrong += a[i] != (here ? i : i ^ 1);
    }
    CHECK(wrong == 0);
    MPI_Type_free(&swapped);
    free(a);
}

static void parts_of_a_permuted_type_arrive_in_the_order_of_the_data(void)
{
    for (size_t i = 0; i < sizeof cutting / sizeof *cutting; i++)
        check_permuted(cutting[i]);
}

/* ---- reductions ---- */

static int reduce_binomial(const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm c)
{
    return MPIX_Reduce_binomial(s, r, n, type, op, world_size - 1, c);
}

/* The numbers 1, 2, ... of the ranks that come to me, added up. */
static int sum_of(allreduce *f)
{
    int last = f == MPIX_Scan_auto ? world_rank : world_size - 1;

    if (f == MPIX_Exscan_auto)
        last = world_rank - 1;
    if (f == reduce_binomial && world_rank != world_size - 1)
        last = -1;
    return (last + 1) * (last + 2) / 2;
}

enum { COLUMNS = 90, WIDTH = 100 };

static void add_columns(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) {
        ((int *)to)[i] += ((int *)from)[i];
        ((int *)to)[i + WIDTH] += ((int *)from)[i + WIDTH];
    }
}

/* Columns of a matrix of two rows, resized to one number. */
static void vectors_of_interleaved_elements_do_not_meet_in_scratch(void)
{
    static allreduce *const all[] = {MPIX_Allreduce_recursive_doubling, MPIX_Allreduce_auto,
                                     reduce_binomial, MPIX_Scan_auto, MPIX_Exscan_auto};
    int a[2 * WIDTH], b[2 * WIDTH], wrong = 0;
    MPI_Datatype column, resized;
    MPI_Op op;

    MPI_Type_vector(2, 1, WIDTH, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &resized);
    MPI_Type_commit(&resized);
    MPI_Op_create(add_columns, 1, &op);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        int sum = sum_of(all[k]);
        for (int i = 0; i < 2 * WIDTH; i++) {
            a[i] = i * (world_rank + 1);
            b[i] = -1;
        }
        CHECK(all[k](a, b, COLUMNS, resized, op, MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < 2 * WIDTH; i++)
            wrong += b[i] != (i % WIDTH < COLUMNS && sum > 0 ? i * sum : -1);
    }
    CHECK(wrong == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&resized);
    MPI_Type_free(&column);
}

/* The same columns, some for each rank. */
static void blocks_of_interleaved_elements_are_scattered(void)
{
    static allreduce *const all[] = {
        MPIX_Reduce_scatter_block_circulant, MPIX_Reduce_scatter_block_pairwise,
        MPIX_Reduce_scatter_block_recursive_doubling, MPIX_Reduce_scatter_block_auto};
    int a[2 * WIDTH], b[2 * WIDTH], sum = world_size * (world_size + 1) / 2, wrong = 0;
    int n = COLUMNS / world_size;
    MPI_Datatype column, resized;
    MPI_Op op;

    MPI_Type_vector(2, 1, WIDTH, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &resized);
    MPI_Type_commit(&resized);
    MPI_Op_create(add_columns, 1, &op);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        for (int i = 0; i < 2 * WIDTH; i++) {
            a[i] = i * (world_rank + 1);
            b[i] = -1;
        }
        CHECK(all[k](a, b, n, resized, op, MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < 2 * WIDTH; i++)
            wrong += b[i] != (i % WIDTH < n ? (i + world_rank * n) * sum : -1);
    }
    CHECK(wrong == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&resized);
    MPI_Type_free(&column);
}

static void add_downwards(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)to)[-2 * i] += ((int *)from)[-2 * i];
}

static void elements_may_lie_one_below_the_other(void)
{
    enum { N = 40 };
    int a[2 * N], b[2 * N], wrong = 0;
    MPI_Datatype down;
    MPI_Op op;

    MPI_Type_create_resized(MPI_INT, 0, -2 * (MPI_Aint)sizeof(int), &down);
    MPI_Type_commit(&down);
    MPI_Op_create(add_downwards, 0, &op);
    for (int i = 0; i < 2 * N; i++) {
        a[i] = i + world_rank;
        b[i] = -1;
    }
    CHECK(MPIX_Allreduce_recursive_doubling(a + 2 * N - 1, b + 2 * N - 1, N, down, op,
                                            MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < 2 * N; i++)
        wrong += b[i] != (i % 2 ? world_size * i + world_size * (world_size - 1) / 2 : -1);
    CHECK(wrong == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&down);
}

static void types_of_fortran_kinds_are_reduced(void)
{
    MPI_Datatype real;
    double a = world_rank + 1, b = -1;

    MPI_Type_create_f90_real(12, MPI_UNDEFINED, &real);
    for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++) {
        CHECK(reductions[k](&a, &b, 1, real, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
        CHECK(b == world_size * (world_size + 1) / 2.0);
    }
}

static MPI_Datatype given;
static int others;

static void look(void *from, void *to, int *n, MPI_Datatype *type)
{
    others += *type != given;
    for (int i = 0; i < 2 * *n; i++)
        ((int *)to)[i] += ((int *)from)[i];
}

/* Both freed at once; the handles that MPI gives meanwhile must be other ones. */
static void functions_get_the_type_of_the_program(void)
{
    int a[2] = {world_rank, 1}, b[2];
    MPI_Datatype mine, next;
    MPI_Request r;
    MPI_Op op, other;

    for (int turn = 0; turn < 3; turn++) {
        MPI_Type_contiguous(2, MPI_INT, &mine);
        MPI_Type_commit(&mine);
        given = mine;
        MPI_Op_create(look, 0, &op);
        CHECK(MPIX_Iallreduce_recursive_doubling(a, b, 1, mine, op, MPI_COMM_WORLD, &r) ==
              MPI_SUCCESS);
        MPI_Type_free(&mine);
        MPI_Op_free(&op);
        CHECK(mine == MPI_DATATYPE_NULL && op == MPI_OP_NULL);
        MPI_Type_contiguous(3, MPI_DOUBLE, &next);
        MPI_Op_create(add_columns, 0, &other);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Type_free(&next);
        MPI_Op_free(&other);
        CHECK(b[0] == world_size * (world_size - 1) / 2 && b[1] == world_size);
    }
    CHECK(others == 0);
}

/* MPICH gives the handle of a type that is freed to the next one. */
static void a_handle_may_come_again_for_another_type(void)
{
    enum { N = 100, MOST = 16 };
    int *a = malloc((size_t)MOST * N * sizeof *a), wrong = 0;

    for (size_t k = 0; k < sizeof cutting / sizeof *cutting; k++)
        for (int size = 1; size <= MOST; size *= 2) {
            MPI_Datatype type;
            MPI_Type_contiguous(size, MPI_INT, &type);
            MPI_Type_commit(&type);
            for (int i = 0; i < size * N; i++)
                a[i] = world_rank == 0 ? i : -1;
            CHECK(cutting[k](a, N, type, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
            for (int i = 0; i < size * N; i++)
                wrong += a[i] != i;
            MPI_Type_free(&type);
        }
    CHECK(wrong == 0);
    free(a);
}

#if MPI_VERSION >= 4
/* MPICH ends a program that asks for their envelope in the old way. */
static void types_made_with_large_counts_serve(void)
{
    enum { N = 300 };
    int *a = malloc(2 * N * sizeof *a), wrong = 0;
    MPI_Datatype pair, inner, type;

    MPI_Type_contiguous_c(2, MPI_INT, &inner);
    MPI_Type_contiguous_c(1, inner, &pair); /* a run of runs */
    MPI_Type_vector_c(N, 1, 2, MPI_INT, &type);
    MPI_Type_free(&inner);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&type);
    for (size_t k = 0; k < sizeof cutting / sizeof *cutting; k++) {
        for (int i = 0; i < 2 * N; i++)
            a[i] = world_rank == 0 ? i : -1;
        CHECK(cutting[k](a, N, pair, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < 2 * N; i++)
            wrong += a[i] != i;
        for (int i = 0; i < 2 * N; i++)
            a[i] = world_rank == 0 ? i : -1;
        CHECK(cutting[k](a, 1, type, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < 2 * N; i++)
            wrong += a[i] != (world_rank == 0 || i % 2 == 0 ? i : -1);
    }
    CHECK(wrong == 0);
    MPI_Type_free(&type);
    MPI_Type_free(&pair);
    free(a);
}
#endif

/* Items that are not where the machine would align them: a message to oneself that is longer than
 * 16 KiB is wrong in Open MPI 5.0.7. What others send does not matter here. */
static void a_block_of_unaligned_items_is_copied(void)
{
    enum { N = 3000, ITEMS = 3, EXTENT = 32 };
    int ones[ITEMS] = {1, 1, 1};
    const MPI_Aint at[ITEMS] = {0, 20, 10};
    char *all = calloc((size_t)world_size * N, EXTENT);
    double *mine = malloc(N * ITEMS * sizeof *mine), item;
    MPI_Datatype items, type;
    int wrong = 0;

    MPI_Type_create_hindexed(ITEMS, ones, at, MPI_DOUBLE, &items);
    MPI_Type_create_resized(items, 0, EXTENT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < N * ITEMS; i++)
        mine[i] = i + 1;
    CHECK(MPIX_Allgather_auto(mine, N * ITEMS, MPI_DOUBLE, all, N, type, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < ITEMS; k++) {
            memcpy(&item, all + ((size_t)world_rank * N + (size_t)i) * EXTENT + at[k], sizeof item);
            wrong += item != mine[i * ITEMS + k];
        }
    CHECK(wrong == 0);
    MPI_Type_free(&items);
    MPI_Type_free(&type);
    free(mine);
    free(all);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(parts_of_a_permuted_type_arrive_in_the_order_of_the_data),
        MPI_TEST(vectors_of_interleaved_elements_do_not_meet_in_scratch),
        MPI_TEST(blocks_of_interleaved_elements_are_scattered),
        MPI_TEST(elements_may_lie_one_below_the_other),
        MPI_TEST(types_of_fortran_kinds_are_reduced),
        MPI_TEST(functions_get_the_type_of_the_program),
        MPI_TEST(a_handle_may_come_again_for_another_type),
        MPI_TEST(a_block_of_unaligned_items_is_copied),
#if MPI_VERSION >= 4
        MPI_TEST(types_made_with_large_counts_serve),
#endif
    };

    return mpi_test_main(argc, argv, "unusual_types", tests, sizeof tests / sizeof *tests);
}
