/* SPDX-License-Identifier: BSD-3-Clause */
/* test_context_ids.c - context ids of the channel and their windows of tags: used again, exhausted,
 * added to. Looks inside the library.
 */
#include "mpi/mpi_test.h"

#include "nbc/comm/comm.h"
#include "nbc/process/test_knobs.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static int *all;

static void check_all(int base)
{
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i + base);
}

/* So there is none left where there is only one. */
static void the_world_takes_a_context_id(void)
{
    all = calloc((size_t)world_size, sizeof *all);
    CHECK(MPIX_Allgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    check_all(0);
}

/* No two running operations have the same window. */
static void check_windows(MPI_Comm user, int most)
{
    comm *c;
    int n = 0;

    CHECK(comm_get(user, &c) == MPI_SUCCESS);
    for (comm_ticket *t = c->gate.running; t; t = t->next)
        n++;
    CHECK(n <= most);
}

/* Requests made, started together, checked and freed. */
static void run_persistent(MPI_Comm comm, MPIX_Request p[], int n, int mine[], int *room)
{
    for (int i = 0; i < n; i++) {
        mine[i] = world_rank + 100 * i;
        CHECK(MPIX_Allgather_ring_init(&mine[i], 1, MPI_INT, room + i * world_size, 1, MPI_INT,
                                       comm, MPI_INFO_NULL, &p[i]) == MPI_SUCCESS);
    }
    for (int i = 0; i < n * world_size; i++)
        room[i] = -1;
    CHECK(MPIX_Startall(n, p) == MPI_SUCCESS);
    CHECK(MPIX_Waitall(n, p, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < n * world_size; i++)
        CHECK(room[i] == i % world_size + 100 * (i / world_size));
}

static void free_persistent(MPIX_Request p[], int n)
{
    for (int i = 0; i < n; i++)
        CHECK(MPIX_Request_free(&p[i]) == MPI_SUCCESS);
}

/* With few windows they go round: operations wait at the gate, persistent requests take the windows
 * of freed ones, and the last window cannot be taken twice. */
static void tags_are_used_again_and_never_twice_at_a_time(void)
{
    enum { WINDOWS = 8, PERSISTENT = WINDOWS - WINDOWS / 2, MANY = 40 };
    MPI_Comm small;
    MPI_Request r[MANY];
    MPIX_Request p[PERSISTENT + 1] = {0};
    int *room = calloc((size_t)world_size * MANY, sizeof *room), mine[MANY];

    channel_test_windows = WINDOWS;
    MPI_Comm_dup(MPI_COMM_WORLD, &small);
    MPI_Comm_set_errhandler(small, MPI_ERRORS_RETURN);
    for (int round = 0; round < 3; round++) { /* in the first the handshake is not yet over */
        memset(room, 0, (size_t)world_size * MANY * sizeof *room);
        for (int i = 0; i < MANY; i++) {
            mine[i] = world_rank + 100 * i;
            CHECK(MPIX_Iallgather_bruck(&mine[i], 1, MPI_INT, room + i * world_size, 1, MPI_INT,
                                        small, &r[i]) == MPI_SUCCESS);
            check_windows(small, WINDOWS / 2);
        }
        CHECK(MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < MANY * world_size; i++)
            CHECK(room[i] == i % world_size + 100 * (i / world_size));
    }
    channel_test_windows = 0;
    channel_test_context_ids = 1; /* no other one is to be had */
    for (int round = 0; round < 20; round++) {
        run_persistent(small, p, PERSISTENT, mine, room);
        if (world_size > 1)
            CHECK_CLASS(MPIX_Allgather_ring_init(mine, 1, MPI_INT, room, 1, MPI_INT, small,
                                                 MPI_INFO_NULL, &p[PERSISTENT]),
                        MPI_ERR_OTHER);
        free_persistent(p, PERSISTENT);
    }
    channel_test_context_ids = 0;
    MPI_Comm_free(&small);
    free(room);
}

/* More requests than a context id has windows: the communicator allocates others, and gives them
 * back. */
static void persistent_requests_get_more_context_ids(void)
{
    enum { WINDOWS = 8, LIVE = 100 };
    MPI_Comm small;
    MPIX_Request p[LIVE];
    int *room = calloc((size_t)world_size * LIVE, sizeof *room), mine[LIVE];
    comm *c;

    channel_test_windows = WINDOWS;
    MPI_Comm_dup(MPI_COMM_WORLD, &small);
    for (int round = 0; round < 3; round++) {
        run_persistent(small, p, LIVE, mine, room);
        CHECK(comm_get(small, &c) == MPI_SUCCESS);
        if (world_size > 1) /* 4 + 12 * 8 windows; and few more to look for free ones seldom */
            CHECK(c->wire.ntag_spaces >= 13 && c->wire.ntag_spaces <= 14);
        for (int i = 0; i < LIVE; i += 2) /* every other one is made anew in its window */
            free_persistent(&p[i], 1);
        for (int i = 0; i < LIVE; i += 2)
            run_persistent(small, &p[i], 1, &mine[i], room);
        free_persistent(p, LIVE);
    }
    channel_test_windows = 0;
    MPI_Comm_free(&small);
    free(room);
}

/* As many as one communicator had before there was a channel. */
static void many_persistent_requests_live_on_one_communicator(void)
{
    enum { LIVE = 32768 };
    MPIX_Request *p = calloc(LIVE, sizeof *p);
    int mine = world_rank;

    if (world_size > 2) /* the simulator's business; here it takes minutes */
        return free(p);
    for (int i = 0; i < LIVE; i++)
        CHECK(MPIX_Allgather_linear_init(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                                         MPI_INFO_NULL, &p[i]) == MPI_SUCCESS);
    for (int i = 0; i < LIVE; i += 4095) {
        CHECK(MPIX_Start(&p[i]) == MPI_SUCCESS &&
              MPIX_Wait(&p[i], MPI_STATUS_IGNORE) == MPI_SUCCESS);
        check_all(0);
    }
    free_persistent(p, LIVE);
    free(p);
}

/* Without a context id a communicator waits for a call that may block, which makes it an MPI
 * communicator of its own. */
static void without_context_ids_a_blocking_call_helps(void)
{
    int *other = malloc((size_t)world_size * sizeof *other);
    MPI_Comm dup;
    MPI_Request r = MPI_REQUEST_NULL;
    comm *c;

    CHECK(tutti_init() == MPI_SUCCESS);
    channel_test_context_ids = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
    CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, dup, &r) == MPI_SUCCESS);
    if (world_rank == 0) /* the others know of it only in the next call */
        CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), world_size > 1 ? MPI_ERR_OTHER : MPI_SUCCESS);
    for (int round = 0; round < 2; round++) {
        memset(other, -1, (size_t)world_size * sizeof *other);
        CHECK(MPIX_Allgather_bruck(&world_rank, 1, MPI_INT, other, 1, MPI_INT, dup) == MPI_SUCCESS);
        for (int i = 0; i < world_size; i++)
            CHECK(other[i] == i);
        if (round == 0 && world_rank != 0)
            CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
        memset(all, -1, (size_t)world_size * sizeof *all);
        CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, dup, &r) ==
              MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        check_all(0);
    }
    CHECK(comm_get(dup, &c) == MPI_SUCCESS && c->wire.ours == (world_size > 1));
    channel_test_context_ids = 0;
    MPI_Comm_free(&dup);
    free(other);
}

/* Operations that wait at the gate take their tags from what inits add to meanwhile; with the
 * progress thread, where there may be one. */
static void context_ids_are_added_beside_operations_in_flight(void)
{
    enum { WINDOWS = 8, FLYING = 40, LIVE = 100, ROUNDS = 4 };
    MPI_Comm c;
    MPI_Request r[FLYING];
    MPIX_Request p[LIVE];
    int *far = malloc((size_t)world_size * FLYING * sizeof *far), mine[LIVE];
    int *room = malloc((size_t)world_size * LIVE * sizeof *room);
    bool thread = tutti_progress_thread_start(MPI_INFO_NULL) == MPI_SUCCESS;

    channel_test_windows = WINDOWS;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        for (int i = 0; i < FLYING; i++)
            CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, far + i * world_size, 1, MPI_INT, c,
                                       &r[i]) == MPI_SUCCESS);
        run_persistent(c, p, LIVE, mine, room);
        CHECK(MPI_Waitall(FLYING, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < FLYING * world_size; i++)
            CHECK(far[i] == i % world_size);
        free_persistent(p, LIVE);
        MPI_Comm_free(&c);
    }
    channel_test_windows = 0;
    if (thread)
        tutti_progress_thread_stop();
    free(far);
    free(room);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(the_world_takes_a_context_id),
        MPI_TEST(tags_are_used_again_and_never_twice_at_a_time),
        MPI_TEST(persistent_requests_get_more_context_ids),
        MPI_TEST(many_persistent_requests_live_on_one_communicator),
        MPI_TEST(without_context_ids_a_blocking_call_helps),
        MPI_TEST(context_ids_are_added_beside_operations_in_flight),
    };

    return mpi_test_main(argc, argv, "context_ids", tests, sizeof tests / sizeof *tests);
}
