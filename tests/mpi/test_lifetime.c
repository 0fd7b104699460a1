/* test_lifetime.c - what is freed early, kept, cached, exhausted. Looks inside the library. */
#include "mpi/blocks.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/comm.h"
#include "nbc/plan/plan.h"
#include "nbc/process/test_knobs.h"

#include <stdlib.h>
#include <string.h>

static int *all;

static void open_buffers(void)
{
    all = calloc((size_t)world_size * 8, sizeof *all);
}

static void check_all(int base)
{
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i + base);
}

static void types_may_be_freed_while_the_operation_runs(void)
{
    int pair[3] = {world_rank, -1, world_rank + 5}, *pairs = calloc((size_t)world_size * 3, 4);
    MPI_Datatype gap;
    MPI_Request r;
    MPIX_Request p;

    MPI_Type_vector(2, 1, 2, MPI_INT, &gap);
    MPI_Type_commit(&gap);
    CHECK(MPIX_Allgather_sparbit_init(pair, 1, gap, pairs, 1, gap, MPI_COMM_WORLD, MPI_INFO_NULL,
                                      &p) == MPI_SUCCESS);
    CHECK(MPIX_Iallgather_bruck(pair, 1, gap, pairs, 1, gap, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
    MPI_Type_free(&gap);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int round = 0; round < 3; round++) {
        memset(pairs, 0, (size_t)world_size * 12);
        pair[2] = world_rank + round;
        CHECK(MPIX_Start(&p) == MPI_SUCCESS && MPIX_Wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < world_size; i++)
            CHECK(pairs[3 * i] == i && pairs[3 * i + 1] == 0 && pairs[3 * i + 2] == i + round);
    }
    CHECK(MPIX_Request_free(&p) == MPI_SUCCESS);
    free(pairs);
}

static void communicators_may_be_freed_while_operations_run(void)
{
    MPI_Comm dup;
    MPI_Request r[2];
    MPIX_Request p;
    int mine = world_rank, *more = all + 2 * world_size;

    for (int round = 0; round < 3; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        if (round == 1) /* one more */
            MPIX_Iallgather_ring(&mine, 1, MPI_INT, more, 1, MPI_INT, dup, &r[1]);
        CHECK(MPIX_Iallgather_ring(&mine, 1, MPI_INT, all, 1, MPI_INT, dup, &r[0]) == MPI_SUCCESS);
        MPI_Comm_free(&dup); /* before the ranks have told each other where they are */
        CHECK(MPI_Waitall(round == 1 ? 2 : 1, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        check_all(0);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(MPIX_Allgather_bruck_init(&mine, 1, MPI_INT, all, 1, MPI_INT, dup, MPI_INFO_NULL, &p) ==
          MPI_SUCCESS);
    MPI_Comm_free(&dup);
    for (int round = 0; round < 4; round++) {
        mine = world_rank + round;
        CHECK(MPIX_Start(&p) == MPI_SUCCESS && MPIX_Wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        check_all(round);
    }
    CHECK(MPIX_Request_free(&p) == MPI_SUCCESS);
}

/* More communicators, one after the other, than MPICH could keep open (2046); we take none. */
static void communicators_may_come_and_go(void)
{
    MPI_Request r;
    int rounds = world_size <= 2 ? 2500 : 100;

    for (int i = 0; i < rounds; i++) {
        MPI_Comm dup;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        CHECK(MPIX_Iallgather_linear(&world_rank, 1, MPI_INT, all, 1, MPI_INT, dup, &r) ==
              MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Comm_free(&dup);
    }
}

static void run(int count, MPI_Datatype type, MPI_Comm comm)
{
    static char mine[100000];
    static char *room;
    MPI_Request r;

    if (!room)
        room = malloc(100000 * (size_t)world_size);
    CHECK(MPIX_Iallgather_sparbit(mine, count, type, room, count, type, comm, &r) == MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void one_plan_serves_every_count_and_type_of_one_shape(void)
{
    unsigned before;

    run(1, MPI_INT, MPI_COMM_WORLD);
    before = plan_compilations;
    for (int i = 1; i < 100; i++)
        run(i, i % 2 ? MPI_INT : MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(plan_compilations == before);
}

/* The short way of a repeated call must not take another algorithm's plan: all give the same data.
 */
static void every_algorithm_has_a_plan_of_its_own(void)
{
    MPI_Comm dup;
    unsigned before;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    for (int round = 0; round < 2; round++) {
        int from[8] = {0}, to[8];
        before = plan_compilations;
        CHECK(MPIX_Alltoall_bruck(from, 1, MPI_INT, to, 1, MPI_INT, dup) == MPI_SUCCESS);
        CHECK(MPIX_Alltoall_bruck_modified(from, 1, MPI_INT, to, 1, MPI_INT, dup) == MPI_SUCCESS);
        CHECK(MPIX_Alltoall_bruck_radix(from, 1, MPI_INT, to, 1, MPI_INT, dup) == MPI_SUCCESS);
        CHECK(MPIX_Allgather_ring(from, 1, MPI_INT, to, 1, MPI_INT, dup) == MPI_SUCCESS);
        CHECK(plan_compilations - before == (round ? 0u : 4u));
    }
    MPI_Comm_free(&dup);
}

static void the_plan_cache_is_bounded_and_drops_the_least_recently_used(void)
{
    int *counts = calloc((size_t)world_size * 2, sizeof *counts), *displs = counts + world_size;
    unsigned before;
    comm *c;

    for (int shape = 0; shape < 2 * PLAN_CACHE; shape++) {
        MPI_Request r;
        displs[0] = 2 * world_size + shape; /* another shape each time */
        for (int i = 0; i < world_size; i++) {
            counts[i] = 1;
            displs[i] = i ? i : displs[0];
        }
        int *wide = calloc((size_t)(3 * world_size + 2 * PLAN_CACHE + 8), sizeof *wide);
        CHECK(MPIX_Iallgatherv_ring(&world_rank, 1, MPI_INT, wide, counts, displs, MPI_INT,
                                    MPI_COMM_WORLD, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        free(wide);
        before = plan_compilations;
        run(1, MPI_INT, MPI_COMM_WORLD); /* stays recently used */
        CHECK(plan_compilations == before || shape == 0);
    }
    CHECK(comm_get(MPI_COMM_WORLD, &c) == MPI_SUCCESS);
    CHECK(HASH_COUNT(c->plans) <= PLAN_CACHE);
    before = plan_compilations;
    run(1, MPI_INT, MPI_COMM_WORLD);
    CHECK(plan_compilations == before);
    free(counts);
}

/* No two running operations have the same window. */
static void check_windows(MPI_Comm user, int most)
{
    comm *c;
    int n = 0;

    CHECK(comm_get(user, &c) == MPI_SUCCESS);
    for (comm_ticket *t = c->window_head; t; t = t->next)
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
    channel_test_numbers = 1; /* no other one is to be had */
    for (int round = 0; round < 20; round++) {
        run_persistent(small, p, PERSISTENT, mine, room);
        if (world_size > 1)
            CHECK_CLASS(MPIX_Allgather_ring_init(mine, 1, MPI_INT, room, 1, MPI_INT, small,
                                                 MPI_INFO_NULL, &p[PERSISTENT]),
                        MPI_ERR_OTHER);
        free_persistent(p, PERSISTENT);
    }
    channel_test_numbers = 0;
    MPI_Comm_free(&small);
    free(room);
}

/* More requests than a number has windows: the communicator takes other numbers, and gives them
 * back. */
static void persistent_requests_get_more_numbers(void)
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
            CHECK(c->wire.nlanes >= 13 && c->wire.nlanes <= 14);
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

/* Without a number a communicator waits for a call that may block, which makes it an MPI
 * communicator of its own. */
static void without_numbers_a_blocking_call_helps(void)
{
    int *other = malloc((size_t)world_size * sizeof *other);
    MPI_Comm dup;
    MPI_Request r = MPI_REQUEST_NULL;
    comm *c;

    CHECK(tutti_init() == MPI_SUCCESS);
    channel_test_numbers = 1;
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
    channel_test_numbers = 0;
    MPI_Comm_free(&dup);
    free(other);
}

/* Operations that wait at the gate take their tags from what inits add to meanwhile; with the
 * progress thread, where there may be one. */
static void numbers_are_added_beside_operations_in_flight(void)
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

/* Counts over the limit of one message travel as large datatypes; the limit is lowered here. */
static void counts_over_the_limit_of_a_message_work(void)
{
    static const int64_t limits[] = {1, 7, 333, 999};

    type_pairs_make();
    reductions_make();
    for (int i = 0; i < call_set_count; i++)
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            bool reduces = coll_has(call_sets[i].kind, COLL_REDUCES);
            blocks b = {.kind = call_sets[i].kind,
                        .comm = MPI_COMM_WORLD,
                        .types = &type_pairs[0],
                        .reduction = reduces ? &reductions[0] : NULL,
                        .count = 1000 + (int)k % 2 * 1000};
            MPI_Request r;
            if (!calls_serve(&call_sets[i], world_size, NULL))
                continue;
            mpi_test_context("%s %s limit %d", coll_kind_name(b.kind), call_sets[i].algorithm,
                             (int)limits[k]);
            blocks_open(&b);
            blocks_fill(&b, (int)k);
            datatype_max_count = limits[k];
            CHECK(calls_start(&call_sets[i], false, &b.args, &r) == MPI_SUCCESS);
            CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            datatype_max_count = 0x7fffffff;
            CHECK(blocks_are_right(&b));
            blocks_close(&b);
        }
}

/* MPI forbids to free an active non-blocking collective; nothing may break when it happens. */
static void a_freed_native_request_completes_unseen(void)
{
    static int hidden[64];
    MPI_Request r;

    CHECK(MPIX_Iallgather_ring(&world_rank, 1, MPI_INT, hidden, 1, MPI_INT, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    MPI_Request_free(&r);
    for (int i = 0; i < 100; i++) { /* later operations drive it to its end */
        run(1, MPI_INT, MPI_COMM_WORLD);
        tutti_progress();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < world_size; i++)
        CHECK(hidden[i] == i);
}

/* A persistent request is left over, and so are communicators: MPI_Finalize must cope. */
static void leftovers_are_harmless(void)
{
    static MPIX_Request p;
    static int mine;
    MPI_Comm dup;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(MPIX_Allgather_ring_init(&mine, 1, MPI_INT, all, 1, MPI_INT, dup, MPI_INFO_NULL, &p) ==
          MPI_SUCCESS);
    CHECK(MPIX_Start(&p) == MPI_SUCCESS && MPIX_Wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(open_buffers),
        MPI_TEST(types_may_be_freed_while_the_operation_runs),
        MPI_TEST(communicators_may_be_freed_while_operations_run),
        MPI_TEST(communicators_may_come_and_go),
        MPI_TEST(one_plan_serves_every_count_and_type_of_one_shape),
        MPI_TEST(every_algorithm_has_a_plan_of_its_own),
        MPI_TEST(the_plan_cache_is_bounded_and_drops_the_least_recently_used),
        MPI_TEST(tags_are_used_again_and_never_twice_at_a_time),
        MPI_TEST(persistent_requests_get_more_numbers),
        MPI_TEST(many_persistent_requests_live_on_one_communicator),
        MPI_TEST(without_numbers_a_blocking_call_helps),
        MPI_TEST(numbers_are_added_beside_operations_in_flight),
        MPI_TEST(counts_over_the_limit_of_a_message_work),
        MPI_TEST(a_freed_native_request_completes_unseen),
        MPI_TEST(leftovers_are_harmless),
    };

    return mpi_test_main(argc, argv, "lifetime", tests, sizeof tests / sizeof *tests);
}
