/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_mixed.c - an MPI program that knows nothing of Tutti, and mixes the collectives that Tutti
 * takes over with everything else that MPI allows on the same communicators: other collectives
 * begun before the first is complete, communicators made meanwhile, attributes, wildcard receives.
 * It passes natively; with MPI_Comm_idup inside the first collective it hung on both MPIs.
 */
#include "mpi/mpi_test.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, SKEW = 1000, BLOCKS = 64 };

/* Odd ranks look for messages, which advances the MPI, while even ones go ahead. */
static void skew(void)
{
    int flag;

    for (int i = 0; world_rank % 2 && i < SKEW; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* What follows the first collective on a communicator, before that is complete. */
typedef void between(MPI_Comm c, MPI_Request *r);

static int value;

static void ibcast(MPI_Comm c, MPI_Request *r)
{
    value = world_rank == 0 ? 42 : 0;
    MPI_Ibcast(&value, 1, MPI_INT, 0, c, r);
}

static void iallreduce(MPI_Comm c, MPI_Request *r)
{
    static int one = 1;

    MPI_Iallreduce(&one, &value, 1, MPI_INT, MPI_SUM, c, r);
}

static void ibarrier(MPI_Comm c, MPI_Request *r)
{
    MPI_Ibarrier(c, r);
}

static void dup(MPI_Comm c, MPI_Request *r)
{
    MPI_Comm made;

    (void)r;
    MPI_Comm_dup(c, &made);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
}

static void split(MPI_Comm c, MPI_Request *r)
{
    MPI_Comm made;

    (void)r;
    MPI_Comm_split(c, world_rank % 2, 0, &made);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
}

static void window(MPI_Comm c, MPI_Request *r)
{
    MPI_Win made;
    int *memory;

    (void)r;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, c, &memory, &made);
    MPI_Win_fence(0, made);
    MPI_Win_free(&made);
}

static void dup_self(MPI_Comm c, MPI_Request *r)
{
    MPI_Comm made;

    (void)c, (void)r;
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_free(&made);
}

static void reductions(MPI_Comm c, MPI_Request *r)
{
    int one = 1, sum = 0;

    (void)r;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
    CHECK(sum == world_size);
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, c);
    CHECK(sum == world_rank + 1);
}

static void run_between(between *f, bool blocking)
{
    int mine, all[BLOCKS];
    MPI_Comm c;
    MPI_Request r[2];

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        r[0] = r[1] = MPI_REQUEST_NULL;
        mine = 100 * round + world_rank;
        memset(all, -1, sizeof all);
        if (blocking)
            f(c, &r[1]);
        skew();
        if (blocking)
            MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, c);
        else
            MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, c, &r[0]);
        skew();
        if (!blocking)
            f(c, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < world_size; i++)
            CHECK(all[i] == 100 * round + i);
        MPI_Comm_free(&c);
    }
}

static void other_collectives_may_be_begun_before_the_first_is_complete(void)
{
    between *const all[] = {ibcast, iallreduce, ibarrier, dup, split, window, dup_self, reductions};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int blocking = 0; blocking < 2; blocking++) {
            mpi_test_context("case %d, %s", (int)i, blocking ? "blocking" : "non-blocking");
            run_between(all[i], blocking);
        }
}

/* Open MPI hangs natively with a non-blocking collective after MPI_Comm_idup; a blocking one is
 * fine. */
static void the_program_may_duplicate_communicators_itself(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        int mine = world_rank + round, all[BLOCKS];
        MPI_Comm c, made;
        MPI_Request r;

        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        MPI_Comm_idup(c, &made, &r);
        skew();
        MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, c);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        for (int i = 0; i < world_size; i++)
            CHECK(all[i] == i + round);
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, made);
        MPI_Comm_free(&c);
        MPI_Comm_free(&made);
    }
}

/* MPICH's idup of a communicator of one process loops for ever beside others of its kind. */
static void first_calls_on_several_communicators_overlap(void)
{
    enum { N = 40, FEW = 5 }; /* more than one call of ours looks at */
    static int all[N][BLOCKS];
    MPI_Comm c[N], self;
    MPI_Request r[N];
    int flag;

    for (int round = 0; round < FEW; round++) {
        for (int i = 0; i < N; i++)
            MPI_Comm_dup(i ? MPI_COMM_WORLD : MPI_COMM_SELF, &c[i]);
        memset(all, -1, sizeof all);
        for (int k = 0; k < N; k++) {
            int i = world_rank % 2 ? N - 1 - k : k; /* in another order on other ranks */
            MPI_Iallgather(&world_rank, 1, MPI_INT, all[i], 1, MPI_INT, c[i], &r[i]);
            for (int test = 0; test < 3; test++)
                MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE);
        }
        MPI_Comm_dup(MPI_COMM_SELF, &self);
        MPI_Waitall(N, r, MPI_STATUSES_IGNORE);
        CHECK(all[0][0] == world_rank && (world_size == 1 || all[0][1] == -1));
        for (int i = 1; i < N; i++)
            for (int k = 0; k < world_size; k++)
                CHECK(all[i][k] == k);
        MPI_Comm_free(&self);
        for (int i = 0; i < N; i++)
            MPI_Comm_free(&c[i]);
    }
}

/* ---- attributes ---- */

static int copies, deletions;

static int refuse_to_copy(MPI_Comm c, int key, void *extra, void *from, void *to, int *flag)
{
    (void)c, (void)key, (void)extra, (void)from, (void)to;
    copies++;
    *flag = 0;
    return MPI_ERR_OTHER;
}

static int count_deletion(MPI_Comm c, int key, void *value, void *extra)
{
    (void)c, (void)key, (void)value, (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

static void callbacks_of_attributes_are_the_programs_own(void)
{
    int key, all[BLOCKS];
    MPI_Comm c;
    MPI_Request r;

    copies = deletions = 0;
    MPI_Comm_create_keyval(refuse_to_copy, count_deletion, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_set_attr(c, key, NULL);
    CHECK(MPI_Iallgather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, c, &r) == MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Allgather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, c) == MPI_SUCCESS);
    CHECK(copies == 0 && deletions == 0);
    MPI_Comm_free(&c);
    CHECK(copies == 0 && deletions == 1);
    MPI_Comm_free_keyval(&key);
}

static int called, sum;

/* A callback may communicate; MPICH calls it when the last operation on the communicator is done,
 * in whatever call that is. */
static int communicate(MPI_Comm c, int key, void *value, void *extra)
{
    int all[BLOCKS];
    MPI_Request r;

    (void)c, (void)key, (void)value, (void)extra;
    called++;
    MPI_Iallgather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Allgather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < world_size; i++)
        sum += all[i];
    return MPI_SUCCESS;
}

static void callbacks_may_communicate(void)
{
    int key, all[BLOCKS];
    MPI_Comm c;
    MPI_Request r;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicate, &key, NULL);
    called = sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        MPI_Comm_set_attr(c, key, NULL);
        MPI_Iallgather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, c, &r);
        MPI_Comm_free(&c);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free_keyval(&key);
    CHECK(called == ROUNDS && sum == ROUNDS * world_size * (world_size - 1) / 2);
}

/* ---- buffers ---- */

/* Both buffers begin at one address; where the data lie is another matter. */
static void buffers_may_share_an_address(void)
{
    int data[2 * BLOCKS], ones[BLOCKS], more[BLOCKS], here[BLOCKS], there[BLOCKS], at = BLOCKS;
    MPI_Datatype far, type;

    for (int i = 0; i < world_size; i++) {
        ones[i] = more[i] = 1;
        here[i] = i;
        there[i] = BLOCKS + i;
        data[i] = 100 * world_rank + i;
    }
    CHECK(MPI_Alltoallv(data, ones, here, MPI_INT, data, more, there, MPI_INT, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(data[BLOCKS + i] == 100 * i + world_rank);
    MPI_Type_create_indexed_block(1, 1, &at, MPI_INT, &far);
    MPI_Type_create_resized(far, 0, sizeof(int), &type);
    MPI_Type_commit(&type);
    CHECK(MPI_Allgather(data, 1, MPI_INT, data, 1, type, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(data[BLOCKS + i] == 100 * i);
    MPI_Type_free(&far);
    MPI_Type_free(&type);
}

/* ---- wildcards ---- */

/* A receive from anyone with any tag, posted before the first collective, gets the program's
 * message only. */
static void wildcard_receives_see_messages_of_the_program_only(void)
{
    int got = -1, sent = 1000 + world_rank, to = (world_rank + 1) % world_size, all[BLOCKS];
    int from = (world_rank + world_size - 1) % world_size, flag;
    MPI_Comm c;
    MPI_Request r[3];
    MPI_Status status[3];

    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &r[0]);
    MPI_Iallgather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, c, &r[1]);
    for (int i = 0; i < SKEW; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
    }
    MPI_Isend(&sent, 1, MPI_INT, to, 5, c, &r[2]);
    MPI_Waitall(3, r, status);
    CHECK(got == 1000 + from && status[0].MPI_SOURCE == from && status[0].MPI_TAG == 5);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    MPI_Comm_free(&c);
}

/* ---- kinds of communicators ---- */

static void check_comm(MPI_Comm c)
{
    int p, rank, all[2 * BLOCKS];
    MPI_Request r;

    MPI_Comm_size(c, &p);
    MPI_Comm_rank(c, &rank);
    memset(all, -1, sizeof all);
    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, c, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < p; i++)
        CHECK(all[i] == i);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, c);
    for (int i = 0; i < p; i++)
        CHECK(all[i] == rank);
    MPI_Comm_free(&c);
}

static void every_kind_of_communicator_works(void)
{
    MPI_Comm c;
    MPI_Group world, group;
    int dims[2] = {0, 0}, periods[2] = {1, 0}, range[1][3] = {{world_size - 1, 0, -1}};

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3, -world_rank, &c);
    check_comm(c);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank ? MPI_UNDEFINED : 0, 0, &c);
    if (c != MPI_COMM_NULL)
        check_comm(c);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &c);
    check_comm(c);
    MPI_Dims_create(world_size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &c);
    check_comm(c);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group); /* in the opposite order */
    MPI_Comm_create(MPI_COMM_WORLD, group, &c);
    check_comm(c);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &c);
    check_comm(c);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(other_collectives_may_be_begun_before_the_first_is_complete),
        MPI_TEST(the_program_may_duplicate_communicators_itself),
        MPI_TEST(first_calls_on_several_communicators_overlap),
        MPI_TEST(callbacks_of_attributes_are_the_programs_own),
        MPI_TEST(callbacks_may_communicate),
        MPI_TEST(buffers_may_share_an_address),
        MPI_TEST(wildcard_receives_see_messages_of_the_program_only),
        MPI_TEST(every_kind_of_communicator_works),
    };

    return mpi_test_main(argc, argv, "plain_mixed", tests, sizeof tests / sizeof *tests);
}
