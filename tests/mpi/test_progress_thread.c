/* SPDX-License-Identifier: BSD-3-Clause */
/* test_progress_thread.c - the thread advances, sleeps, and is started and stopped as documented.
 * Run at MPI_THREAD_MULTIPLE (with the thread as the driver, and beside another one) and below it.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "mpi/calls.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static bool multiple(void)
{
    int level;

    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

/* Is the thread the driver? */
static bool is_driver(void)
{
    const char *forced = getenv("TUTTI_PROGRESS");

    return forced && strcmp(forced, "thread") == 0;
}

static void nap(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

    nanosleep(&t, NULL);
}

static double cpu_seconds(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void without_thread_multiple_it_is_refused(void)
{
    if (multiple())
        return;
    CHECK_CLASS(tutti_progress_thread_start(MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(tutti_progress_thread_stop(), MPI_ERR_OTHER);
}

/* No MPI call of ours between start and the arrival of the last block: only the thread can have
 * done that. A ring, so that every rank has to forward. */
static void operations_complete_while_the_program_makes_no_call(void)
{
    int p = world_size, last = (world_rank + 1) % p, tries = 0, mine = world_rank + 1;
    int *all = malloc((size_t)p * sizeof *all);
    MPIX_Request r;

    if (!multiple())
        return;
    CHECK(tutti_progress_thread_start(MPI_INFO_NULL) == MPI_SUCCESS);
    CHECK(MPIX_Allgather_ring_init(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                                   MPI_INFO_NULL, &r) == MPI_SUCCESS);
    for (int round = 0; round < 5; round++) {
        memset(all, 0, (size_t)p * sizeof *all);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS);
        for (tries = 0; mpi_test_peek(&all[last]) == 0 && tries < 20000; tries++)
            nap(0.001);
        CHECK(mpi_test_peek(&all[last]) == last + 1);
        CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
    CHECK(tutti_progress_thread_stop() == MPI_SUCCESS);
    free(all);
}

static void native_waits_return(void)
{
    int p = world_size;
    int *all = malloc(3 * (size_t)p * sizeof *all);
    MPI_Request r[3];

    if (!multiple())
        return;
    CHECK(tutti_progress_thread_start(MPI_INFO_NULL) == MPI_SUCCESS);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 3; i++) {
            all[i * p + world_rank] = world_rank + round + i;
            CHECK(MPIX_Iallgather_bruck(MPI_IN_PLACE, 0, MPI_INT, all + i * p, 1, MPI_INT,
                                        MPI_COMM_WORLD, &r[i]) == MPI_SUCCESS);
        }
        if (round % 3 == 0) {
            MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
        } else if (round % 3 == 1) {
            for (int i = 2; i >= 0; i--)
                MPI_Wait(&r[i], MPI_STATUS_IGNORE);
        } else {
            for (int i = 0, index; i < 3; i++)
                MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < 3 * p; i++)
            CHECK(all[i] == i % p + round + i / p);
    }
    CHECK(tutti_progress_thread_stop() == MPI_SUCCESS);
    free(all);
}

static void it_costs_nothing_while_nothing_runs(void)
{
    double before;

    if (!multiple())
        return;
    CHECK(tutti_progress_thread_start(MPI_INFO_NULL) == MPI_SUCCESS);
    nap(0.2);
    before = cpu_seconds();
    nap(1.0);
    CHECK(cpu_seconds() - before < 0.05);
    CHECK(tutti_progress_thread_stop() == MPI_SUCCESS);
}

/* Units that the thread named "tutti" may run on, "" if there is no such thread. */
static void units_of_the_thread(char units[64])
{
    char path[320], line[128] = "";
    DIR *tasks = opendir("/proc/self/task");

    units[0] = '\0';
    for (struct dirent *d; tasks && (d = readdir(tasks)) != NULL;) {
        bool named = false;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
        FILE *f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f)) {
            named |= strcmp(line, "Name:\ttutti\n") == 0;
            if (named)
                sscanf(line, "Cpus_allowed_list: %63s", units);
        }
        if (f)
            fclose(f);
    }
    if (tasks)
        closedir(tasks);
}

/* A joined thread stays in /proc until the kernel has taken it apart, some time after pthread_join.
 */
static void wait_until_it_is_gone(void)
{
    char units[64] = "";

    for (int i = 0; i < 10000; i++) {
        units_of_the_thread(units);
        if (units[0] == '\0')
            return;
        nap(0.001);
    }
    CHECK(units[0] == '\0');
}

static void stop_it(void)
{
    CHECK(tutti_progress_thread_stop() == MPI_SUCCESS);
    wait_until_it_is_gone();
}

static void starts_are_counted(void)
{
    bool forced = is_driver(); /* its own start counts */
    char units[64];

    if (!multiple())
        return;
    CHECK(tutti_progress_thread_start(MPI_INFO_NULL) == MPI_SUCCESS);
    CHECK(tutti_progress_thread_start(MPI_INFO_NULL) == MPI_SUCCESS);
    CHECK(tutti_progress_thread_stop() == MPI_SUCCESS);
    units_of_the_thread(units);
    CHECK(units[0] != '\0'); /* it still runs */
    if (!forced) {
        stop_it();
        CHECK_CLASS(tutti_progress_thread_stop(), MPI_ERR_OTHER);
        return;
    }
    CHECK(tutti_progress_thread_stop() == MPI_SUCCESS);
    nap(0.1);
    units_of_the_thread(units);
    CHECK(units[0] != '\0');
}

/* The ranks are not bound: alone on the machine the thread gets a unit of its own, beside others it
 * may run wherever the process may. */
static void by_default_it_takes_a_unit_that_nobody_else_uses(void)
{
    char units[64];
    cpu_set_t mine;

    if (!multiple() || is_driver() || sched_getaffinity(0, sizeof mine, &mine) != 0 ||
        CPU_COUNT(&mine) < 2)
        return;
    CHECK(tutti_progress_thread_start(MPI_INFO_NULL) == MPI_SUCCESS);
    units_of_the_thread(units);
    CHECK((strpbrk(units, ",-") == NULL) == (world_size == 1));
    stop_it();
}

static void the_unit_can_be_chosen(void)
{
    char units[64];

    MPI_Info info;

    if (!multiple() || is_driver())
        return; /* it runs already: the key is ignored */
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_cpu", "0");
    CHECK(tutti_progress_thread_start(info) == MPI_SUCCESS);
    units_of_the_thread(units);
    CHECK(strcmp(units, "0") == 0);
    stop_it();
    MPI_Info_set(info, "tutti_cpu", "none");
    CHECK(tutti_progress_thread_start(info) == MPI_SUCCESS);
    CHECK(tutti_progress_thread_stop() == MPI_SUCCESS);
    static const char *const wrong[] = {"99999", "-1", "1x", "first", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong && wrong[i][0]; i++) {
        MPI_Info_set(info, "tutti_cpu", wrong[i]);
        CHECK_CLASS(tutti_progress_thread_start(info), MPI_ERR_INFO_VALUE);
    }
    MPI_Info_set(info, "tutti_cpu", "99999");
    MPI_Info_set(info, "tutti_when", "needed");
    CHECK_CLASS(tutti_progress_thread_start(info), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(tutti_progress_thread_stop(), MPI_ERR_OTHER); /* nothing was left running */
    wait_until_it_is_gone();
    MPI_Info_free(&info);
}

/* The last test: MPI_Finalize must stop it. */
static void finalize_may_find_it_running(void)
{
    if (multiple())
        CHECK(tutti_progress_thread_start(MPI_INFO_NULL) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(without_thread_multiple_it_is_refused),
        MPI_TEST(operations_complete_while_the_program_makes_no_call),
        MPI_TEST(native_waits_return),
        MPI_TEST(it_costs_nothing_while_nothing_runs),
        MPI_TEST(starts_are_counted),
        MPI_TEST(by_default_it_takes_a_unit_that_nobody_else_uses),
        MPI_TEST(the_unit_can_be_chosen),
        MPI_TEST(finalize_may_find_it_running),
    };

    return mpi_test_main(argc, argv, "progress_thread", tests, sizeof tests / sizeof *tests);
}
