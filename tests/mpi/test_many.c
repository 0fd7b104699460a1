/* SPDX-License-Identifier: BSD-3-Clause */
/* test_many.c - very many operations at once: all advance, whichever is waited for. */
#include "mpi/calls.h"

#include <stdlib.h>
#include <string.h>

enum { COMMS = 16, EACH = 64, ALL = COMMS * EACH };

typedef struct crowd {
    MPI_Comm comm[COMMS];
    int *send, *recv; /* [ALL], [ALL * p] */
    MPI_Request native[ALL];
    MPIX_Request persistent[ALL];
} crowd;

static crowd *crowd_make(void)
{
    crowd *c = calloc(1, sizeof *c);

    tutti_init(); /* so that no first call blocks, whatever the thread level */
    c->send = malloc(ALL * sizeof *c->send);
    c->recv = malloc(ALL * (size_t)world_size * sizeof *c->recv);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &c->comm[i]);
    return c;
}

static void crowd_free(crowd *c)
{
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&c->comm[i]);
    free(c->send);
    free(c->recv);
    free(c);
}

static void fill(crowd *c, int round)
{
    for (int k = 0; k < ALL; k++)
        c->send[k] = world_rank * 100000 + k + round;
    memset(c->recv, -1, ALL * (size_t)world_size * sizeof *c->recv);
}

static int *block_of(crowd *c, int k)
{
    return c->recv + (size_t)k * (size_t)world_size;
}

static bool arrived(crowd *c, int k, int round)
{
    for (int i = 0; i < world_size; i++)
        if (block_of(c, k)[i] != i * 100000 + k + round)
            return false;
    return true;
}

/* Operation k runs on communicator k mod COMMS; each with another algorithm. */
static void start_all(crowd *c)
{
    for (int k = 0; k < ALL; k++) {
        call_args a = calls_ints(&c->send[k], 1, block_of(c, k), c->comm[k % COMMS]);
        CHECK(calls_start(calls_find(COLL_allgather, k, world_size), false, &a, &c->native[k]) ==
              MPI_SUCCESS);
    }
}

static int order(int i)
{
    return (i * 769 + world_rank * 331) % ALL; /* another permutation on every rank */
}

static void waits_in_any_order_complete_all(void)
{
    crowd *c = crowd_make();

    fill(c, 1);
    start_all(c);
    for (int i = 0; i < ALL; i++) {
        CHECK(MPI_Wait(&c->native[order(i)], MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(arrived(c, order(i), 1));
    }
    fill(c, 2);
    start_all(c);
    CHECK(MPI_Waitall(ALL, c->native, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (int k = 0; k < ALL; k++)
        CHECK(arrived(c, k, 2));
    crowd_free(c);
}

/* No request is touched until the data of all operations has arrived. */
static void tutti_progress_advances_all_in_turn(void)
{
    crowd *c = crowd_make();
    int flag, done = 0;

    fill(c, 3);
    start_all(c);
    while (done < ALL) { /* by the data, not the requests */
        tutti_progress();
        for (done = 0; done < ALL && arrived(c, done, 3);)
            done++;
    }
    for (int k = 0; k < ALL; k++) {
        for (flag = 0; !flag;)
            MPI_Test(&c->native[k], &flag, MPI_STATUS_IGNORE);
    }
    crowd_free(c);
}

static void persistent_requests_of_many_communicators_complete(void)
{
    crowd *c = crowd_make();

    for (int k = 0; k < ALL; k++)
        CHECK(MPIX_Allgather_ring_init(&c->send[k], 1, MPI_INT, block_of(c, k), 1, MPI_INT,
                                       c->comm[k % COMMS], MPI_INFO_NULL,
                                       &c->persistent[k]) == MPI_SUCCESS);
    for (int round = 4; round < 8; round++) {
        fill(c, round);
        for (int i = 0; i < ALL; i++)
            CHECK(MPIX_Start(&c->persistent[order(i)]) == MPI_SUCCESS);
        if (round % 2)
            for (int i = 0; i < ALL; i++)
                CHECK(MPIX_Wait(&c->persistent[order(ALL - 1 - i)], MPI_STATUS_IGNORE) ==
                      MPI_SUCCESS);
        else
            CHECK(MPIX_Waitall(ALL, c->persistent, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < ALL; k++)
            CHECK(arrived(c, k, round));
    }
    for (int k = 0; k < ALL; k++)
        CHECK(MPIX_Request_free(&c->persistent[k]) == MPI_SUCCESS);
    crowd_free(c);
}

/* An operation completes though older ones cannot yet. */
static void an_operation_behind_many_stuck_ones_completes(void)
{
    crowd *c = crowd_make();
    int *all = calloc((size_t)world_size, sizeof *all);
    MPI_Request r;

    fill(c, 9);
    if (world_rank != 0)
        start_all(c); /* rank 0 will start them later */
    CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    if (world_rank == 0)
        start_all(c);
    CHECK(MPI_Waitall(ALL, c->native, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (int k = 0; k < ALL; k++)
        CHECK(arrived(c, k, 9));
    free(all);
    crowd_free(c);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(waits_in_any_order_complete_all),
        MPI_TEST(tutti_progress_advances_all_in_turn),
        MPI_TEST(persistent_requests_of_many_communicators_complete),
        MPI_TEST(an_operation_behind_many_stuck_ones_completes),
    };

    return mpi_test_main(argc, argv, "many", tests, sizeof tests / sizeof *tests);
}
