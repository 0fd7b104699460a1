/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lifetime.c - what is freed early, kept, cached, left over. Looks inside the library. */
#include "mpi/blocks.h"

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
        MPI_Comm_free(&dup); /* before the ranks have exchanged where they are */
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

/* Counts over the limit of one message travel as large datatypes; the limit is lowered here. */
/* From its second time on a call keeps execs, as many as it had outstanding at a time. */
static void outstanding_calls_of_one_signature_are_kept(void)
{
    enum { CALLS = 60 };
    double x = 1, sum[CALLS];
    MPI_Request r[CALLS];
    MPI_Comm dup;
    comm *c;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < CALLS; i++)
            CHECK(MPIX_Iallreduce_auto(&x, &sum[i], 1, MPI_DOUBLE, MPI_SUM, dup, &r[i]) ==
                  MPI_SUCCESS);
        CHECK(MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < CALLS; i++)
            CHECK(sum[i] == world_size);
    }
    CHECK(comm_get(dup, &c) == MPI_SUCCESS);
    CHECK(c->latest[COLL_allreduce] && c->latest[COLL_allreduce]->nidle == CALLS);
    MPI_Comm_free(&dup);
}

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
        MPI_TEST(outstanding_calls_of_one_signature_are_kept),
        MPI_TEST(counts_over_the_limit_of_a_message_work),
        MPI_TEST(a_freed_native_request_completes_unseen),
        MPI_TEST(leftovers_are_harmless),
    };

    return mpi_test_main(argc, argv, "lifetime", tests, sizeof tests / sizeof *tests);
}
