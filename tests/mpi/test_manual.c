/* SPDX-License-Identifier: BSD-3-Clause */
/* test_manual.c - with TUTTI_PROGRESS=manual only our own calls advance operations. */
#include "mpi/calls.h"

#include <stdlib.h>
#include <string.h>

static void the_driver_is_the_forced_one(void)
{
    const char *name = "", *reason = "";

    CHECK(tutti_progress_driver(&name, &reason) == MPI_SUCCESS);
    CHECK(strcmp(name, "manual") == 0 && strstr(reason, "forced"));
}

/* Native tests do not complete it, unless all has come before the start; tutti_progress does, and
 * then a native wait returns. */
static void native_tests_wait_for_tutti_progress(void)
{
    int *all = calloc((size_t)world_size, sizeof *all), flag = 0, at_once;
    MPI_Request r;

    CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    MPI_Test(&r, &at_once, MPI_STATUS_IGNORE);
    flag = at_once;
    for (int i = 0; i < 100 && !at_once; i++) {
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
    }
    while (!flag) {
        tutti_progress();
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    free(all);
}

static void persistent_requests_need_no_driver(void)
{
    int *all = calloc((size_t)world_size, sizeof *all);
    MPIX_Request r;

    CHECK(MPIX_Allgather_bruck_init(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &r) == MPI_SUCCESS);
    CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    MPIX_Request_free(&r);
    free(all);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(the_driver_is_the_forced_one),
        MPI_TEST(native_tests_wait_for_tutti_progress),
        MPI_TEST(persistent_requests_need_no_driver),
    };

    return mpi_test_main(argc, argv, "manual", tests, sizeof tests / sizeof *tests);
}
