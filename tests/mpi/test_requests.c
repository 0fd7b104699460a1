/* test_requests.c - native requests among native ones, and the MPIX_ families. */
#include "mpi/calls.h"

#include <stdlib.h>
#include <string.h>

enum { N = 8 }; /* operations outstanding */

/* N allgathers of different algorithms, and one ordinary exchange around the ring of ranks. */
typedef struct load {
    int mine[N], *all[N];
    int token_out, token_in;
    MPI_Request requests[N + 3]; /* N of ours, a receive, a send, a null one */
    int round;
} load;

enum { OURS = N, TOTAL = N + 3 };

static void load_open(load *w)
{
    memset(w, 0, sizeof *w);
    for (int i = 0; i < N; i++)
        w->all[i] = calloc((size_t)world_size, sizeof(int));
}

static void load_close(load *w)
{
    for (int i = 0; i < N; i++)
        free(w->all[i]);
}

static const call_set *algorithm(int i)
{
    return calls_find(COLL_allgather, i, world_size);
}

/* The collective calls come in the same order everywhere; where their requests are put in the
 * array differs from rank to rank. */
static int place(int i)
{
    return world_rank % 2 ? TOTAL - 1 - i : (i + world_rank / 2) % TOTAL;
}

static void load_start(load *w)
{
    int left = (world_rank - 1 + world_size) % world_size, right = (world_rank + 1) % world_size;

    w->round++;
    for (int i = 0; i < N; i++) {
        w->mine[i] = world_rank * 100 + i + w->round * 10000;
        memset(w->all[i], 0x7f, (size_t)world_size * sizeof(int));
        call_args a = calls_ints(&w->mine[i], 1, w->all[i], MPI_COMM_WORLD);
        CHECK(calls_start(algorithm(i), false, &a, &w->requests[place(i)]) == MPI_SUCCESS);
    }
    w->token_out = world_rank + w->round;
    MPI_Irecv(&w->token_in, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &w->requests[place(OURS)]);
    MPI_Isend(&w->token_out, 1, MPI_INT, right, 9, MPI_COMM_WORLD, &w->requests[place(OURS + 1)]);
    w->requests[place(OURS + 2)] = MPI_REQUEST_NULL;
}

static void load_check(const load *w)
{
    int left = (world_rank - 1 + world_size) % world_size;

    for (int i = 0; i < N; i++)
        for (int k = 0; k < world_size; k++)
            CHECK(w->all[i][k] == k * 100 + i + w->round * 10000);
    CHECK(w->token_in == left + w->round);
    for (int i = 0; i < TOTAL; i++)
        CHECK(w->requests[i] == MPI_REQUEST_NULL);
}

/* ---- how the requests are completed ---- */

static void by_wait(MPI_Request r[])
{
    MPI_Status status;

    for (int i = 0; i < TOTAL; i++)
        CHECK(MPI_Wait(&r[i], &status) == MPI_SUCCESS);
}

static void by_waitall(MPI_Request r[])
{
    MPI_Status statuses[TOTAL];

    CHECK(MPI_Waitall(TOTAL, r, statuses) == MPI_SUCCESS);
}

static void by_waitall_ignoring(MPI_Request r[])
{
    CHECK(MPI_Waitall(TOTAL, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
}

static void by_waitany(MPI_Request r[])
{
    int index = 0;

    for (int n = 0; n < TOTAL - 1; n++) {
        CHECK(MPI_Waitany(TOTAL, r, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(index >= 0 && index < TOTAL && r[index] == MPI_REQUEST_NULL);
    }
    CHECK(MPI_Waitany(TOTAL, r, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(index == MPI_UNDEFINED);
}

static void by_waitsome(MPI_Request r[])
{
    int n, indices[TOTAL], sum = 0;
    MPI_Status statuses[TOTAL];

    while (sum < TOTAL - 1) {
        CHECK(MPI_Waitsome(TOTAL, r, &n, indices, statuses) == MPI_SUCCESS);
        CHECK(n > 0);
        sum += n;
    }
}

static void by_test(MPI_Request r[])
{
    for (int left = TOTAL; left;)
        for (int i = left = 0; i < TOTAL; i++) {
            int flag;
            MPI_Status status;
            CHECK(MPI_Test(&r[i], &flag, &status) == MPI_SUCCESS);
            left += !flag;
        }
}

static void by_testall(MPI_Request r[])
{
    for (int flag = 0; !flag;)
        CHECK(MPI_Testall(TOTAL, r, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
}

static void by_testany(MPI_Request r[])
{
    int index = 0, flag = 0;

    while (index != MPI_UNDEFINED || !flag)
        CHECK(MPI_Testany(TOTAL, r, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void by_testsome(MPI_Request r[])
{
    int n = 0, indices[TOTAL];

    while (n != MPI_UNDEFINED)
        CHECK(MPI_Testsome(TOTAL, r, &n, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
}

/* Every rank completes in its own way, over several rounds, listing its requests in another order.
 */
static void native_completion_calls_take_any_mix_of_requests(void)
{
    static void (*const ways[])(MPI_Request[]) = {
        by_wait, by_waitall, by_waitall_ignoring, by_waitany,  by_waitsome,
        by_test, by_testall, by_testany,          by_testsome,
    };
    const int n = sizeof ways / sizeof *ways;
    load w;

    load_open(&w);
    for (int round = 0; round < 2 * n; round++) {
        mpi_test_context("round %d", round);
        load_start(&w);
        ways[(round + (round < n ? 0 : world_rank)) % n](w.requests);
        load_check(&w);
    }
    load_close(&w);
}

static void the_status_of_a_native_request_is_empty(void)
{
    int *all = calloc((size_t)world_size, sizeof *all), count = -1, cancelled = 1;
    MPI_Request r;
    MPI_Status status;

    CHECK(MPIX_Iallgather_auto(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
    MPI_Get_count(&status, MPI_BYTE, &count);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(count == 0 && !cancelled);
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    free(all);
}

/* Law 6: with the channel the first call on a communicator returns although rank 1 has not made its
 * own, and rank 1 makes it only after a message that rank 0 sends behind it. */
static void the_first_call_on_a_communicator_does_not_block(void)
{
    int *all = calloc((size_t)world_size, sizeof *all), go = 0, prepared = 0;
    MPI_Request r;
    MPI_Comm fresh;

    CHECK(tutti_init() == MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    CHECK(tutti_comm_prepared(fresh, &prepared) == MPI_SUCCESS && prepared);
    if (world_rank == 1)
        MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, fresh, &r) == MPI_SUCCESS);
    if (world_rank == 0 && world_size > 1)
        MPI_Send(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    MPI_Comm_free(&fresh);
    free(all);
}

/* The same for a communicator in use: a rank that starts late is waited for by nobody's call. */
static void a_rank_that_starts_late_delays_only_completion(void)
{
    int *all = calloc((size_t)world_size, sizeof *all), go = 0;
    MPI_Request r;

    if (world_rank == world_size - 1 && world_size > 1)
        MPI_Recv(&go, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(MPIX_Iallgather_sparbit(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    if (world_rank == 0 && world_size > 1)
        MPI_Send(&go, 1, MPI_INT, world_size - 1, 2, MPI_COMM_WORLD);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    free(all);
}

/* tutti_progress alone completes an operation; a native test then only sees it. */
static void progress_calls_complete_operations(void)
{
    int *all = calloc((size_t)world_size, sizeof *all), flag = 0;
    MPI_Request r;

    CHECK(MPIX_Iallgather_bruck(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    for (int i = 0; i < 10000000 && all[world_size - 1] != world_size - 1; i++)
        CHECK(tutti_progress() == MPI_SUCCESS);
    for (int i = 0; i < 1000000 && !flag; i++) {
        tutti_progress();
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    }
    CHECK(flag);
    free(all);
}

/* ---- persistent ---- */

typedef struct family {
    int mine[N], *all[N];
    MPIX_Request requests[N + 1]; /* the last one is null */
} family;

static void family_open(family *f)
{
    for (int i = 0; i < N; i++) {
        f->all[i] = calloc((size_t)world_size, sizeof(int));
        call_args a = calls_ints(&f->mine[i], 1, f->all[i], MPI_COMM_WORLD);
        CHECK(calls_init(algorithm(i), false, &a, MPI_INFO_NULL, &f->requests[i]) == MPI_SUCCESS);
    }
    f->requests[N] = MPIX_REQUEST_NULL;
}

static void family_close(family *f)
{
    for (int i = 0; i < N; i++) {
        CHECK(MPIX_Request_free(&f->requests[i]) == MPI_SUCCESS);
        free(f->all[i]);
    }
}

static void family_fill(family *f, int round)
{
    for (int i = 0; i < N; i++) {
        f->mine[i] = world_rank + i * 1000 + round * 100000;
        memset(f->all[i], 0x7f, (size_t)world_size * sizeof(int));
    }
}

static void family_check(const family *f, int round)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < world_size; k++)
            CHECK(f->all[i][k] == k + i * 1000 + round * 100000);
}

static void complete_persistent(MPIX_Request r[], int way)
{
    int index = 0, flag = 0, n = 0, sum = 0, indices[N + 1];
    MPI_Status statuses[N + 1];

    switch (way % 8) {
    case 0:
        CHECK(MPIX_Waitall(N + 1, r, statuses) == MPI_SUCCESS);
        break;
    case 1:
        for (int i = N; i >= 0; i--)
            CHECK(MPIX_Wait(&r[i], &statuses[i]) == MPI_SUCCESS);
        break;
    case 2:
        for (; index != MPI_UNDEFINED; n++)
            CHECK(MPIX_Waitany(N + 1, r, &index, statuses) == MPI_SUCCESS);
        CHECK(n == N + 1);
        break;
    case 3:
        for (; n != MPI_UNDEFINED; sum += n > 0 ? n : 0)
            CHECK(MPIX_Waitsome(N + 1, r, &n, indices, statuses) == MPI_SUCCESS);
        CHECK(sum == N);
        break;
    case 4:
        while (!flag)
            CHECK(MPIX_Testall(N + 1, r, &flag, statuses) == MPI_SUCCESS);
        break;
    case 5:
        while (!flag || index != MPI_UNDEFINED)
            CHECK(MPIX_Testany(N + 1, r, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        break;
    case 6:
        while (n != MPI_UNDEFINED)
            CHECK(MPIX_Testsome(N + 1, r, &n, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        break;
    default:
        for (int i = 0; i <= N; i++)
            for (flag = 0; !flag;)
                CHECK(MPIX_Test(&r[i], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
}

/* Started one by one in an order of each rank's own, or all at once. */
static void persistent_requests_start_and_complete_in_any_order(void)
{
    family f;

    family_open(&f);
    for (int round = 0; round < 16; round++) {
        mpi_test_context("round %d", round);
        family_fill(&f, round);
        if (round % 3 == 0)
            CHECK(MPIX_Startall(N, f.requests) == MPI_SUCCESS);
        else
            for (int i = 0; i < N; i++)
                CHECK(MPIX_Start(&f.requests[(i * 3 + world_rank * 5) % N]) == MPI_SUCCESS);
        complete_persistent(f.requests, round < 8 ? round : round + world_rank);
        family_check(&f, round);
    }
    family_close(&f);
}

static void a_native_start_joins_native_requests(void)
{
    family f;
    MPI_Request native[N + 2];
    int left = (world_rank - 1 + world_size) % world_size, right = (world_rank + 1) % world_size;
    int in = -1, flag;

    family_open(&f);
    for (int round = 0; round < 4; round++) {
        family_fill(&f, round);
        for (int i = 0; i < N; i++)
            CHECK(MPIX_Start_native(&f.requests[(i + world_rank) % N], &native[i]) == MPI_SUCCESS);
        CHECK_CLASS(MPIX_Wait(&f.requests[0], MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        CHECK_CLASS(MPIX_Test(&f.requests[0], &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        CHECK_CLASS(MPIX_Request_free(&f.requests[0]), MPI_ERR_REQUEST);
        MPI_Irecv(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &native[N]);
        MPI_Isend(&world_rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &native[N + 1]);
        CHECK(MPI_Waitall(N + 2, native, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        family_check(&f, round);
        CHECK(in == left);
        family_fill(&f, round + 50); /* and the ordinary way again */
        CHECK(MPIX_Startall(N, f.requests) == MPI_SUCCESS);
        CHECK(MPIX_Waitall(N, f.requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        family_check(&f, round + 50);
    }
    family_close(&f);
}

static void null_and_inactive_requests_are_complete(void)
{
    MPIX_Request r[2] = {MPIX_REQUEST_NULL, MPIX_REQUEST_NULL};
    int *all = calloc((size_t)world_size, sizeof *all), flag = 0, index = 0, n = 0, indices[2];
    MPI_Status status = {0};

    MPIX_Allgather_ring_init(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                             MPI_INFO_NULL, &r[1]);
    for (int i = 0; i < 2; i++) {
        CHECK(MPIX_Wait(&r[i], &status) == MPI_SUCCESS);
        CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
        CHECK(MPIX_Test(&r[i], &flag, &status) == MPI_SUCCESS && flag);
    }
    CHECK(MPIX_Waitall(2, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(MPIX_Waitany(2, r, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED);
    CHECK(MPIX_Waitsome(2, r, &n, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS &&
          n == MPI_UNDEFINED);
    CHECK(MPIX_Testall(2, r, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && flag);
    CHECK(MPIX_Testany(2, r, &index, &flag, &status) == MPI_SUCCESS && flag &&
          index == MPI_UNDEFINED);
    CHECK(MPIX_Waitall(0, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    MPIX_Request_free(&r[1]);
    free(all);
}

/* Init alone sends nothing that a later start could meet: rounds of start without any other
 * synchronization, one rank always ahead of the others. */
static void starts_of_one_request_do_not_mix(void)
{
    enum { WORDS = 3000 };
    int *mine = calloc(WORDS, sizeof *mine);
    int *all = malloc((size_t)world_size * WORDS * sizeof *all);
    MPIX_Request r;

    CHECK(MPIX_Allgather_auto_init(mine, WORDS, MPI_INT, all, WORDS, MPI_INT, MPI_COMM_WORLD,
                                   MPI_INFO_NULL, &r) == MPI_SUCCESS);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < WORDS; i++)
            mine[i] = world_rank * 1000 + round;
        CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < world_size; k++)
            CHECK(all[k * WORDS] == k * 1000 + round &&
                  all[k * WORDS + WORDS - 1] == all[k * WORDS]);
    }
    MPIX_Request_free(&r);
    free(all);
    free(mine);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(the_first_call_on_a_communicator_does_not_block),
        MPI_TEST(native_completion_calls_take_any_mix_of_requests),
        MPI_TEST(the_status_of_a_native_request_is_empty),
        MPI_TEST(a_rank_that_starts_late_delays_only_completion),
        MPI_TEST(progress_calls_complete_operations),
        MPI_TEST(persistent_requests_start_and_complete_in_any_order),
        MPI_TEST(a_native_start_joins_native_requests),
        MPI_TEST(null_and_inactive_requests_are_complete),
        MPI_TEST(starts_of_one_request_do_not_mix),
    };

    return mpi_test_main(argc, argv, "requests", tests, sizeof tests / sizeof *tests);
}
