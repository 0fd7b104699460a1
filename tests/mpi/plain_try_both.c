/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_try_both.c - many calls of each kind, more than libtutti_mpi.so needs to see whether it or
 * the MPI is faster, on several communicators, of kinds and lengths in turn, with ranks that come
 * late, other buffers, types, and calls that do not block between them. */
#include "mpi/mpi_test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 60, MOST = 5000, KINDS = 8 };

static int *mine, *all;

/* What rank r gives in the k-th call: item i. */
static int item(int r, int k, int i)
{
    return 1000 * k + 10 * r + i % 7;
}

static void check_blocks(int from, int n, int k, int p)
{
    for (int i = 0; i < p * n; i++)
        CHECK(all[i] == item(from + i / n, k, i % n));
}

static void check_sum(int n, int k, int ranks)
{
    for (int i = 0; i < n; i++)
        CHECK(all[i] == ranks * item(0, k, i) + 10 * (ranks * (ranks - 1) / 2));
}

static void reduce_or_barrier(MPI_Comm comm, int kind, int n, int k, int p, int me)
{
    if (kind == 5) {
        CHECK(MPI_Allreduce(mine, all, n, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
        check_sum(n, k, p);
    } else if (kind == 6) {
        CHECK(MPI_Scan(mine, all, n, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
        check_sum(n, k, me + 1);
    } else {
        CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
    }
}

static void call(MPI_Comm comm, int kind, int n, int k)
{
    int p, me, root;

    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    root = k % p;
    for (int i = 0; i < p * n; i++)
        mine[i] = item(me, k, i % n);
    switch (kind) {
    case 0:
        memcpy(all, mine, (size_t)n * sizeof *all);
        CHECK(MPI_Bcast(all, n, MPI_INT, root, comm) == MPI_SUCCESS);
        check_blocks(root, n, k, 1);
        break;
    case 1:
        CHECK(MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, comm) == MPI_SUCCESS);
        check_blocks(0, n, k, p);
        break;
    case 2:
        CHECK(MPI_Alltoall(mine, n, MPI_INT, all, n, MPI_INT, comm) == MPI_SUCCESS);
        check_blocks(0, n, k, p);
        break;
    case 3:
        CHECK(MPI_Gather(mine, n, MPI_INT, all, n, MPI_INT, root, comm) == MPI_SUCCESS);
        check_blocks(0, n, k, me == root ? p : 0);
        break;
    case 4:
        CHECK(MPI_Scatter(mine, n, MPI_INT, all, n, MPI_INT, root, comm) == MPI_SUCCESS);
        check_blocks(root, n, k, 1);
        break;
    default:
        reduce_or_barrier(comm, kind, n, k, p, me);
    }
}

static void something_else(MPI_Comm comm, int k)
{
    int one = world_rank, sum = 0;
    MPI_Request r;

    if (k % 5 == 1) {
        CHECK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(sum == world_size * (world_size - 1) / 2);
    }
    if (k % 20 == world_rank)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void kinds_and_lengths_in_turn(void)
{
    static const int lengths[] = {1, 300, MOST};
    MPI_Comm dup;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    mine = malloc((size_t)world_size * MOST * sizeof *mine);
    all = malloc((size_t)world_size * MOST * sizeof *all);
    for (int k = 0; k < CALLS; k++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int l = 0; l < 3; l++) {
                mpi_test_context("call %d of kind %d, %d items", k, kind, lengths[l]);
                call(MPI_COMM_WORLD, kind, lengths[l], k);
                call(dup, kind, lengths[(l + k) % 3], k);
                if (l == kind % 3)
                    something_else(k % 2 ? dup : MPI_COMM_WORLD, k);
            }
    MPI_Comm_free(&dup);
    free(mine);
    free(all);
}

/* Whoever serves them, one sum has the same bits each time. */
static void sums_are_the_same_at_every_call(void)
{
    double mine7[7], first[7], sum[7];

    for (int i = 0; i < 7; i++)
        mine7[i] = 1.0 / (3 + 7 * world_rank + i) + 1e10 * (world_rank % 2);
    for (int k = 0; k < CALLS; k++) {
        CHECK(MPI_Allreduce(mine7, k ? sum : first, 7, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) ==
              MPI_SUCCESS);
        CHECK(k == 0 || memcmp(first, sum, sizeof sum) == 0);
    }
}

/* Types that the program makes, on some ranks only; freed and made again. */
static void one_rank_has_a_type_of_its_own(void)
{
    int all6[6];

    for (int k = 0; k < CALLS; k++) {
        MPI_Datatype three = MPI_INT;
        bool own = world_rank == k % 3 % world_size;
        if (own) {
            MPI_Type_contiguous(3, MPI_INT, &three);
            MPI_Type_commit(&three);
        }
        for (int i = 0; i < 6; i++)
            all6[i] = world_rank == 0 ? k + i : -1;
        CHECK(MPI_Bcast(all6, own ? 2 : 6, three, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < 6; i++)
            CHECK(all6[i] == k + i);
        if (own)
            MPI_Type_free(&three);
    }
}

/* Communicators of one shape, one after the other: only the first one tries (check_interpose). */
static void allgathers_on(MPI_Comm comm, int calls)
{
    enum { N = 77 };
    int p, me, ours[N], *result;

    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    result = malloc((size_t)p * N * sizeof *result);
    for (int k = 0; k < calls; k++) {
        for (int i = 0; i < N; i++)
            ours[i] = item(me, k, i);
        CHECK(MPI_Allgather(ours, N, MPI_INT, result, N, MPI_INT, comm) == MPI_SUCCESS);
        for (int i = 0; i < p * N; i++)
            CHECK(result[i] == item(i / N, k, i % N));
    }
    free(result);
}

static void a_shape_that_is_known(void)
{
    MPI_Comm dup;

    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        allgathers_on(dup, CALLS);
        MPI_Comm_free(&dup);
    }
}

/* Pairs: rank 0 and 1 have found who is faster, then 1 is with one who has not. */
static void a_shape_that_one_rank_knows(void)
{
    MPI_Comm two;

    for (int first = 0; first + 1 < world_size; first++) {
        bool in = world_rank == first || world_rank == first + 1;
        MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, -world_rank, &two);
        if (in) {
            allgathers_on(two, CALLS);
            MPI_Comm_free(&two);
        }
    }
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(kinds_and_lengths_in_turn),      MPI_TEST(sums_are_the_same_at_every_call),
        MPI_TEST(one_rank_has_a_type_of_its_own), MPI_TEST(a_shape_that_is_known),
        MPI_TEST(a_shape_that_one_rank_knows),
    };

    return mpi_test_main(argc, argv, "plain_try_both", tests, sizeof tests / sizeof *tests);
}
