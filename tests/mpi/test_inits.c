/* SPDX-License-Identifier: BSD-3-Clause */
/* test_inits.c - many persistent requests made in a row: one that is refused on all ranks after its
 * rings have been published, communicators freed right after an init, starts in other orders,
 * ranks that come late, inits of calls that have been met before. Looks inside the library.
 */
#include "mpi/mpi_test.h"

#include "nbc/comm/comm.h"
#include "persistent/request.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tutti.h>

enum { ROUNDS = 60, ROW = 20, MOST = 20000 };

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

/* Algorithms whose messages go between other ranks each. */
static const char *algorithm_of(int i)
{
    static const char *const names[] = {"linear", "ring", "bruck", "sparbit"};

    return names[i % 4];
}

static int init_allgather(const char *algorithm, const int *mine, int *all, int count,
                          MPI_Comm comm, MPIX_Request *r)
{
    MPI_Info info;
    int error;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", algorithm);
    error = MPIX_Allgather_auto_init(mine, count, MPI_INT, all, count, MPI_INT, comm, info, r);
    MPI_Info_free(&info);
    return error;
}

static void fill(int *mine, int count, int base)
{
    for (int i = 0; i < count; i++)
        mine[i] = base + 1000 * world_rank + i;
}

static void check(const int *all, int count, int base)
{
    for (int i = 0; i < count * world_size; i++)
        CHECK(all[i] == base + 1000 * (i / count) + i % count);
}

static void run_and_free(MPIX_Request *r)
{
    CHECK(MPIX_Start(r) == MPI_SUCCESS);
    CHECK(MPIX_Wait(r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPIX_Request_free(r) == MPI_SUCCESS);
}

/* Between the good ones one is refused: another algorithm on a rank each, or a wrong name there. */
static void a_refused_init_is_forgotten(void)
{
    int *mine = calloc(MOST, sizeof *mine), *all = calloc((size_t)world_size * MOST, sizeof *all);
    MPIX_Request r;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < ROUNDS && world_size > 1; i++) {
        bool odd = world_rank == i % world_size;
        const char *asked = odd ? (i % 3 ? algorithm_of(i + 1) : "sparbitt") : algorithm_of(i);
        int count = i % 4 ? 3 : MOST;

        mpi_test_context("round %d", i);
        CHECK_CLASS(init_allgather(asked, mine, all, count, MPI_COMM_WORLD, &r),
                    MPI_ERR_INFO_VALUE);
        fill(mine, count, i);
        if (world_rank == i % 5)
            sleep_ms(1);
        CHECK(init_allgather(algorithm_of(i + i / 4), mine, all, count, MPI_COMM_WORLD, &r) ==
              MPI_SUCCESS);
        run_and_free(&r);
        check(all, count, i);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    free(mine);
    free(all);
}

static void call_now(const int *mine, int *all, int count)
{
    MPI_Request r;

    CHECK(MPIX_Iallgather_auto(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* What it would have run with has run a call before, and runs one after it. */
static void calls_go_on_after_a_refused_init(void)
{
    enum { COUNT = 3 };
    int mine[COUNT], *all = calloc((size_t)world_size * COUNT, sizeof *all);
    MPIX_Request r;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_stats", "maybe");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < ROUNDS && world_size > 1; i++) {
        MPI_Info asked = world_rank == i % world_size ? info : MPI_INFO_NULL;
        fill(mine, COUNT, i);
        call_now(mine, all, COUNT);
        CHECK_CLASS(MPIX_Allgather_auto_init(mine, COUNT, MPI_INT, all, COUNT, MPI_INT,
                                             MPI_COMM_WORLD, asked, &r),
                    MPI_ERR_INFO_VALUE);
        call_now(mine, all, COUNT);
        check(all, COUNT, i);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Info_free(&info);
    free(all);
}

static void add_ints(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* All ranks know that the algorithm does not serve it, whoever has an info. */
static void what_is_refused_without_info_is_refused_at_once(void)
{
    int mine = 1, all = 0;
    MPIX_Request r;
    MPI_Info info;
    MPI_Op op;

    MPI_Info_create(&info);
    MPI_Info_set(info, "nothing", "known");
    MPI_Op_create(add_ints, 1, &op);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        MPI_Info asked = world_rank == i % world_size ? info : MPI_INFO_NULL;
        CHECK_CLASS(
            MPIX_Allreduce_ring_init(&mine, &all, 1, MPI_INT, op, MPI_COMM_WORLD, asked, &r),
            MPI_ERR_UNSUPPORTED_OPERATION);
        CHECK(MPIX_Allreduce_ring_init(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, asked,
                                       &r) == MPI_SUCCESS);
        run_and_free(&r);
        CHECK(all == world_size);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Op_free(&op);
    MPI_Info_free(&info);
}

/* Those that a request tries follow from what is forbidden. */
static void ranks_that_try_different_algorithms_are_refused(void)
{
    int from[MOST] = {0}, to[MOST];
    MPIX_Request r;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_plan", "measure");
    if (world_rank == 0)
        MPI_Info_set(info, "tutti_algorithm", "^recursive_doubling");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (world_size > 1)
        CHECK_CLASS(
            MPIX_Allreduce_auto_init(from, to, MOST, MPI_INT, MPI_SUM, MPI_COMM_WORLD, info, &r),
            MPI_ERR_INFO_VALUE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Info_free(&info);
}

static bool is_kept(const comm *wanted)
{
    bool found = false;

    engine_enter();
    for (const comm *c = comm_all; c; c = c->next)
        found |= c == wanted;
    engine_leave();
    return found;
}

/* Mailboxes are not freed before the peer has read the ring descriptors in them. */
static void a_mailbox_stays_until_it_is_read(void)
{
    own_ring none[RING_KINDS] = {0};
    int other = world_rank ^ 1, one;
    shm_peer *peer;
    MPI_Comm dup;
    bool kept;
    comm *c;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(MPIX_Allreduce_recursive_doubling(&world_rank, &one, 1, MPI_INT, MPI_SUM, dup) ==
          MPI_SUCCESS);
    CHECK(comm_get(dup, &c) == MPI_SUCCESS);
    peer = other < world_size ? shm_peers_find(c->shm_peers, other) : NULL;
    peer = peer && peer->from && peer->to ? peer : NULL;
    if (peer)
        shm_peer_publish(peer, none, ++c->shm_peers->inits);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&dup);
    comm_free_deferred();
    kept = is_kept(c);
    CHECK(kept == (peer != NULL));
    MPI_Barrier(MPI_COMM_WORLD); /* what follows is seen by the other one */
    if (kept)
        shm_peers_skip(c->shm_peers);
    MPI_Barrier(MPI_COMM_WORLD);
    comm_free_deferred();
    CHECK(!is_kept(c));
}

/* Its part of the shared memory is given to the next one. */
static void a_communicator_is_freed_right_behind_an_init(void)
{
    int mine[3], *all = calloc((size_t)world_size * 3, sizeof *all);

    for (int i = 0; i < ROUNDS; i++) {
        MPIX_Request unused, r;
        MPI_Comm dup;

        mpi_test_context("round %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        if (world_rank == i % world_size)
            sleep_ms(1);
        CHECK(MPIX_Alltoall_linear_init(all, 1, MPI_INT, all + world_size, 1, MPI_INT, dup,
                                        MPI_INFO_NULL, &unused) == MPI_SUCCESS);
        CHECK(MPIX_Allgather_linear_init(mine, 3, MPI_INT, all, 3, MPI_INT, dup, MPI_INFO_NULL,
                                         &r) == MPI_SUCCESS);
        CHECK(MPIX_Request_free(&unused) == MPI_SUCCESS);
        MPI_Comm_free(&dup);
        fill(mine, 3, i);
        run_and_free(&r);
        check(all, 3, i);
    }
    free(all);
}

/* Nobody waits between the inits but for what these need; ranks start in orders of their own. */
static void a_row_of_inits_is_started_in_other_orders(void)
{
    int mine[ROW][2], *all = calloc((size_t)ROW * world_size * 2, sizeof *all);
    MPIX_Request r[ROW];

    for (int i = 0; i < ROW; i++) {
        fill(mine[i], 2, i);
        if (i % 7 == world_rank)
            sleep_ms(1);
        CHECK(MPIX_Allgather_auto_init(mine[i], 2, MPI_INT, all + (size_t)i * world_size * 2, 2,
                                       MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                                       &r[i]) == MPI_SUCCESS);
    }
    for (int i = 0; i < ROW; i++)
        CHECK(MPIX_Start(&r[(i * 7 + world_rank) % ROW]) == MPI_SUCCESS);
    CHECK(MPIX_Waitall(ROW, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < ROW; i++) {
        check(all + (size_t)i * world_size * 2, 2, i);
        CHECK(MPIX_Request_free(&r[i]) == MPI_SUCCESS);
    }
    free(all);
}

/* One call, with buffers of their own: what an exec has of one operation must not serve the next.
 */
enum { BLOCKING, FIRST, SECOND, NONBLOCKING, USES };

static void fill_all(int *const mine[USES], int *const all[USES], int count, int base)
{
    for (int k = 0; k < USES; k++) {
        fill(mine[k], count, base + 7 * k);
        memset(all[k], -1, sizeof(int) * (size_t)(world_size * count));
    }
}

static void init_known(const int *mine, int *all, int count, MPIX_Request *r)
{
    CHECK(MPIX_Allgather_auto_init(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD,
                                   MPI_INFO_NULL, r) == MPI_SUCCESS);
}

static void take_turns(int *const mine[USES], int *const all[USES], int count, int base,
                       MPIX_Request r[USES])
{
    MPI_Request q;

    fill_all(mine, all, count, base);
    CHECK(MPIX_Start(&r[FIRST]) == MPI_SUCCESS);
    CHECK(MPIX_Iallgather_auto(mine[NONBLOCKING], count, MPI_INT, all[NONBLOCKING], count, MPI_INT,
                               MPI_COMM_WORLD, &q) == MPI_SUCCESS);
    CHECK(MPIX_Allgather_auto(mine[BLOCKING], count, MPI_INT, all[BLOCKING], count, MPI_INT,
                              MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPIX_Start(&r[SECOND]) == MPI_SUCCESS);
    CHECK(MPIX_Wait(&r[FIRST], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Wait(&q, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPIX_Wait(&r[SECOND], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int k = 0; k < USES; k++)
        check(all[k], count, base + 7 * k);
}

/* With the exec that the request has had. */
static void call_after_free(int *const mine[USES], int *const all[USES], int count, int base)
{
    fill_all(mine, all, count, base);
    CHECK(MPIX_Allgather_auto(mine[BLOCKING], count, MPI_INT, all[BLOCKING], count, MPI_INT,
                              MPI_COMM_WORLD) == MPI_SUCCESS);
    check(all[BLOCKING], count, base + 7 * BLOCKING);
    CHECK(all[FIRST][0] == -1);
}

static void take_turns_again(int count)
{
    int *mine[USES], *all[USES];
    MPIX_Request r[USES];

    for (int k = 0; k < USES; k++) {
        mine[k] = calloc((size_t)count, sizeof(int));
        all[k] = calloc((size_t)(count * world_size), sizeof(int));
    }
    for (int i = 0; i < 3; i++) {
        init_known(mine[FIRST], all[FIRST], count, &r[FIRST]);
        CHECK(i == 0 || r[FIRST]->exec->known);
        init_known(mine[SECOND], all[SECOND], count, &r[SECOND]);
        take_turns(mine, all, count, 10 * i, r);
        take_turns(mine, all, count, 10 * i + 5, r);
        CHECK(MPIX_Request_free(&r[FIRST]) == MPI_SUCCESS);
        call_after_free(mine, all, count, 10 * i + 8);
        init_known(mine[FIRST], all[FIRST], count, &r[FIRST]);
        take_turns(mine, all, count, 10 * i + 6, r);
        CHECK(MPIX_Request_free(&r[SECOND]) == MPI_SUCCESS);
        CHECK(MPIX_Request_free(&r[FIRST]) == MPI_SUCCESS);
    }
    for (int k = 0; k < USES; k++) {
        free(mine[k]);
        free(all[k]);
    }
}

static void inits_and_calls_of_one_signature_take_turns(void)
{
    for (int count = 1; count <= MOST; count *= 20) {
        mpi_test_context("%d items", count);
        take_turns_again(count);
    }
}

/* All send nothing to the next rank, and expect an item from the one before: that is wrong, but no
 * request is started. */
static void rings_for_what_nobody_sends_hold_up_nothing(void)
{
    int before = (world_rank + world_size - 1) % world_size, after = (world_rank + 1) % world_size;
    int none = 0, one = 1, at = 0, item = 0, received;
    MPI_Comm comm;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &one, 1, &after, &one, MPI_INFO_NULL,
                                   0, &comm);
    for (int i = 0; i < 3 && world_size > 1; i++) {
        MPIX_Request r;
        CHECK(MPIX_Neighbor_alltoallv_linear_init(&item, &none, &at, MPI_INT, &received, &one, &at,
                                                  MPI_INT, comm, MPI_INFO_NULL, &r) == MPI_SUCCESS);
        CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(a_refused_init_is_forgotten),
        MPI_TEST(calls_go_on_after_a_refused_init),
        MPI_TEST(what_is_refused_without_info_is_refused_at_once),
        MPI_TEST(ranks_that_try_different_algorithms_are_refused),
        MPI_TEST(a_mailbox_stays_until_it_is_read),
        MPI_TEST(a_communicator_is_freed_right_behind_an_init),
        MPI_TEST(a_row_of_inits_is_started_in_other_orders),
        MPI_TEST(inits_and_calls_of_one_signature_take_turns),
        MPI_TEST(rings_for_what_nobody_sends_hold_up_nothing),
    };

    return mpi_test_main(argc, argv, "inits", tests, sizeof tests / sizeof *tests);
}
