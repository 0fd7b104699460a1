/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_lifetime.c - an MPI program that knows nothing of Tutti: long runs, many operations, a rank
 * that stops for a second, and requests that are never freed. Run under libtutti_mpi.so.
 */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STARTS = 100000, WARM = 10000, COMMS = 16, EACH = 64, ALL = COMMS * EACH };

/* ---- flat memory ---- */

static long resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f && fscanf(f, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Nobody may run ahead of the others without end: unexpected messages would pile up in the MPI. */
static void start_and_wait(MPI_Request *r, int *mine, const int *all, int from, int to)
{
    for (int i = from; i < to; i++) {
        *mine = world_rank + i;
        MPI_Start(r);
        MPI_Wait(r, MPI_STATUS_IGNORE);
        if (all[world_size - 1] != world_size - 1 + i)
            CHECK(!"wrong data");
        if (i % 1000 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void a_hundred_thousand_starts_need_no_more_memory(void)
{
    int mine = 0, *all = malloc((size_t)world_size * sizeof *all);
    long before, grown;
    MPI_Request r;

    PERSISTENT(Allgather)(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    start_and_wait(&r, &mine, all, 0, WARM);
    before = resident_kib();
    start_and_wait(&r, &mine, all, WARM, WARM + STARTS);
    grown = resident_kib() - before;
    mpi_test_context("grown by %ld KiB", grown);
    CHECK(before > 0 && grown < 512);
    if (world_rank == 0)
        printf("resident memory after %d starts: %+ld KiB\n", STARTS, grown);
    MPI_Request_free(&r);
    free(all);
}

static void inits_and_frees_need_no_more_memory(void)
{
    int mine = world_rank, *all = malloc((size_t)world_size * sizeof *all);
    long before = 0, grown;
    MPI_Request r, first = MPI_REQUEST_NULL;
    bool same = false;

    for (int i = 0; i < 6000; i++) {
        if (i == 3000)
            before = resident_kib();
        PERSISTENT(Allgather)
        (&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        first = i == 0 ? r : first;
        same = r == first;
        MPI_Request_free(&r);
    }
    CHECK(same); /* handles are used again */
    grown = resident_kib() - before;
    mpi_test_context("grown by %ld KiB", grown);
    CHECK(before > 0 && grown < 1000); /* of 3000: on 8 ranks new pages are touched for long */
    free(all);
}

/* ---- many ---- */

/* Even ones are non-blocking, odd ones persistent; completed in another order on every rank. */
static void many_operations_on_many_communicators_complete(void)
{
    MPI_Comm comm[COMMS];
    MPI_Request *r = malloc(ALL * sizeof *r);
    int *mine = malloc(ALL * sizeof *mine), p = world_size;
    int *all = malloc(ALL * (size_t)p * sizeof *all);

    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int k = 0; k < ALL; k++) {
        mine[k] = world_rank * ALL + k;
        if (k % 2)
            PERSISTENT(Allgather)
        (&mine[k], 1, MPI_INT, all + k * p, 1, MPI_INT, comm[k / EACH], MPI_INFO_NULL, &r[k]);
        else MPI_Iallgather(&mine[k], 1, MPI_INT, all + k * p, 1, MPI_INT, comm[k / EACH], &r[k]);
    }
    for (int k = 1; k < ALL; k += 2)
        MPI_Start(&r[k]);
    for (int i = 0; i < ALL / 2; i++)
        MPI_Wait(&r[(i * 769 + world_rank * 331) % ALL], MPI_STATUS_IGNORE);
    CHECK(MPI_Waitall(ALL, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (int k = 0; k < ALL; k++)
        for (int i = 0; i < p; i++)
            CHECK(all[k * p + i] == i * ALL + k);
    for (int k = 1; k < ALL; k += 2)
        MPI_Request_free(&r[k]);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comm[i]);
    free(r);
    free(mine);
    free(all);
}

/* ---- a rank that stops ---- */

/* A child wakes us up again: SIGSTOP cannot be caught. */
static void stop_for_a_second(void)
{
    pid_t parent = getpid(), child = fork();

    if (child == 0) {
        sleep(1);
        kill(parent, SIGCONT);
        _exit(0);
    }
    kill(parent, SIGSTOP);
    waitpid(child, NULL, 0);
}

static void a_rank_that_was_stopped_catches_up(void)
{
    int mine = 0, *all = malloc((size_t)world_size * sizeof *all);
    int *other = malloc((size_t)world_size * sizeof *other), last = world_size - 1;
    MPI_Request r[2];

    PERSISTENT(Allgather)(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    for (int i = 0; i < 2000; i++) {
        mine = world_rank + i;
        MPI_Start(&r[0]);
        MPI_Iallgather(&mine, 1, MPI_INT, other, 1, MPI_INT, MPI_COMM_WORLD, &r[1]);
        if (i == 1000 && world_rank == last)
            stop_for_a_second(); /* in the middle of two operations */
        CHECK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < world_size; k++)
            CHECK(all[k] == k + i && other[k] == k + i);
    }
    MPI_Request_free(&r[0]);
    free(all);
    free(other);
}

/* ---- the end ---- */

/* The last test: MPI_Finalize meets inactive requests that nobody has freed, one after a start, and
 * a freed communicator's. */
static void finalize_may_find_forgotten_requests(void)
{
    static int mine, all[3][64];
    MPI_Comm freed;
    MPI_Request r[3];

    MPI_Comm_dup(MPI_COMM_WORLD, &freed);
    for (int i = 0; i < 3; i++)
        PERSISTENT(Allgather)
    (&mine, 1, MPI_INT, all[i], 1, MPI_INT, i ? MPI_COMM_WORLD : freed, MPI_INFO_NULL, &r[i]);
    MPI_Comm_free(&freed);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(a_hundred_thousand_starts_need_no_more_memory),
        MPI_TEST(inits_and_frees_need_no_more_memory),
        MPI_TEST(many_operations_on_many_communicators_complete),
        MPI_TEST(a_rank_that_was_stopped_catches_up),
        MPI_TEST(finalize_may_find_forgotten_requests),
    };

    return mpi_test_main(argc, argv, "plain_lifetime", tests, sizeof tests / sizeof *tests);
}
