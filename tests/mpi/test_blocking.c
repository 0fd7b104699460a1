/* SPDX-License-Identifier: BSD-3-Clause */
/* test_blocking.c - the blocking forms, and what tutti_get_stats and MPIX_Request_get_status
 * report.
 */
#include "mpi/calls.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 8 }; /* ranks */

static void nap(double seconds)
{
    struct timespec t = {0, (long)(seconds * 1e9)};

    nanosleep(&t, NULL);
}

/* ---- blocking ---- */

/* An operation that another rank waits for advances inside our blocking call. */
static void others_advance_inside_a_blocking_call(void)
{
    int *first = malloc((size_t)world_size * sizeof *first), x = world_rank;
    int *second = malloc((size_t)world_size * sizeof *second);
    MPI_Request r;
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    CHECK(MPIX_Iallgather_ring(&x, 1, MPI_INT, first, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    if (world_rank == 0) /* the others sit in the blocking call until rank 0 has the first */
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPIX_Allgather_ring(&x, 1, MPI_INT, second, 1, MPI_INT, other) == MPI_SUCCESS);
    if (world_rank != 0)
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(first[i] == i && second[i] == i);
    MPI_Comm_free(&other);
    free(first);
    free(second);
}

/* An operation needs nothing of a rank that has completed it, though older ones, whose messages
 * have their slots before its own in shared memory, wait for just that rank: rank 1 has room for
 * few messages, so that the last one, which is next in the chain, has nothing for rank 0 yet. */
static void an_operation_waits_for_no_older_one(void)
{
    enum { OLDER = 40, LONG = 4096, SHORT = 1000 };
    int *old = calloc(OLDER * LONG, sizeof *old), *new = calloc(SHORT, sizeof *new), wrong = 0;
    int last = world_size - 1, word = 7;
    MPI_Request r[OLDER], young;

    if (world_size < 3) {
        free(old);
        free(new);
        return;
    }
    for (int i = 0; i < OLDER * LONG && world_rank == 1; i++)
        old[i] = i;
    for (int i = 0; i < SHORT && world_rank == last; i++)
        new[i] = i + 1;
    for (int i = 0; i < OLDER; i++)
        CHECK(MPIX_Ibcast_chain(old + (size_t)i * LONG, LONG, MPI_INT, 1, MPI_COMM_WORLD, &r[i]) ==
              MPI_SUCCESS);
    if (world_rank == 1) /* unless the driver is hook or thread nothing of ours advances here */
        MPI_Recv(&word, 1, MPI_INT, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(MPIX_Ibcast_binomial(new, SHORT, MPI_INT, last, MPI_COMM_WORLD, &young) == MPI_SUCCESS);
    if (world_rank == last)
        MPI_Send(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    CHECK(MPI_Wait(&young, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < SHORT; i++)
        wrong += new[i] != i + 1;
    for (int to = 1; to < world_size && world_rank == 0; to++)
        MPI_Send(&word, 1, MPI_INT, to, 3, MPI_COMM_WORLD);
    if (world_rank != 0) /* nor here */
        MPI_Recv(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(MPI_Waitall(OLDER, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < OLDER * LONG; i++)
        wrong += old[i] != i;
    CHECK(wrong == 0);
    free(old);
    free(new);
}

/* As above, but the young message begins where there is room for its first block and none for the
 * next: it must leave as a whole. Rank 1 fills its way to rank 2, which comes late, so that the
 * older message does not set out. */
static void a_long_message_leaves_before_it_begins(void)
{
    enum { FILLERS = 4, BLOCK = 8192, LONG = 40000 };
    int *old = calloc(BLOCK, sizeof *old), *filled = calloc(BLOCK, sizeof *filled);
    int *from = calloc(LONG, sizeof *from), *new = calloc(LONG, sizeof *new);
    int *counts = calloc((size_t)world_size, sizeof *counts);
    int *fill = calloc((size_t)world_size, sizeof *fill);
    int *displs = calloc((size_t)world_size, sizeof *displs);
    int last = world_size - 1, word = 7, wrong = 0;
    MPI_Request r[FILLERS + 1], young;

    for (int i = 0; i < BLOCK && world_rank == 1; i++)
        old[i] = i;
    for (int i = 0; i < LONG && world_rank == last; i++)
        from[i] = i + 1;
    counts[last] = LONG;
    fill[1 % world_size] = BLOCK;
    if (world_rank != 1)
        nap(0.1);
    for (int i = 0; i < FILLERS && world_size > 2; i++)
        CHECK(MPIX_Igatherv_linear(old, fill[world_rank], MPI_INT, filled, fill, displs, MPI_INT, 2,
                                   MPI_COMM_WORLD, &r[i]) == MPI_SUCCESS);
    if (world_size > 2) {
        CHECK(MPIX_Ibcast_chain(old, BLOCK, MPI_INT, 1, MPI_COMM_WORLD, &r[FILLERS]) ==
              MPI_SUCCESS);
        CHECK(MPIX_Igatherv_linear(from, counts[world_rank], MPI_INT, new, counts, displs, MPI_INT,
                                   0, MPI_COMM_WORLD, &young) == MPI_SUCCESS);
        CHECK(MPI_Wait(&young, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int to = 1; to < world_size && world_rank == 0; to++)
            MPI_Send(&word, 1, MPI_INT, to, 3, MPI_COMM_WORLD);
        if (world_rank != 0) /* nothing of ours advances here */
            MPI_Recv(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(MPI_Waitall(FILLERS + 1, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < LONG && world_rank == 0; i++)
            wrong += new[i] != i + 1;
        for (int i = 0; i < BLOCK; i++)
            wrong += old[i] != i || (world_rank == 2 && filled[i] != i);
    }
    CHECK(wrong == 0);
    free(old);
    free(filled);
    free(from);
    free(new);
    free(counts);
    free(fill);
    free(displs);
}

/* A message that finds no room in shared memory leaves it, and that of a later call does, too,
 * which takes over what the first has kept: the others come late. */
static void calls_leave_shared_memory_again(void)
{
    enum { ROUNDS = 3, N = 4, LONG = 16384 };
    int *all = calloc(LONG, sizeof *all), wrong = 0;

    for (int i = 0; i < ROUNDS * N; i++) {
        if (i % N == 0 && world_rank != 0)
            nap(0.03);
        for (int k = 0; k < LONG; k++)
            all[k] = world_rank == 0 ? i + k : -1;
        CHECK(MPIX_Bcast_binomial(all, LONG, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int k = 0; k < LONG; k++)
            wrong += all[k] != i + k;
    }
    CHECK(wrong == 0);
    free(all);
}

/* ---- statistics ---- */

static MPIX_Request ring_request(const char *timed, int *mine, int *all)
{
    MPIX_Request r = MPIX_REQUEST_NULL;
    MPI_Info info = MPI_INFO_NULL;

    if (timed) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "tutti_stats", timed);
    }
    CHECK(MPIX_Allgather_ring_init(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, info, &r) ==
          MPI_SUCCESS);
    if (timed)
        MPI_Info_free(&info);
    return r;
}

static void stats_count_completed_starts(void)
{
    int mine = world_rank, all[MOST], p = world_size;
    MPIX_Request r = ring_request(NULL, &mine, all);
    tutti_stats s;

    CHECK(tutti_get_stats(r, &s) == MPI_SUCCESS && s.starts == 0 && s.steps == 0);
    for (int i = 0; i < 3; i++) {
        MPIX_Start(&r);
        CHECK_CLASS(tutti_get_stats(r, &s), MPI_ERR_REQUEST);
        MPIX_Wait(&r, MPI_STATUS_IGNORE);
    }
    CHECK(tutti_get_stats(r, &s) == MPI_SUCCESS);
    CHECK(s.starts == 3 && s.messages == 3 * 2 * (p - 1) && s.steps == s.messages + 3);
    CHECK(s.bytes_sent == 3 * 4 * (p - 1) && s.bytes_received == s.bytes_sent);
    CHECK(s.seconds == 0 && s.last_seconds == 0);
    CHECK_CLASS(tutti_get_stats(r, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_get_stats(MPIX_REQUEST_NULL, &s), MPI_ERR_REQUEST);
    MPIX_Request_free(&r);
}

static void stats_tell_what_was_overlapped(void)
{
    int mine = world_rank, all[MOST], flag = 0;
    MPIX_Request r = ring_request(NULL, &mine, all);
    tutti_stats s;

    MPIX_Start(&r);
    while (!flag)
        CHECK(MPIX_Request_get_status(r, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPIX_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(tutti_get_stats(r, &s) == MPI_SUCCESS && s.overlapped == 1);

    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank == 0)
        nap(0.1); /* the others wait for it */
    MPIX_Start(&r);
    MPIX_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(tutti_get_stats(r, &s) == MPI_SUCCESS);
    if (world_rank != 0)
        CHECK(s.overlapped < 1 && s.overlapped >= 0.5 && s.polls > 0);
    MPIX_Request_free(&r);
}

/* All others have started before rank 0 sleeps, and need it. */
static void start_long_before_rank_0(MPIX_Request *r)
{
    if (world_rank != 0) {
        MPIX_Start(r);
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < world_size; i++)
        MPI_Recv(NULL, 0, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    nap(0.05);
    MPIX_Start(r);
}

static void times_are_taken_on_request(void)
{
    int mine = world_rank, all[MOST];
    MPIX_Request r = ring_request("true", &mine, all);
    tutti_stats s;

    for (int i = 0; i < 2; i++) {
        start_long_before_rank_0(&r);
        MPIX_Wait(&r, MPI_STATUS_IGNORE);
    }
    CHECK(tutti_get_stats(r, &s) == MPI_SUCCESS);
    CHECK(s.last_seconds > 0 && s.seconds > s.last_seconds);
    if (world_rank != 0)
        CHECK(s.last_seconds > 0.02);
    MPIX_Request_free(&r);
    r = ring_request("false", &mine, all);
    MPIX_Start(&r);
    MPIX_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(tutti_get_stats(r, &s) == MPI_SUCCESS && s.seconds == 0);
    MPIX_Request_free(&r);
}

static void a_bad_info_value_is_refused(void)
{
    int mine = 0, all[MOST];
    MPIX_Request r = MPIX_REQUEST_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_stats", "yes");
    CHECK_CLASS(
        MPIX_Allgather_auto_init(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, info, &r),
        MPI_ERR_INFO_VALUE);
    CHECK(r == MPIX_REQUEST_NULL);
    MPI_Info_free(&info);
}

/* ---- MPIX_Request_get_status ---- */

static void get_status_changes_nothing(void)
{
    int mine = world_rank, all[MOST], flag = 0;
    MPIX_Request r = ring_request(NULL, &mine, all), null = MPIX_REQUEST_NULL;
    MPI_Status status;

    memset(&status, 7, sizeof status);
    CHECK(MPIX_Request_get_status(null, &flag, &status) == MPI_SUCCESS && flag);
    CHECK(mpi_test_is_empty(&status));
    CHECK(MPIX_Request_get_status(r, &flag, &status) == MPI_SUCCESS && flag);
    MPIX_Start(&r);
    for (flag = 0; !flag;)
        CHECK(MPIX_Request_get_status(r, &flag, &status) == MPI_SUCCESS);
    CHECK(mpi_test_is_empty(&status));
    CHECK_CLASS(MPIX_Start(&r), MPI_ERR_REQUEST); /* still active */
    CHECK(MPIX_Wait(&r, &status) == MPI_SUCCESS);
    CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, &status) == MPI_SUCCESS);
    CHECK_CLASS(MPIX_Request_get_status(r, NULL, &status), MPI_ERR_ARG);
    MPIX_Request_free(&r);
}

/* Rank 0 starts only after the others have seen that they wait for it. */
static void get_status_tells_what_is_open(void)
{
    int mine = world_rank, all[MOST], flag = 1;
    MPIX_Request r = ring_request(NULL, &mine, all);

    if (world_rank != 0) {
        MPIX_Start(&r);
        for (int i = 0; i < 100; i++)
            CHECK(MPIX_Request_get_status(r, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank == 0)
        MPIX_Start(&r);
    CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPIX_Request_free(&r);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(others_advance_inside_a_blocking_call),
        MPI_TEST(an_operation_waits_for_no_older_one),
        MPI_TEST(a_long_message_leaves_before_it_begins),
        MPI_TEST(calls_leave_shared_memory_again),
        MPI_TEST(stats_count_completed_starts),
        MPI_TEST(stats_tell_what_was_overlapped),
        MPI_TEST(times_are_taken_on_request),
        MPI_TEST(a_bad_info_value_is_refused),
        MPI_TEST(get_status_changes_nothing),
        MPI_TEST(get_status_tells_what_is_open),
    };

    return mpi_test_main(argc, argv, "blocking", tests, sizeof tests / sizeof *tests);
}
