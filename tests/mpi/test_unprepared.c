/* SPDX-License-Identifier: BSD-3-Clause */
/* test_unprepared.c - communicators without the channel: nobody has called tutti_init. The tests
 * follow each other: the channel comes only when a communicator with the group of MPI_COMM_WORLD is
 * used. Looks inside the library.
 */
#include "mpi/calls.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/comm.h"
#include "nbc/process/process.h"

#include <stdlib.h>
#include <string.h>

static void check_call(MPI_Comm c)
{
    int p, rank, *all;
    MPI_Request r;

    MPI_Comm_size(c, &p);
    MPI_Comm_rank(c, &rank);
    all = malloc((size_t)p * sizeof *all);
    memset(all, -1, (size_t)p * sizeof *all);
    CHECK(MPIX_Iallgather_auto(&rank, 1, MPI_INT, all, 1, MPI_INT, c, &r) == MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < p; i++)
        CHECK(all[i] == i);
    memset(all, -1, (size_t)p * sizeof *all);
    CHECK(MPIX_Allgather_bruck(&rank, 1, MPI_INT, all, 1, MPI_INT, c) == MPI_SUCCESS);
    for (int i = 0; i < p; i++)
        CHECK(all[i] == i);
    free(all);
}

static bool prepared(MPI_Comm c)
{
    int flag = -1;

    CHECK(tutti_comm_prepared(c, &flag) == MPI_SUCCESS);
    return flag;
}

static void one_process_needs_nothing(void)
{
    CHECK(prepared(MPI_COMM_SELF));
    check_call(MPI_COMM_SELF);
    CHECK(channel_comm() == MPI_COMM_NULL);
}

static comm *state_of(MPI_Comm user)
{
    comm *c = NULL;

    CHECK(comm_get(user, &c) == MPI_SUCCESS);
    return c;
}

/* Of at least three ranks, so that some half has two. */
static void a_part_of_the_processes_gets_a_communicator_of_its_own(void)
{
    MPI_Comm half;
    int size;

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
    MPI_Comm_size(half, &size);
    CHECK(prepared(half) == (size == 1));
    check_call(half);
    CHECK(prepared(half));
    if (world_size > 1) {
        CHECK(channel_comm() == MPI_COMM_NULL);
        CHECK(state_of(half)->wire.ours == (size > 1));
    }
    MPI_Comm_free(&half);
}

static void it_lives_as_long_as_its_requests(void)
{
    MPI_Comm half;
    MPIX_Request p;
    int mine = 0, size, rank, all[64];

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &half);
    CHECK(tutti_comm_prepare(half) == MPI_SUCCESS);
    CHECK(prepared(half));
    MPI_Comm_size(half, &size);
    MPI_Comm_rank(half, &rank);
    CHECK(MPIX_Allgather_ring_init(&mine, 1, MPI_INT, all, 1, MPI_INT, half, MPI_INFO_NULL, &p) ==
          MPI_SUCCESS);
    MPI_Comm_free(&half);
    for (int start = 0; start < 4; start++) {
        mine = rank + 10 * start;
        CHECK(MPIX_Start(&p) == MPI_SUCCESS && MPIX_Wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < size; i++)
            CHECK(all[i] == i + 10 * start);
    }
    CHECK(MPIX_Request_free(&p) == MPI_SUCCESS);
}

/* At MPI_THREAD_MULTIPLE only MPI_COMM_WORLD itself will do. */
static void all_processes_make_the_channel(void)
{
    MPI_Comm same;

    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    CHECK(prepared(same) == (world_size == 1));
    check_call(same);
    if (world_size > 1) {
        CHECK((channel_comm() == MPI_COMM_NULL) == process_threaded);
        CHECK(state_of(same)->wire.ours == process_threaded);
    }
    check_call(MPI_COMM_WORLD);
    CHECK((channel_comm() == MPI_COMM_NULL) == (world_size == 1));
    CHECK(!state_of(MPI_COMM_WORLD)->wire.ours);
    MPI_Comm_free(&same);
}

static void then_others_need_none(void)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
    check_call(half);
    CHECK(!state_of(half)->wire.ours);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(one_process_needs_nothing),
        MPI_TEST(a_part_of_the_processes_gets_a_communicator_of_its_own),
        MPI_TEST(it_lives_as_long_as_its_requests),
        MPI_TEST(all_processes_make_the_channel),
        MPI_TEST(then_others_need_none),
    };

    return mpi_test_main(argc, argv, "unprepared", tests, sizeof tests / sizeof *tests);
}
