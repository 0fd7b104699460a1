/* SPDX-License-Identifier: BSD-3-Clause */
/* test_planning.c - the planner, which may need tens of milliseconds, holds up nobody: when it runs
 * neither the engine's lock is held nor the library's, whoever asks: tutti_comm_explain, a call, or
 * a non-blocking call whose communicator was not ready yet, in whatever thread that goes on. And an
 * operation that waits for it is not overtaken by those after it. Looks inside the library.
 *
 * The linker puts __wrap_planner_choose instead of planner_choose (tests/CMakeLists.txt).
 */
#include "mpi/mpi_test.h"

#include "nbc/process/process.h"
#include "tune/planner.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tutti.h>

enum { ROUNDS = 20, CALLS = 6, MOST = 5000 };

static atomic_int planned;
static bool slow;

int __real_planner_choose(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                          const constants *k, choice *result, forecast best[2], const char **why);
int __wrap_planner_choose(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                          const constants *k, choice *result, forecast best[2], const char **why);

/* Another thread may hold a lock for a moment. */
static bool engine_comes_free(void)
{
    bool free = false;

    for (int i = 0; i < 1000 && !free; i++) {
        free = engine_try_enter();
        if (!free)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    if (free)
        engine_leave();
    return free;
}

int __wrap_planner_choose(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                          const constants *k, choice *result, forecast best[2], const char **why)
{
    CHECK(engine_comes_free());
    process_lock(); /* waits for ever if this thread has it */
    process_unlock();
    if (slow)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    planned++;
    return __real_planner_choose(c, bytes, without, t, k, result, best, why);
}

static MPI_Comm fresh(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

static void explaining_holds_up_nobody(void)
{
    char text[400], call[64];

    CHECK(tutti_init() == MPI_SUCCESS);
    planned = 0;
    for (int i = 0; i < 4; i++) {
        snprintf(call, sizeof call, "allreduce %d", 3 << i);
        CHECK(tutti_comm_explain(MPI_COMM_WORLD, call, text, sizeof text) == MPI_SUCCESS);
    }
    CHECK(planned == 4);
}

static int *from, *to;

/* The sizes of each round are new ones, so that all are planned. */
static void start_all(MPI_Comm comm, int round, MPI_Request r[CALLS])
{
    for (int i = 0; i < CALLS; i++) {
        int n = 1 + round % 10 * 400 + i;
        for (int k = 0; k < n; k++)
            from[i * MOST + k] = 1000 * world_rank + round + k;
        CHECK(i % 2 ? MPIX_Ibcast_auto(i % 4 == 1 && world_rank == 0 ? from + i * MOST
                                                                     : to + i * MOST,
                                       n, MPI_INT, 0, comm, &r[i]) == MPI_SUCCESS
                    : MPIX_Iallreduce_auto(from + i * MOST, to + i * MOST, n, MPI_INT, MPI_SUM,
                                           comm, &r[i]) == MPI_SUCCESS);
    }
}

static void check_sums(int round)
{
    for (int i = 0; i < CALLS; i += 2) {
        int n = 1 + round % 10 * 400 + i, wrong = 0;
        for (int k = 0; k < n; k++)
            wrong +=
                to[i * MOST + k] != 500 * world_size * (world_size - 1) + world_size * (round + k);
        CHECK(wrong == 0);
    }
}

/* On a communicator whose ranks have not exchanged yet where they are; on one that became
 * ready meanwhile; and on one that is. */
static void late_calls_hold_up_nobody_and_keep_their_order(void)
{
    MPI_Request r[2 * CALLS];

    from = calloc((size_t)CALLS * MOST, sizeof *from);
    to = calloc((size_t)2 * CALLS * MOST, sizeof *to);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm = fresh();
        slow = round % 2;
        mpi_test_context("round %d", round);
        start_all(comm, round, r);
        if (round % 3 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE);
        check_sums(round);
        start_all(comm, round + 5, r);
        MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE);
        check_sums(round + 5);
        MPI_Comm_free(&comm);
    }
    CHECK(world_size < 3 || planned > ROUNDS);
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(explaining_holds_up_nobody),
        MPI_TEST(late_calls_hold_up_nobody_and_keep_their_order),
    };

    return mpi_test_main(argc, argv, "planning", tests, sizeof tests / sizeof *tests);
}
