/* SPDX-License-Identifier: BSD-3-Clause */
/* test_requests.c - our native requests among those of the MPI, completed by all its calls. */
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
static int slot(int i)
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
        CHECK(calls_start(algorithm(i), false, &a, &w->requests[slot(i)]) == MPI_SUCCESS);
    }
    w->token_out = world_rank + w->round;
    MPI_Irecv(&w->token_in, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &w->requests[slot(OURS)]);
    MPI_Isend(&w->token_out, 1, MPI_INT, right, 9, MPI_COMM_WORLD, &w->requests[slot(OURS + 1)]);
    w->requests[slot(OURS + 2)] = MPI_REQUEST_NULL;
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
 * own, and rank 1 makes it only after a message that rank 0 sends after it. */
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
    for (int i = 0; i < 10000000 && mpi_test_peek(all + world_size - 1) != world_size - 1; i++)
        CHECK(tutti_progress() == MPI_SUCCESS);
    for (int i = 0; i < 1000000 && !flag; i++) {
        tutti_progress();
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    }
    CHECK(flag);
    free(all);
}

/* Do native calls advance operations, whatever they wait for themselves? */
static bool any_call_advances(void)
{
    const char *name, *reason;

    CHECK(tutti_progress_driver(&name, &reason) == MPI_SUCCESS);
    return strcmp(name, "hook") == 0 || strcmp(name, "async") == 0 || strcmp(name, "thread") == 0;
}

static void send_to(int first, int count)
{
    for (int r = first; r < first + count; r++)
        MPI_Send(NULL, 0, MPI_INT, r, 0, MPI_COMM_WORLD);
}

static void receive_from(int first, int count)
{
    for (int r = first; r < first + count; r++)
        MPI_Recv(NULL, 0, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* MPIs call a function of ours as long as something runs. What waits for the last rank to come to a
 * new communicator runs, however often the program looks at it meanwhile: the last rank needs it
 * while the others receive. */
static void what_waits_for_its_communicator_is_not_forgotten(void)
{
    enum { LOOKS = 4000 };
    int *all = calloc((size_t)world_size, sizeof *all), last = world_size - 1;
    bool is_last = world_rank == last;
    MPI_Request r;
    MPI_Comm comm;

    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
    if (is_last)
        receive_from(0, last);
    CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, comm, &r) == MPI_SUCCESS);
    for (int i = 0; !is_last && i < LOOKS; i++)
        CHECK(tutti_progress() == MPI_SUCCESS);
    if (!is_last)
        send_to(last, 1);
    if (!is_last && any_call_advances())
        receive_from(last, 1);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    if (is_last && any_call_advances())
        send_to(0, last);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
    free(all);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(the_first_call_on_a_communicator_does_not_block),
        MPI_TEST(native_completion_calls_take_any_mix_of_requests),
        MPI_TEST(the_status_of_a_native_request_is_empty),
        MPI_TEST(a_rank_that_starts_late_delays_only_completion),
        MPI_TEST(progress_calls_complete_operations),
        MPI_TEST(what_waits_for_its_communicator_is_not_forgotten),
    };

    return mpi_test_main(argc, argv, "requests", tests, sizeof tests / sizeof *tests);
}
