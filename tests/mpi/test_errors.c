/* SPDX-License-Identifier: BSD-3-Clause */
/* test_errors.c - what goes wrong besides arguments (test_arguments.c): calls after one like them,
 * counts that do not agree, sums over 64 bits, requests, info, errors while running.
 */
#include "mpi/calls.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int mine[4], *all;

static void open_buffers(void)
{
    all = calloc((size_t)world_size * 4, sizeof *all);
}

/* The communicator is still in order: a right call works after a wrong one. */
static void still_works(void)
{
    MPI_Request r = MPI_REQUEST_NULL;

    memset(all, 0, (size_t)world_size * sizeof *all);
    mine[0] = world_rank + 7;
    CHECK(MPIX_Iallgather_ring(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i + 7);
}

static int gather(const void *s, int sc, void *r, int rc, MPI_Datatype type)
{
    return MPIX_Allgather_ring(s, sc, type, r, rc, type, MPI_COMM_WORLD);
}

/* A call like the one before takes a short way: what is different about it must be seen. */
static void a_call_after_one_like_it_is_still_checked(void)
{
    for (int round = 0; round < 2; round++) {
        still_works();
        CHECK_CLASS(gather(NULL, 1, all, 1, MPI_INT), MPI_ERR_BUFFER);
        still_works();
        CHECK_CLASS(gather(mine, 1, NULL, 1, MPI_INT), MPI_ERR_BUFFER);
        CHECK(gather(mine, 1, all, 1, MPI_INT) == MPI_SUCCESS);
        CHECK_CLASS(gather(mine, 1, MPI_IN_PLACE, 1, MPI_INT), MPI_ERR_BUFFER);
        CHECK(gather(mine, 1, all, 1, MPI_INT) == MPI_SUCCESS);
        CHECK_CLASS(gather(all + world_rank, 1, all, 1, MPI_INT), MPI_ERR_BUFFER);
        CHECK(gather(mine, 1, all, 1, MPI_INT) == MPI_SUCCESS);
        CHECK_CLASS(gather(mine, 2, all, 1, MPI_INT), MPI_ERR_TRUNCATE);
        CHECK_CLASS(gather(mine, -1, all, -1, MPI_INT), MPI_ERR_COUNT);
        CHECK_CLASS(MPIX_Allgather_ring(mine, 1, MPI_INT, all, 1, MPI_SHORT, MPI_COMM_WORLD),
                    MPI_ERR_TRUNCATE);
        CHECK_CLASS(MPIX_Iallgather_ring(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, NULL),
                    MPI_ERR_ARG);
        CHECK(gather(NULL, 0, NULL, 0, MPI_INT) == MPI_SUCCESS);
        CHECK(gather(NULL, 0, NULL, 0, MPI_INT) == MPI_SUCCESS);
    }
    still_works();
}

static int sum(const void *s, void *r, int root)
{
    return MPIX_Reduce_auto(s, r, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
}

/* What counts is another thing at the root, which changes. */
static void a_call_with_a_root_after_one_like_it_is_still_checked(void)
{
    int out = -1, expected = world_size * (world_size - 1) / 2;

    mine[0] = world_rank;
    for (int i = 0; i < 3 * world_size; i++) {
        int root = i % world_size;
        bool here = world_rank == root;
        mpi_test_context("root %d", root);
        out = -1;
        CHECK(sum(mine, here ? (void *)&out : i % 2 ? NULL : mine, root) == MPI_SUCCESS);
        CHECK(out == (here ? expected : -1));
        if (here) {
            CHECK_CLASS(sum(mine, mine, root), MPI_ERR_BUFFER);
            CHECK_CLASS(sum(mine, NULL, root), MPI_ERR_BUFFER);
        } else {
            CHECK_CLASS(sum(MPI_IN_PLACE, &out, root), MPI_ERR_BUFFER);
        }
        CHECK_CLASS(sum(NULL, &out, root), MPI_ERR_BUFFER);
        CHECK_CLASS(sum(mine, &out, world_size), MPI_ERR_ROOT);
        out = world_rank;
        CHECK(sum(here ? MPI_IN_PLACE : mine, &out, root) == MPI_SUCCESS);
        CHECK(out == (here ? expected : world_rank));
    }
    still_works();
}

/* Rank 0 has more room than it sends: MPI's collectives go on, and so do ours, for the others'
 * sake; these may get less than they wait for. */
static void a_rank_whose_counts_do_not_agree_leaves_nobody_waiting(void)
{
    int room = world_rank == 0 ? 2 : 1, *wide = calloc((size_t)world_size * 2, sizeof *wide);
    int expected = world_rank == 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
    MPI_Request r;
    MPIX_Request p;

    CHECK_CLASS(MPIX_Allgather_linear(mine, 1, MPI_INT, wide, room, MPI_INT, MPI_COMM_WORLD),
                expected);
    CHECK(MPIX_Iallgather_linear(mine, 1, MPI_INT, wide, room, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), expected);
    CHECK(MPIX_Allgather_linear_init(mine, 1, MPI_INT, wide, room, MPI_INT, MPI_COMM_WORLD,
                                     MPI_INFO_NULL, &p) == MPI_SUCCESS);
    for (int start = 0; start < 3; start++) {
        CHECK(MPIX_Start(&p) == MPI_SUCCESS);
        CHECK_CLASS(MPIX_Wait(&p, MPI_STATUS_IGNORE), expected);
    }
    CHECK(MPIX_Request_free(&p) == MPI_SUCCESS);
    for (int i = 0; i < call_set_count; i++) { /* all end, with whatever error */
        call_args a = calls_ints(mine, 1, wide, MPI_COMM_WORLD);
        a.recv.count = room;
        mpi_test_context("%s", call_sets[i].algorithm);
        if (call_sets[i].kind == COLL_allgather && calls_serve(&call_sets[i], world_size, NULL) &&
            calls_start(&call_sets[i], false, &a, &r) == MPI_SUCCESS) {
            int error = MPI_Wait(&r, MPI_STATUS_IGNORE);
            CHECK(world_rank != 0 || mpi_test_class(error) == MPI_ERR_COUNT);
        }
    }
    free(wide);
    still_works();
}

/* 2^62 ints are 2^64 bytes, which 64 bits count as none. */
static void large_counts_that_no_64_bits_count_in_bytes_are_refused(void)
{
    const MPI_Count huge = (MPI_Count)1 << 62;
    MPI_Request r = MPI_REQUEST_NULL;
    MPIX_Request q = MPIX_REQUEST_NULL;

    CHECK_CLASS(MPIX_Allgather_ring_c(mine, huge, MPI_INT, all, huge, MPI_INT, MPI_COMM_WORLD),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Iallgather_ring_c(mine, huge, MPI_INT, all, huge, MPI_INT, MPI_COMM_WORLD, &r),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Allgather_ring_init_c(mine, huge, MPI_INT, all, huge, MPI_INT, MPI_COMM_WORLD,
                                           MPI_INFO_NULL, &q),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Allgather_auto_c(MPI_IN_PLACE, 0, MPI_INT, all, huge, MPI_INT, MPI_COMM_WORLD),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Alltoall_pairwise_c(mine, huge, MPI_INT, all, huge, MPI_INT, MPI_COMM_WORLD),
                MPI_ERR_COUNT);
    if (world_size > 1) /* all blocks together */
        CHECK_CLASS(
            MPIX_Allgather_ring_c(mine, huge, MPI_BYTE, all, huge, MPI_BYTE, MPI_COMM_WORLD),
            MPI_ERR_COUNT);
    CHECK(r == MPI_REQUEST_NULL && q == MPIX_REQUEST_NULL);
    still_works();
}

static void large_sums_and_displacements_are_refused(void)
{
    size_t p = (size_t)world_size;
    MPI_Count *n = malloc(p * sizeof *n);
    MPI_Aint *at = calloc(p, sizeof *at);

    for (int i = 0; i < world_size; i++)
        n[i] = (MPI_Count)1 << 62;
    if (world_size > 1) {
        CHECK_CLASS(
            MPIX_Allgatherv_ring_c(mine, n[0], MPI_BYTE, all, n, at, MPI_BYTE, MPI_COMM_WORLD),
            MPI_ERR_COUNT);
        CHECK_CLASS(
            MPIX_Alltoallv_pairwise_c(mine, n, at, MPI_BYTE, all, n, at, MPI_BYTE, MPI_COMM_WORLD),
            MPI_ERR_COUNT);
        CHECK_CLASS(MPIX_Reduce_scatter_auto_c(mine, all, n, MPI_INT8_T, MPI_SUM, MPI_COMM_WORLD),
                    MPI_ERR_COUNT);
        CHECK_CLASS(MPIX_Gatherv_auto_c(mine, 1, MPI_BYTE, all, n, at, MPI_BYTE, world_rank,
                                        MPI_COMM_WORLD),
                    MPI_ERR_COUNT);
        CHECK_CLASS(MPIX_Scatterv_auto_c(mine, n, at, MPI_BYTE, all, 1, MPI_BYTE, world_rank,
                                         MPI_COMM_WORLD),
                    MPI_ERR_COUNT);
    }
    for (int i = 0; i < world_size; i++)
        n[i] = 1;
    for (int k = 0; k < 3; k++) {
        at[p - 1] = (MPI_Aint)(k == 0 ? INT64_MAX : k == 1 ? INT64_MIN / 2 : INT64_MAX / 4 + 1);
        mpi_test_context("displacement %lld", (long long)at[p - 1]);
        CHECK_CLASS(MPIX_Allgatherv_ring_c(mine, 1, MPI_INT, all, n, at, MPI_INT, MPI_COMM_WORLD),
                    MPI_ERR_COUNT);
        CHECK_CLASS(
            MPIX_Alltoallv_pairwise_c(mine, n, at, MPI_INT, all, n, at, MPI_INT, MPI_COMM_WORLD),
            MPI_ERR_COUNT);
        n[p - 1] = 0; /* of an empty block it does not matter */
        CHECK(world_size == 1 || MPIX_Allgatherv_ring_c(mine, n[world_rank], MPI_INT, all, n, at,
                                                        MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
        n[p - 1] = 1;
    }
    free(at);
    free(n);
    still_works();
}

static void a_bad_info_value_is_refused(void)
{
    static const char *const bad[] = {"sparbitt", "ring:block", "bruck:quick", ""};
    MPIX_Request r = MPIX_REQUEST_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    for (size_t i = 0; i < sizeof bad / sizeof *bad && bad[i][0]; i++) {
        MPI_Info_set(info, "tutti_algorithm", bad[i]);
        mpi_test_context("%s", bad[i]);
        CHECK_CLASS(
            MPIX_Allgather_auto_init(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, info, &r),
            MPI_ERR_INFO_VALUE);
        CHECK(r == MPIX_REQUEST_NULL);
    }
    MPI_Info_free(&info);
    still_works();
}

static void misused_requests_are_refused_and_stay_usable(void)
{
    MPIX_Request r = MPIX_REQUEST_NULL, pair[2];
    int flag;

    CHECK_CLASS(MPIX_Start(&r), MPI_ERR_REQUEST);
    CHECK_CLASS(MPIX_Start(NULL), MPI_ERR_REQUEST);
    CHECK_CLASS(MPIX_Request_free(&r), MPI_ERR_REQUEST);
    CHECK_CLASS(MPIX_Startall(-1, &r), MPI_ERR_COUNT);
    CHECK_CLASS(MPIX_Waitall(1, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Test(&r, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK(MPIX_Allgather_bruck_init(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &r) == MPI_SUCCESS);
    mine[0] = world_rank + 11;
    CHECK(MPIX_Start(&r) == MPI_SUCCESS);
    CHECK_CLASS(MPIX_Start(&r), MPI_ERR_REQUEST);
    CHECK_CLASS(MPIX_Request_free(&r), MPI_ERR_REQUEST);
    pair[0] = MPIX_REQUEST_NULL;
    pair[1] = r;
    CHECK_CLASS(MPIX_Startall(2, pair), MPI_ERR_REQUEST);
    CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i + 11);
    CHECK(MPIX_Test(&r, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag);
    CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
}

/* A request that is named twice, or one that runs: none of the others is started. */
static void an_array_is_started_whole_or_not_at_all(void)
{
    MPIX_Request r[2], array[3];

    for (int i = 0; i < 2; i++)
        CHECK(MPIX_Allgather_bruck_init(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                                        MPI_INFO_NULL, &r[i]) == MPI_SUCCESS);
    array[0] = r[0];
    array[1] = r[1];
    array[2] = r[0];
    CHECK_CLASS(MPIX_Startall(3, array), MPI_ERR_REQUEST);
    CHECK(MPIX_Start(&r[1]) == MPI_SUCCESS); /* it was not */
    CHECK_CLASS(MPIX_Startall(2, array), MPI_ERR_REQUEST);
    CHECK(MPIX_Wait(&r[1], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    mine[0] = world_rank + 13;
    CHECK(MPIX_Start(&r[0]) == MPI_SUCCESS);
    CHECK(MPIX_Wait(&r[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i + 13);
    CHECK(MPIX_Startall(2, array) == MPI_SUCCESS);
    CHECK(MPIX_Waitall(2, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK(MPIX_Request_free(&r[i]) == MPI_SUCCESS);
}

/* What goes wrong while the operation runs is returned by the call that completes it: here every
 * rank but the last sends more than its neighbours expect of it. */
static void an_error_while_running_is_returned_by_the_completion(void)
{
    enum { MORE = 3 };
    int big[MORE] = {1, 2, 3}, flag, error;
    int *room = calloc((size_t)world_size * MORE, sizeof *room);
    int n = world_rank == world_size - 1 ? 1 : MORE;
    MPIX_Request r;

    if (world_size > 1) {
        CHECK(MPIX_Allgather_linear_init(big, n, MPI_INT, room, n, MPI_INT, MPI_COMM_WORLD,
                                         MPI_INFO_NULL, &r) == MPI_SUCCESS);
        for (int waits = 0; waits < 2; waits++) {
            flag = error = 0;
            CHECK(MPIX_Start(&r) == MPI_SUCCESS);
            while (!waits && !flag && error == MPI_SUCCESS)
                error = MPIX_Test(&r, &flag, MPI_STATUS_IGNORE);
            if (waits)
                error = MPIX_Wait(&r, MPI_STATUS_IGNORE);
            CHECK(mpi_test_class(error) ==
                  (world_rank == world_size - 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
        }
        CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
    }
    free(room);
    still_works();
}

/* The same where one rank waits for all: every other rank sends more than the root expects. */
static void an_error_at_the_root_stays_there(void)
{
    int big[2] = {world_rank, 1}, root = world_size - 1, n = world_rank == root ? 1 : 2;
    bool wrong = world_rank == root && world_size > 1;
    MPI_Request r;

    for (int turn = 0; turn < 3; turn++) {
        CHECK(MPIX_Igather_linear(big, n, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD, &r) ==
              MPI_SUCCESS);
        CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), wrong ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    }
    still_works();
}

static void a_null_pointer_for_a_result_is_refused(void)
{
    char text[100];
    const char *said;
    int n;

    CHECK_CLASS(tutti_shared_memory(NULL, &said), MPI_ERR_ARG);
    CHECK_CLASS(tutti_shared_memory(&n, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_progress_driver(NULL, &said), MPI_ERR_ARG);
    CHECK_CLASS(tutti_progress_driver(&said, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_constants(NULL, text, sizeof text, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_wisdom(NULL, &said), MPI_ERR_ARG);
    CHECK_CLASS(tutti_alloc(100, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_comm_prepared(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_comm_topology(MPI_COMM_WORLD, NULL, 1, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_comm_regions(MPI_COMM_WORLD, NULL, &n, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_comm_regions(MPI_COMM_WORLD, "node", NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_comm_explain(MPI_COMM_WORLD, NULL, text, sizeof text), MPI_ERR_ARG);
    CHECK_CLASS(tutti_comm_explain(MPI_COMM_WORLD, "allgather 1", NULL, 1), MPI_ERR_ARG);
    tutti_version(NULL, NULL, NULL);
    still_works();
}

/* The program may take all communicators that the MPI has: ours need none. */
static void no_communicator_of_the_mpi_is_used_up(void)
{
    enum { MOST = 4096 };
    static MPI_Comm taken[MOST];
    int n = 0, mine = world_rank, *all_ranks;
    MPIX_Request persistent = MPIX_REQUEST_NULL;
    MPI_Request r;

    if (mpi_test_is(MPI_FAMILY_OPENMPI, 0)) /* which has 65532: too many to use up here */
        return;
    all_ranks = malloc((size_t)world_size * sizeof *all_ranks);
    CHECK(tutti_init() == MPI_SUCCESS);
    while (n < MOST && MPI_Comm_dup(MPI_COMM_WORLD, &taken[n]) == MPI_SUCCESS)
        n++;
    CHECK(n > 2000 && n < MOST);
    for (int i = 0; i < n; i += i < 20 ? 1 : 100) {
        all_ranks[world_size - 1] = -1;
        CHECK(MPIX_Iallgather_ring(&mine, 1, MPI_INT, all_ranks, 1, MPI_INT, taken[i], &r) ==
              MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(all_ranks[world_size - 1] == world_size - 1);
    }
    CHECK(MPIX_Allgather_ring_init(&mine, 1, MPI_INT, all_ranks, 1, MPI_INT, taken[n - 1],
                                   MPI_INFO_NULL, &persistent) == MPI_SUCCESS);
    CHECK(MPIX_Start(&persistent) == MPI_SUCCESS);
    CHECK(MPIX_Wait(&persistent, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPIX_Request_free(&persistent) == MPI_SUCCESS);
    while (n > 0)
        MPI_Comm_free(&taken[--n]);
    free(all_ranks);
    still_works();
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(open_buffers),
        MPI_TEST(a_call_after_one_like_it_is_still_checked),
        MPI_TEST(a_call_with_a_root_after_one_like_it_is_still_checked),
        MPI_TEST(a_rank_whose_counts_do_not_agree_leaves_nobody_waiting),
        MPI_TEST(large_counts_that_no_64_bits_count_in_bytes_are_refused),
        MPI_TEST(large_sums_and_displacements_are_refused),
        MPI_TEST(a_bad_info_value_is_refused),
        MPI_TEST(misused_requests_are_refused_and_stay_usable),
        MPI_TEST(an_array_is_started_whole_or_not_at_all),
        MPI_TEST(an_error_while_running_is_returned_by_the_completion),
        MPI_TEST(an_error_at_the_root_stays_there),
        MPI_TEST(a_null_pointer_for_a_result_is_refused),
        MPI_TEST(no_communicator_of_the_mpi_is_used_up),
    };
    int failed = mpi_test_main(argc, argv, "errors", tests, sizeof tests / sizeof *tests);

    free(all);
    return failed;
}
