/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_alike.c - what a rank has called before must not count in what it decides about a call:
 * others may have called something else, or have other handles. */
#include "mpi/mpi_test.h"

#include <stdlib.h>

enum { SIZE = sizeof(int) };

static void add(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)to)[i] += ((int *)from)[i];
}

static void keep_left(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)to)[i] = ((int *)from)[i];
}

/* ---- communicators of the same shape ---- */

static void sum(MPI_Comm comm, int n)
{
    int *from = malloc((size_t)n * SIZE), *to = malloc((size_t)n * SIZE), p, wrong = 0;
    MPI_Request r;

    MPI_Comm_size(comm, &p);
    for (int i = 0; i < n; i++)
        from[i] = i;
    CHECK(MPI_Iallreduce(from, to, n, MPI_INT, MPI_SUM, comm, &r) == MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < n; i++)
        wrong += to[i] != p * i;
    CHECK(wrong == 0);
    free(from);
    free(to);
}

static void scatter_sum(MPI_Comm comm, int n, MPI_Op op)
{
    int *from = malloc((size_t)(2 * n) * SIZE), *to = malloc((size_t)n * SIZE), me, wrong = 0;
    MPI_Request r;

    MPI_Comm_rank(comm, &me);
    for (int i = 0; i < 2 * n; i++)
        from[i] = i;
    CHECK(MPI_Ireduce_scatter_block(from, to, n, MPI_INT, op, comm, &r) == MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < n; i++)
        wrong += to[i] != me * n + i;
    CHECK(wrong == 0);
    free(from);
    free(to);
}

/* Ranks 0 and 1, then 1 and 2, as many bytes of nearly the same size: where a limit is. */
static void pairs_with_one_rank_in_common(void)
{
    MPI_Comm low, high;
    MPI_Op op;

    if (world_size < 3)
        return;
    MPI_Op_create(keep_left, 0, &op);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank < 2 ? 0 : MPI_UNDEFINED, 0, &low);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 1 || world_rank == 2 ? 0 : MPI_UNDEFINED, 0,
                   &high);
    for (int n = 8; n <= 1 << 18; n *= 2)
        for (int more = 0; more < 2; more++) {
            mpi_test_context("%d and %d numbers", n + more, n + 1 - more);
            if (low != MPI_COMM_NULL) {
                sum(low, n + more);
                scatter_sum(low, n + more, op);
            }
            if (high != MPI_COMM_NULL) {
                sum(high, n + 1 - more);
                scatter_sum(high, n + 1 - more, op);
            }
        }
    if (low != MPI_COMM_NULL)
        MPI_Comm_free(&low);
    if (high != MPI_COMM_NULL)
        MPI_Comm_free(&high);
    MPI_Op_free(&op);
}

/* ---- handles of operations ---- */

static void scatter(int n, MPI_Op op, bool adds)
{
    int *from = malloc((size_t)(world_size * n) * SIZE), *to = malloc((size_t)n * SIZE), wrong = 0;
    int ranks = world_size * (world_size - 1) / 2;

    for (int i = 0; i < world_size * n; i++)
        from[i] = 1000 * world_rank + i;
    CHECK(MPI_Reduce_scatter_block(from, to, n, MPI_INT, op, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < n; i++) {
        int at = world_rank * n + i;
        wrong += to[i] != (adds ? 1000 * ranks + world_size * at : at);
    }
    CHECK(wrong == 0);
    free(from);
    free(to);
}

/* An MPI gives the handle of the operation that was freed to the next one: on rank 1 that is not
 * the one of the call. Who serves a call may depend on whether the operation commutes. */
static void an_operation_with_the_handle_of_another_one(void)
{
    for (int n = 64; n <= 16384; n *= 2)
        for (int commutes = 1; commutes >= 0; commutes--) {
            MPI_Op one, between = MPI_OP_NULL, other;
            mpi_test_context("%d numbers, first %d", n, commutes);
            MPI_Op_create(commutes ? add : keep_left, commutes, &one);
            scatter(n, one, commutes);
            scatter(n, one, commutes);
            MPI_Op_free(&one);
            if (world_rank == 1)
                MPI_Op_create(add, 1, &between);
            MPI_Op_create(commutes ? keep_left : add, !commutes, &other);
            scatter(n, other, !commutes);
            scatter(n, other, !commutes);
            MPI_Op_free(&other);
            if (world_rank == 1)
                MPI_Op_free(&between);
        }
}

/* ---- in place on one rank ---- */

enum { PART = 10 };

static int reduced(int kind, const void *from, int *to, const int *counts, MPI_Comm comm)
{
    switch (kind) {
    case 0:
        return MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, comm);
    case 1:
        return MPI_Reduce_scatter_block(from, to, PART, MPI_INT, MPI_SUM, comm);
    case 2:
        return MPI_Scan(from, to, PART, MPI_INT, MPI_SUM, comm);
    default:
        return MPI_Exscan(from, to, PART, MPI_INT, MPI_SUM, comm);
    }
}

/* What rank i gets of it: the sum of the parts of all ranks, or of those before it. */
static int expected(int kind, int item, int turn)
{
    int ranks = kind < 2 ? world_size : kind == 2 ? world_rank + 1 : world_rank;
    int at = kind < 2 ? world_rank * PART + item : item;

    return ranks * (ranks - 1) / 2 + ranks * (at + turn);
}

/* Legal where MPI does not say "at all processes". The others cannot know. */
static void one_rank_gives_in_place(void)
{
    int *from = malloc((size_t)(world_size * PART) * SIZE),
        *to = malloc((size_t)(world_size * PART) * SIZE);
    int *counts = malloc((size_t)world_size * SIZE);
    MPI_Comm dup;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    for (int i = 0; i < world_size; i++)
        counts[i] = PART;
    for (int call = 0; call < 8 * 60; call++) {
        int kind = call % 4, turn = call / 8, wrong = 0;

        for (int i = 0; i < world_size * PART; i++)
            from[i] = to[i] = world_rank + i + turn;
        CHECK(reduced(kind, world_rank == 0 ? MPI_IN_PLACE : (void *)from, to, counts,
                      call / 4 % 2 ? dup : MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < PART && (kind < 3 || world_rank > 0); i++)
            wrong += to[i] != expected(kind, i, turn);
        mpi_test_context("call %d of kind %d", turn, kind);
        CHECK(wrong == 0);
    }
    MPI_Comm_free(&dup);
    free(from);
    free(to);
    free(counts);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(pairs_with_one_rank_in_common),
        MPI_TEST(an_operation_with_the_handle_of_another_one),
        MPI_TEST(one_rank_gives_in_place),
    };

    return mpi_test_main(argc, argv, "plain_alike", tests, sizeof tests / sizeof *tests);
}
