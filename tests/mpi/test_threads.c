/* SPDX-License-Identifier: BSD-3-Clause */
/* test_threads.c - two threads at MPI_THREAD_MULTIPLE, each with communicators of its own, or in
 * turn on one. */
#include "mpi/calls.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, ROUNDS = 200 };

typedef struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int number, wrong;
} worker;

/* ---- the first calls ---- */

static atomic_bool first_over;

/* What is local, and may be called at any time. */
static void *ask(void *argument)
{
    worker *w = argument;
    const char *text;
    void *memory;
    int n;

    while (!atomic_load(&first_over)) {
        w->wrong += tutti_progress() != MPI_SUCCESS;
        w->wrong += tutti_alloc(100000, &memory) != MPI_SUCCESS;
        memset(memory, 1, 100000);
        w->wrong += tutti_free(memory) != MPI_SUCCESS;
        w->wrong += tutti_shared_memory(&n, &text) != MPI_SUCCESS;
        w->wrong += tutti_comm_prepared(w->comm, &n) != MPI_SUCCESS;
    }
    return NULL;
}

static void the_first_calls_may_come_at_the_same_time(void)
{
    int *all = calloc((size_t)world_size, sizeof *all), level;
    worker w[THREADS];

    MPI_Query_thread(&level);
    for (int i = 0; level == MPI_THREAD_MULTIPLE && i < THREADS; i++) {
        w[i] = (worker){.comm = MPI_COMM_WORLD};
        CHECK(pthread_create(&w[i].thread, NULL, ask, &w[i]) == 0);
    }
    CHECK(MPIX_Allgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    for (int r = 0; r < world_size; r++)
        CHECK(all[r] == r);
    atomic_store(&first_over, true);
    for (int i = 0; level == MPI_THREAD_MULTIPLE && i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        CHECK(w[i].wrong == 0);
    }
    free(all);
}

/* ---- the first call on a communicator ---- */

enum { COMMS = 60 };

static MPI_Comm asked[COMMS];
static atomic_int next_asked;

static void *ask_each(void *argument)
{
    worker *w = argument;

    for (int i = 0; i < COMMS; i++) {
        int flag = 0;
        while (atomic_load(&next_asked) <= i)
            sched_yield();
        while (!flag)
            w->wrong += tutti_comm_prepared(asked[i], &flag) != MPI_SUCCESS;
    }
    return NULL;
}

static void a_communicator_may_be_asked_about_beside_its_first_call(void)
{
    int *all = calloc((size_t)world_size, sizeof *all), level;
    worker w[THREADS] = {{0}};

    MPI_Query_thread(&level);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &asked[i]);
    for (int i = 0; level == MPI_THREAD_MULTIPLE && i < THREADS; i++)
        CHECK(pthread_create(&w[i].thread, NULL, ask_each, &w[i]) == 0);
    for (int i = 0; i < COMMS; i++) {
        atomic_store(&next_asked, i + 1);
        CHECK(MPIX_Allgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, asked[i]) ==
              MPI_SUCCESS);
        for (int r = 0; r < world_size; r++)
            CHECK(all[r] == r);
    }
    for (int i = 0; level == MPI_THREAD_MULTIPLE && i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        CHECK(w[i].wrong == 0);
    }
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&asked[i]);
    free(all);
}

/* ---- communicators of their own ---- */

static void check(worker *w, const int *all, int base)
{
    for (int i = 0; i < world_size; i++)
        w->wrong += all[i] != i * 1000 + base;
}

/* The communicator's first call happens in the thread, at the same time as the other thread's. */
static void *work(void *argument)
{
    worker *w = argument;
    int *all = calloc((size_t)world_size, sizeof *all), mine = 0, flag;
    MPIX_Request p;
    MPI_Request r;

    w->wrong += MPIX_Allgather_ring_init(&mine, 1, MPI_INT, all, 1, MPI_INT, w->comm, MPI_INFO_NULL,
                                         &p) != MPI_SUCCESS;
    for (int i = 0; i < ROUNDS; i++) {
        mine = world_rank * 1000 + i + w->number;
        w->wrong +=
            MPIX_Iallgather_bruck(&mine, 1, MPI_INT, all, 1, MPI_INT, w->comm, &r) != MPI_SUCCESS;
        if (i % 2)
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        else
            for (flag = 0; !flag;)
                MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        check(w, all, i + w->number);
        memset(all, 0, (size_t)world_size * sizeof *all);
        w->wrong += MPIX_Start(&p) != MPI_SUCCESS;
        w->wrong += MPIX_Wait(&p, MPI_STATUS_IGNORE) != MPI_SUCCESS;
        check(w, all, i + w->number);
    }
    MPIX_Request_free(&p);
    free(all);
    return NULL;
}

static void threads_work_side_by_side_on_their_own_communicators(void)
{
    worker w[THREADS];
    int level;

    MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE)
        return;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < THREADS; i++) {
            w[i] = (worker){.number = 7 * i};
            MPI_Comm_dup(MPI_COMM_WORLD, &w[i].comm);
        }
        for (int i = 0; i < THREADS; i++)
            CHECK(pthread_create(&w[i].thread, NULL, work, &w[i]) == 0);
        for (int i = 0; i < THREADS; i++) {
            pthread_join(w[i].thread, NULL);
            CHECK(w[i].wrong == 0);
            MPI_Comm_free(&w[i].comm);
        }
    }
}

/* ---- one communicator, calls in turn, completion at the same time ---- */

static atomic_int turn;

static void *work_in_turn(void *argument)
{
    worker *w = argument;
    int *all = calloc((size_t)world_size, sizeof *all), mine = 0;
    MPI_Request r;

    for (int i = 0; i < ROUNDS; i++) {
        mine = world_rank * 1000 + i + w->number;
        while (atomic_load(&turn) % THREADS != w->number)
            sched_yield();
        w->wrong +=
            MPIX_Iallgather_ring(&mine, 1, MPI_INT, all, 1, MPI_INT, w->comm, &r) != MPI_SUCCESS;
        atomic_fetch_add(&turn, 1);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        check(w, all, i + w->number);
    }
    free(all);
    return NULL;
}

static void threads_share_a_communicator_in_an_order_of_their_own(void)
{
    worker w[THREADS];
    MPI_Comm comm;
    int level;

    MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE)
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){.number = i, .comm = comm};
        CHECK(pthread_create(&w[i].thread, NULL, work_in_turn, &w[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        CHECK(w[i].wrong == 0);
    }
    MPI_Comm_free(&comm);
}

/* ---- requests of one communicator, made by one thread and freed by others ---- */

enum { REQUESTS = 300 };

static _Atomic(MPIX_Request) made[THREADS][REQUESTS];
static int contribution, gathered[64];

static void *free_as_they_come(void *argument)
{
    worker *w = argument;

    for (int i = 0; i < REQUESTS; i++) {
        MPIX_Request r;
        while (!(r = atomic_exchange(&made[w->number][i], NULL)))
            sched_yield();
        w->wrong += MPIX_Request_free(&r) != MPI_SUCCESS;
    }
    return NULL;
}

static void requests_may_be_freed_beside_an_init(void)
{
    worker w[THREADS];
    int level;

    MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE)
        return;
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){.number = i};
        CHECK(pthread_create(&w[i].thread, NULL, free_as_they_come, &w[i]) == 0);
    }
    for (int i = 0; i < THREADS * REQUESTS; i++) {
        MPIX_Request r;
        CHECK(MPIX_Allgather_ring_init(&contribution, 1, MPI_INT, gathered, 1, MPI_INT,
                                       MPI_COMM_WORLD, MPI_INFO_NULL, &r) == MPI_SUCCESS);
        atomic_store(&made[i % THREADS][i / THREADS], r);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        CHECK(w[i].wrong == 0);
    }
}

/* ---- plans are dropped while MPI calls back ---- */

enum { PLANS = 100, LONG = 4096 };

static atomic_bool over;

/* MPI may hold a lock of its own when it calls back because a request or a communicator goes. */
static void *be_called_back(void *argument)
{
    worker *w = argument;
    int sent = 7, received;
    MPI_Request r;
    MPI_Comm c;

    while (!atomic_load(&over)) {
        MPI_Comm_dup(MPI_COMM_SELF, &c);
        for (int i = 0; i < 20; i++) {
            received = 0;
            w->wrong += MPIX_Iallgather_ring(&sent, 1, MPI_INT, &received, 1, MPI_INT, c, &r) !=
                        MPI_SUCCESS;
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            w->wrong += received != sent;
        }
        MPI_Comm_free(&c);
    }
    return NULL;
}

/* A lock of ours must not be held when MPI is called: it would wait for the other thread's
 * callback, and that one for us. */
static void plans_are_dropped_beside_callbacks(void)
{
    size_t n = (size_t)world_size * LONG;
    int *from = calloc(n, sizeof *from), *to = calloc(n, sizeof *to), level;
    worker w = {0};

    MPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) {
        CHECK(pthread_create(&w.thread, NULL, be_called_back, &w) == 0);
        for (int i = 0; i < PLANS; i++) { /* its messages have datatypes of their own */
            CHECK(MPIX_Alltoall_bruck_zerocopy(from, LONG, MPI_INT, to, LONG, MPI_INT,
                                               MPI_COMM_WORLD) == MPI_SUCCESS);
            CHECK(tutti_comm_set_hints(MPI_COMM_WORLD, MPI_INFO_NULL) == MPI_SUCCESS);
        }
        atomic_store(&over, true);
        pthread_join(w.thread, NULL);
        CHECK(w.wrong == 0);
    }
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(the_first_calls_may_come_at_the_same_time),
        MPI_TEST(a_communicator_may_be_asked_about_beside_its_first_call),
        MPI_TEST(threads_work_side_by_side_on_their_own_communicators),
        MPI_TEST(threads_share_a_communicator_in_an_order_of_their_own),
        MPI_TEST(requests_may_be_freed_beside_an_init),
        MPI_TEST(plans_are_dropped_beside_callbacks),
    };

    return mpi_test_main(argc, argv, "threads", tests, sizeof tests / sizeof *tests);
}
