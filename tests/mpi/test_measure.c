/* SPDX-License-Identifier: BSD-3-Clause */
/* test_measure.c - requests that try their candidates: right data in every start, and all ranks go
 * on with the same one, the fastest by the times that the test gives out. Looks inside the library.
 */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include "mpi/trial_sum.h"

#include "nbc/process/test_knobs.h"
#include "persistent/request.h"
#include "persistent/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

/* ---- times ---- */

static int64_t second_is_fast(int candidate, int round, int rank)
{
    return (candidate == 1 ? 500 : 800) + 10 * round + rank;
}

static int64_t second_is_slow_on_the_last_rank(int candidate, int round, int rank)
{
    return candidate == 1 && rank < world_size - 1 ? 100 : 900 + round;
}

static int64_t little_is_gained(int candidate, int round, int rank)
{
    (void)rank;
    return (candidate == 0 ? 1000 : 960) + round;
}

/* Noise of one rank, for which the others wait, makes the first one slow; the others would win by
 * their medians. */
static int64_t one_rank_is_noisy(int candidate, int round, int rank)
{
    bool hit = rank == world_size - 1 && (round * 7 + candidate * 3) % 4 == 0;

    return 1000 - 70 * candidate + (hit ? 5000 : 0);
}

/* It hits the faster one once. */
static int64_t one_round_is_noisy(int candidate, int round, int rank)
{
    return candidate == 1 ? (round == 4 && rank == 0 ? 90000 : 500) : 1000;
}

/* Runs the whole trial; the index of the winner among the candidates. */
static int winner_by(int64_t (*time)(int candidate, int round, int rank))
{
    trial_sum s = {.request = MPIX_REQUEST_NULL};
    int list[TRIAL_MOST], after, winner = -1;
    MPI_Comm comm = fresh();

    trial_test_time = time;
    trial_sum_init(&s, comm, trial_info());
    trial_sum_candidates(&s, list);
    CHECK(world_size == 1 || list[1] >= 0);
    for (int k = 0; k < TRIAL_STARTS; k++)
        trial_sum_run(&s, k);
    CHECK(s.request->trial == NULL);
    after = trial_sum_algorithm(&s);
    CHECK(same_on_all_ranks(after));
    for (int i = 0; i < TRIAL_MOST; i++)
        if (list[i] == after)
            winner = i;
    MPIX_Request_free(&s.request);
    MPI_Comm_free(&comm);
    trial_test_time = NULL;
    return world_size == 1 ? -1 : winner;
}

/* ---- tests ---- */

static void the_fastest_one_wins_on_all_ranks(void)
{
    int second = world_size == 1 ? -1 : 1, first = world_size == 1 ? -1 : 0;

    CHECK(winner_by(second_is_fast) == second);
    CHECK(winner_by(second_is_slow_on_the_last_rank) == first);
    CHECK(winner_by(little_is_gained) == first);
    CHECK(winner_by(one_rank_is_noisy) == first);
    CHECK(winner_by(one_round_is_noisy) == second);
}

/* By the clock: whoever wins. */
static void all_find_the_same_by_the_clock(void)
{
    for (int k = 0; k < 3; k++)
        winner_by(NULL);
}

static void only_what_is_asked_for_is_tried(void)
{
    MPI_Comm comm = fresh();
    MPI_Info info;
    trial_sum s = {.request = MPIX_REQUEST_NULL};

    trial_sum_init(&s, comm, info_of("tutti_plan", "estimate"));
    CHECK(s.request->trial == NULL);
    MPIX_Request_free(&s.request);
    info = trial_info();
    MPI_Info_set(info, "tutti_algorithm", "ring");
    trial_sum_init(&s, comm, info);
    CHECK(s.request->trial == NULL);
    MPIX_Request_free(&s.request);
    info = trial_info();
    MPI_Info_set(info, "tutti_algorithm", "^recursive_doubling,ring");
    trial_sum_init(&s, comm, info);
    if (world_size > 1) {
        CHECK(s.request->trial != NULL);
        for (int i = 0; i < s.request->trial->n; i++)
            CHECK(s.request->trial->choice[i].algo != ALGO_allreduce_ring &&
                  s.request->trial->choice[i].algo != ALGO_allreduce_recursive_doubling);
    }
    trial_sum_run(&s, 1);
    MPIX_Request_free(&s.request);
    info = info_of("tutti_plan", "guess");
    CHECK_CLASS(MPIX_Allreduce_auto_init(s.in, s.out, TRIAL_COUNT, MPI_INT, MPI_SUM, comm, info,
                                         &s.request),
                MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

/* In other orders on other ranks; some are freed, and their communicator, too. */
static void several_are_tried_at_a_time(void)
{
    enum { N_REQUESTS = 4 };
    trial_sum *s = calloc(N_REQUESTS, sizeof *s);
    MPIX_Request all[N_REQUESTS];
    MPI_Comm comm = fresh();
    int after[N_REQUESTS];

    trial_test_time = second_is_fast;
    for (int i = 0; i < N_REQUESTS; i++)
        trial_sum_init(&s[i], comm, trial_info());
    MPI_Comm_free(&comm);
    for (int k = 0; k < TRIAL_STARTS; k++) {
        int left = N_REQUESTS, index, flag;
        for (int i = 0; i < N_REQUESTS; i++) {
            trial_sum_fill(&s[i], k);
            all[i] = s[(i + world_rank) % N_REQUESTS].request;
        }
        if (k % 2) {
            CHECK(MPIX_Startall(N_REQUESTS, all) == MPI_SUCCESS);
        } else {
            for (int i = 0; i < N_REQUESTS; i++)
                CHECK(MPIX_Start(&all[i]) == MPI_SUCCESS);
        }
        if (k % 5 == 0)
            CHECK(MPIX_Waitall(N_REQUESTS, all, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (; k % 5 == 1 && left; left--)
            CHECK(MPIX_Waitany(N_REQUESTS, all, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (flag = 0; k % 5 == 2 && !flag;)
            CHECK(MPIX_Testall(N_REQUESTS, all, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int i = 0; k % 5 > 2 && i < N_REQUESTS; i++)
            CHECK(MPIX_Wait(&s[i].request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < N_REQUESTS; i++)
            CHECK(trial_sum_is_right(&s[i], k));
        if (k == 7 || k == 32) { /* while they try */
            int gone = k == 7 ? 1 : 2;
            MPIX_Request_free(&s[gone].request);
            trial_sum_init(&s[gone], MPI_COMM_WORLD, trial_info());
        }
    }
    for (int i = 0; i < N_REQUESTS; i++) {
        after[i] = trial_sum_algorithm(&s[i]);
        CHECK(same_on_all_ranks(after[i]));
        MPIX_Request_free(&s[i].request);
    }
    CHECK(after[0] == after[3]);
    free(s);
    trial_test_time = NULL;
}

/* Some ranks start through native requests, and some late. */
static void starts_may_be_of_any_kind(void)
{
    trial_sum s = {.request = MPIX_REQUEST_NULL};
    MPI_Request native;
    int flag;

    trial_test_time = second_is_fast;
    trial_sum_init(&s, MPI_COMM_WORLD, trial_info());
    for (int k = 0; k < TRIAL_STARTS; k++) {
        trial_sum_fill(&s, k);
        if ((k + world_rank) % 7 == 0)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        switch ((k / 2 + world_rank) % 3) {
        case 0:
            CHECK(MPIX_Start_native(&s.request, &native) == MPI_SUCCESS);
            CHECK(MPI_Wait(&native, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            break;
        case 1:
            CHECK(MPIX_Start(&s.request) == MPI_SUCCESS);
            for (flag = 0; !flag;)
                CHECK(MPIX_Test(&s.request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            break;
        default:
            CHECK(MPIX_Start(&s.request) == MPI_SUCCESS);
            CHECK(MPIX_Wait(&s.request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        CHECK(trial_sum_is_right(&s, k));
    }
    CHECK(s.request->trial == NULL);
    CHECK(same_on_all_ranks(trial_sum_algorithm(&s)));
    MPIX_Request_free(&s.request);
    trial_test_time = NULL;
}

/* Rank 0 sends itself less than it has room for: its operation ends with an error, in every start,
 * and all go on with the same algorithm. */
static void an_error_of_one_rank_changes_nothing(void)
{
    size_t p = (size_t)world_size;
    int mine[TRIAL_COUNT], *all = calloc(p * TRIAL_COUNT, sizeof *all);
    int n = world_rank == 0 ? TRIAL_COUNT - 1 : TRIAL_COUNT;
    int expected = world_rank == 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
    MPI_Comm comm = fresh();
    MPI_Info info = trial_info();
    MPIX_Request r;
    tutti_stats stats;

    trial_test_time = second_is_fast;
    CHECK(MPIX_Allgather_auto_init(mine, n, MPI_INT, all, TRIAL_COUNT, MPI_INT, comm, info, &r) ==
          MPI_SUCCESS);
    MPI_Info_free(&info);
    for (int k = 0; k < TRIAL_STARTS; k++) {
        for (int i = 0; i < TRIAL_COUNT; i++)
            mine[i] = 1000 * world_rank + k;
        CHECK(MPIX_Start(&r) == MPI_SUCCESS);
        CHECK_CLASS(MPIX_Wait(&r, MPI_STATUS_IGNORE), expected);
        for (int q = 1; q < world_size; q++)
            CHECK(all[q * TRIAL_COUNT + TRIAL_COUNT - 1] == 1000 * q + k);
    }
    CHECK(tutti_get_stats(r, &stats) == MPI_SUCCESS);
    CHECK(same_on_all_ranks(algo_find(COLL_allgather, strtok(stats.algorithm, ":"))));
    CHECK(stats.overlapped >= 0 && stats.overlapped <= 1);
    MPIX_Request_free(&r);
    MPI_Comm_free(&comm);
    free(all);
    trial_test_time = NULL;
}

/* One rank has the second value, or no info; the others have the first, which may be right. */
static void refused_by_all(const char *key, const char *value, const char *other)
{
    MPI_Comm comm = fresh();
    const char *mine = world_rank == world_size - 1 ? other : value;
    MPI_Info info = mine ? info_of(key, mine) : MPI_INFO_NULL;
    trial_sum s = {.request = MPIX_REQUEST_NULL};

    CHECK_CLASS(MPIX_Allreduce_auto_init(s.in, s.out, TRIAL_COUNT, MPI_INT, MPI_SUM, comm, info,
                                         &s.request),
                MPI_ERR_INFO_VALUE);
    CHECK(s.request == MPIX_REQUEST_NULL);
    if (mine)
        MPI_Info_free(&info);
    trial_sum_init(&s, comm, info_of("tutti_plan", "measure")); /* nothing is left of it */
    trial_sum_run(&s, 1);
    MPIX_Request_free(&s.request);
    MPI_Comm_free(&comm);
}

static void info_that_one_rank_refuses_is_refused_by_all(void)
{
    if (world_size == 1)
        return;
    refused_by_all("tutti_stats", "true", "perhaps");
    refused_by_all("tutti_stats", "perhaps", NULL);
    refused_by_all("tutti_plan", "measure", "mesure");
    refused_by_all("tutti_plan", "mesure", "estimate");
    refused_by_all("tutti_algorithm", "ring", "rign");
    refused_by_all("tutti_algorithm", "rign", NULL);
    refused_by_all("tutti_algorithm", "ring", "recursive_doubling");
    refused_by_all("tutti_plan", "measure", "estimate");
    refused_by_all("tutti_plan", "measure", NULL);
}

/* Every collective whose sizes all ranks know; the data of an allgather are looked at. */
static void allgathers_of_records_are_tried(void)
{
    MPI_Datatype record;
    MPIX_Request r;
    MPI_Info info = trial_info();
    int mine[2 * N], *all = calloc((size_t)world_size * 2 * N, sizeof *all);

    MPI_Type_vector(N, 1, 2, MPI_INT, &record);
    MPI_Type_create_resized(record, 0, sizeof mine, &record);
    MPI_Type_commit(&record);
    CHECK(MPIX_Allgather_auto_init(mine, 1, record, all, 1, record, MPI_COMM_WORLD, info, &r) ==
          MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Type_free(&record);
    for (int k = 0; k < TRIAL_STARTS; k++) {
        for (int i = 0; i < 2 * N; i++)
            mine[i] = 1000 * k + 10 * world_rank + i;
        CHECK(MPIX_Start(&r) == MPI_SUCCESS);
        CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int p = 0; p < world_size; p++)
            for (int i = 0; i < 2 * N; i++)
                CHECK(all[2 * N * p + i] == (i % 2 ? 0 : 1000 * k + 10 * p + i));
    }
    MPIX_Request_free(&r);
    free(all);
}

/* Another job, or this one after an import, goes by it and tries nothing. */
static void what_was_found_is_wisdom(void)
{
    char file[] = "/tmp/tutti-measure-XXXXXX", text[300];
    trial_sum s = {.request = MPIX_REQUEST_NULL};
    MPI_Comm comm = fresh();
    int winner;

    close(mkstemp(file)); /* each rank has one; rank 0's is used */
    unlink(file);
    trial_test_time = second_is_fast;
    trial_sum_init(&s, comm, trial_info());
    for (int k = 0; k < TRIAL_STARTS; k++)
        trial_sum_run(&s, k);
    winner = trial_sum_algorithm(&s);
    MPIX_Request_free(&s.request);
    CHECK(tutti_comm_explain(comm, "allreduce 2400", text, sizeof text) == MPI_SUCCESS);
    CHECK(strstr(text, "wisdom") == NULL);
    CHECK(tutti_wisdom_export(comm, file) == MPI_SUCCESS);
    CHECK(tutti_wisdom_import(comm, file) == MPI_SUCCESS);
    CHECK(tutti_comm_explain(comm, "allreduce 2400", text, sizeof text) == MPI_SUCCESS);
    CHECK((strstr(text, "(wisdom: ") != NULL) == (world_size > 1));
    trial_sum_init(&s, comm, trial_info());
    CHECK(s.request->trial == NULL);
    trial_sum_run(&s, 3);
    CHECK(world_size == 1 || trial_sum_algorithm(&s) == winner);
    MPIX_Request_free(&s.request);
    CHECK(tutti_wisdom_import(comm, NULL) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
    unlink(file);
    trial_test_time = NULL;
}

/* ---- who wins ---- */

static void five_percent_and_nine_of_ten_rounds_count(void)
{
    int64_t times[3 * TRIAL_ROUNDS], median;

    for (int first = 900; first <= 1100; first++) {
        for (int i = 0; i < TRIAL_ROUNDS; i++) {
            times[3 * i] = 1000;
            times[3 * i + 1] = first;
            times[3 * i + 2] = 5000;
        }
        CHECK(trial_winner(times, 3, &median) == (first <= 950));
        CHECK(median == (first <= 950 ? first : 1000));
    }
    for (int slower = 0; slower <= TRIAL_ROUNDS; slower++) {
        for (int i = 0; i < TRIAL_ROUNDS; i++)
            times[3 * i + 1] = i < slower ? 1001 : 100;
        CHECK(trial_winner(times, 3, &median) == (slower <= 1));
    }
    for (int i = 0; i < TRIAL_ROUNDS; i++) {
        times[3 * i + 1] = 900;
        times[3 * i + 2] = 800;
    }
    CHECK(trial_winner(times, 3, &median) == 2);
    CHECK(median == 800);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(five_percent_and_nine_of_ten_rounds_count),
        MPI_TEST(the_fastest_one_wins_on_all_ranks),
        MPI_TEST(all_find_the_same_by_the_clock),
        MPI_TEST(only_what_is_asked_for_is_tried),
        MPI_TEST(several_are_tried_at_a_time),
        MPI_TEST(starts_may_be_of_any_kind),
        MPI_TEST(an_error_of_one_rank_changes_nothing),
        MPI_TEST(info_that_one_rank_refuses_is_refused_by_all),
        MPI_TEST(allgathers_of_records_are_tried),
        MPI_TEST(what_was_found_is_wisdom),
    };

    return mpi_test_main(argc, argv, "measure", tests, sizeof tests / sizeof *tests);
}
