/* SPDX-License-Identifier: BSD-3-Clause */
/* test_driver.c - a driver that fails its self-test is not used: the next one in order is. Looks
 * inside the library, to make the self-test fail. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "mpi/calls.h"

#include "nbc/process/test_knobs.h"
#include "nbc/progress/driver.h"
#include "topo/pu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void a_driver_that_fails_the_self_test_is_replaced_by_the_next(void)
{
    const char *name = "", *reason = "", *preferred, *next;
    char refused[80];
    int level;

    MPI_Query_thread(&level);
    preferred = mpi_test_is(MPI_FAMILY_OPENMPI, 0) ? "hook" : "poll";
    next = level == MPI_THREAD_MULTIPLE ? "thread" : "manual";
    if (level != MPI_THREAD_MULTIPLE && dlsym(RTLD_DEFAULT, "MPIX_Async_start")) {
        preferred = "async";
        next = "poll";
    }
    driver_test_refuses = preferred;
    CHECK(tutti_progress_driver(&name, &reason) == MPI_SUCCESS);
    CHECK(strcmp(name, next) == 0);
    snprintf(refused, sizeof refused, "not %s: an operation did not complete", preferred);
    CHECK(strstr(reason, refused) != NULL);
    if (strcmp(next, "manual") == 0)
        CHECK(strstr(reason, "not thread: MPI_THREAD_MULTIPLE") != NULL);
}

/* Under deaf_async.c: MPI takes our function, and does not call it. */
static void a_function_that_is_never_called_is_not_relied_on(void)
{
    const char *name = "", *reason = "";

    CHECK(tutti_progress_driver(&name, &reason) == MPI_SUCCESS);
    CHECK(strcmp(name, "poll") == 0);
    CHECK(strstr(reason, "not async: an operation did not complete") != NULL);
}

static void the_replacement_completes_operations(void)
{
    int *all = calloc((size_t)world_size, sizeof *all), flag = 0;
    MPI_Request r;

    CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    while (!flag) {
        tutti_progress();
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    free(all);
}

/* A waiting thread does not leave the work to a progress thread that may wait for a processor much
 * longer than it: here that is not there at all. */
static void native_calls_advance_without_the_progress_thread(void)
{
    enum { TESTS = 50 * 1000 * 1000 };
    int *all = calloc((size_t)world_size, sizeof *all), flag = 0, level;
    MPI_Request r;

    MPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) {
        CHECK(driver_thread_stop() == MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
              MPI_SUCCESS);
        for (int i = 0; !flag && i < TESTS; i++)
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        CHECK(flag);
        CHECK(driver_thread_start(PU_DEFAULT, false, false) == MPI_SUCCESS);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        for (int i = 0; i < world_size; i++)
            CHECK(all[i] == i);
    }
    free(all);
}

int main(int argc, char **argv)
{
    static const mpi_test deaf[] = {
        MPI_TEST(a_function_that_is_never_called_is_not_relied_on),
        MPI_TEST(the_replacement_completes_operations),
    };
    static const mpi_test tests[] = {
        MPI_TEST(a_driver_that_fails_the_self_test_is_replaced_by_the_next),
        MPI_TEST(the_replacement_completes_operations),
        MPI_TEST(native_calls_advance_without_the_progress_thread),
    };

    if (dlsym(RTLD_DEFAULT, "deaf_async"))
        return mpi_test_main(argc, argv, "driver deaf", deaf, sizeof deaf / sizeof *deaf);
    return mpi_test_main(argc, argv, "driver", tests, sizeof tests / sizeof *tests);
}
