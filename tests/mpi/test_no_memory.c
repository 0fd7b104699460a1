/* SPDX-License-Identifier: BSD-3-Clause */
/* test_no_memory.c - memory runs out on one rank, at every allocation of the library in turn. An
 * init is an error on all ranks, or on none; so are calls about a communicator. A blocking or
 * non-blocking call is an error of that rank, which has sent nothing: made again, it is served,
 * with the algorithm that all take. Where its choice has to wait for the other ranks, the operation
 * ends with the error, and so do all later ones of this rank on the communicator.
 *
 * Allocations of the library and of the test fail, not those of the MPI (failing_malloc.h).
 */
#include "mpi/no_memory_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm fresh(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/* A complete one. */
static MPI_Comm fresh_graph(void)
{
    int *all = malloc((size_t)world_size * sizeof *all);
    MPI_Comm comm;

    for (int r = 0; r < world_size; r++)
        all[r] = r;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, world_size, all, all, world_size, all, all,
                                   MPI_INFO_NULL, 0, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    free(all);
    return comm;
}

/* ---- inits ---- */

static void run_request(const tested_call *c, int n, MPIX_Request *r)
{
    for (int start = 0; start < 3; start++) {
        tested_fill();
        CHECK(MPIX_Start(r) == MPI_SUCCESS);
        CHECK(MPIX_Wait(r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        tested_check(c, n);
    }
}

/* Returns whether memory was enough. */
static bool init_in_need(const tested_call *c, int n, MPI_Comm comm, MPI_Info info, long at)
{
    MPIX_Request r = MPIX_REQUEST_NULL;
    bool ran;
    int error;

    mpi_test_context("%s of %d, allocation %ld", c->name, n, at);
    memory_runs_out(at);
    error = c->init(n, comm, info, &r);
    allocations_left = -1;
    ran = on_any_rank(allocation_failed);
    if (on_any_rank(error != MPI_SUCCESS)) {
        CHECK_CLASS(error, MPI_ERR_NO_MEM);
        CHECK(r == MPIX_REQUEST_NULL);
    } else {
        run_request(c, n, &r);
        CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
    }
    return !ran;
}

/* Every allocation fails, or of many the first ones and then some. */
static void each_init_in_need(const tested_call *c, int n, MPI_Comm comm, MPI_Info info)
{
    long at = 0;

    while (!init_in_need(c, n, comm, info, at))
        at += 1 + at / 50;
    CHECK(at > 0); /* the request itself is one */
}

/* Memory to agree is kept from the second time on. */
static void first_inits(MPI_Comm comm)
{
    for (int i = 0; i < 2; i++)
        CHECK(init_in_need(&tested_sum, 2, comm, MPI_INFO_NULL, -1));
}

static void an_init_fails_on_all_ranks_or_on_none(void)
{
    const tested_call *all[] = {&tested_sum, &tested_gather, &tested_exchange};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        MPI_Comm comm = fresh();
        first_inits(comm);
        for (int n = 3; n < 2000; n *= 20)
            for (int again = 0; again < 2; again++) /* then it has been met before */
                each_init_in_need(all[i], n, comm, MPI_INFO_NULL);
        MPI_Comm_free(&comm);
    }
}

/* Lists of neighbors are exchanged in several rounds; auto chooses after some of them. */
static void an_init_of_neighbors_fails_on_all_ranks_or_on_none(void)
{
    static const char *const keys[][2] = {{"tutti_algorithm", "partner"},
                                          {"tutti_algorithm", "node:2"},
                                          {"tutti_algorithm", "auto"},
                                          {"tutti_plan", "measure"}};
    MPI_Comm comm = fresh_graph();

    first_inits(comm);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, keys[i][0], keys[i][1]);
        each_init_in_need(&tested_halo, 5 + (int)i, comm, info);
        MPI_Info_free(&info);
    }
    MPI_Comm_free(&comm);
}

/* So many that the ranks agree about windows of tags. */
static void one_of_many_inits_fails_on_all_ranks_or_on_none(void)
{
    enum { MANY = 300, TESTED = 250 };
    static MPIX_Request r[MANY];
    MPI_Comm comm = fresh();

    first_inits(comm);
    for (int i = 0; i < MANY; i++) {
        int error = MPI_ERR_NO_MEM;
        r[i] = MPIX_REQUEST_NULL;
        for (long at = i < TESTED ? TESTED_MOST : 0; error; at++) {
            mpi_test_context("init %d, allocation %ld", i, at);
            memory_runs_out(at);
            error = tested_sum.init(3, comm, MPI_INFO_NULL, &r[i]);
            allocations_left = -1;
            CHECK(on_any_rank(error != MPI_SUCCESS) == (error != MPI_SUCCESS));
        }
    }
    for (int i = 0; i < MANY; i++)
        CHECK(MPIX_Request_free(&r[i]) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
}

static void a_trial_is_made_on_all_ranks_or_on_none(void)
{
    MPI_Comm comm = fresh();
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_plan", "measure");
    first_inits(comm);
    each_init_in_need(&tested_sum, 500, comm, info);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

/* A wrong value on rank 0, no memory on another one: no number between these classes. */
static void errors_of_two_classes_are_another_class_for_the_rest(void)
{
    int expected = world_rank == 0           ? MPI_ERR_INFO_VALUE
                   : world_rank == POOR_RANK ? MPI_ERR_NO_MEM
                                             : MPI_ERR_OTHER;
    MPIX_Request r = MPIX_REQUEST_NULL;
    MPI_Comm comm = fresh();
    MPI_Info info;
    int error;

    MPI_Info_create(&info);
    if (world_rank == 0)
        MPI_Info_set(info, "tutti_stats", "perhaps");
    first_inits(comm);
    memory_runs_out(0);
    error = tested_sum.init(3, comm, info, &r);
    allocations_left = -1;
    CHECK_CLASS(error, expected);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

/* ---- calls ---- */

static int call(const tested_call *c, int n, MPI_Comm comm, bool blocks)
{
    MPI_Request r = MPI_REQUEST_NULL;
    int error = blocks ? c->run(n, comm) : c->start(n, comm, &r);

    CHECK(!error || r == MPI_REQUEST_NULL);
    if (!error && !blocks)
        error = MPI_Wait(&r, MPI_STATUS_IGNORE);
    return error;
}

static bool call_in_need(const tested_call *c, int n, MPI_Comm comm, bool blocks, long at)
{
    int error;
    bool ran;

    mpi_test_context("%s of %d, %s, allocation %ld", c->name, n,
                     blocks ? "blocking" : "non-blocking", at);
    tested_fill();
    memory_runs_out(at);
    error = call(c, n, comm, blocks);
    allocations_left = -1;
    ran = allocation_failed;
    CHECK(!error || ran);
    if (error) {
        CHECK_CLASS(error, MPI_ERR_NO_MEM);
        CHECK(tested_to[0] == -1);
        CHECK(call(c, n, comm, blocks) == MPI_SUCCESS);
    }
    tested_check(c, n);
    return !on_any_rank(ran);
}

static void a_call_that_fails_can_be_made_again(void)
{
    for (int blocks = 0; blocks < 2; blocks++)
        for (int kind = 0; kind < 2; kind++) {
            const tested_call *c = kind ? &tested_gather : &tested_sum;
            MPI_Comm comm = fresh();
            CHECK(tutti_comm_prepare(comm) == MPI_SUCCESS);
            for (int n = 3; n < 2000; n *= 20)
                for (long at = 0; !call_in_need(c, n, comm, blocks, at); at += 1 + at / 50)
                    ;
            MPI_Comm_free(&comm);
        }
}

/* Nobody waits for the root. */
static int collect(MPI_Comm comm, MPI_Request *r)
{
    return MPIX_Igather_auto(tested_from, 3, MPI_INT, tested_to, 3, MPI_INT, POOR_RANK, comm, r);
}

static void check_collected(void)
{
    for (int i = 0; i < 3 * world_size; i++)
        CHECK(world_rank != POOR_RANK || tested_to[i] == 1000 * (i / 3) + i % 3);
}

/* Whoever has failed alone after its call does not take what comes then for what comes later. */
static bool first_call_in_need(MPI_Comm comm, long at)
{
    MPI_Request r = MPI_REQUEST_NULL;
    bool ran;
    int error;

    mpi_test_context("allocation %ld", at);
    tested_fill();
    memory_runs_out(at);
    error = collect(comm, &r);
    if (error) {
        CHECK_CLASS(error, MPI_ERR_NO_MEM);
        CHECK(collect(comm, &r) == MPI_SUCCESS);
    }
    error = MPI_Wait(&r, MPI_STATUS_IGNORE);
    allocations_left = -1;
    ran = on_any_rank(allocation_failed);
    if (error) {
        CHECK(world_rank == POOR_RANK);
        CHECK_CLASS(error, MPI_ERR_NO_MEM);
        CHECK_CLASS(collect(comm, &r), MPI_ERR_NO_MEM);
        CHECK(tested_to[0] == -1);
    } else {
        check_collected();
    }
    MPI_Comm_free(&comm);
    return !ran;
}

static void a_first_call_that_fails_ends_with_an_error(void)
{
    for (long at = 0; !first_call_in_need(fresh(), at); at += 1 + at / 50)
        ;
    for (long at = 0; !first_call_in_need(fresh_graph(), at); at += 1 + at / 50)
        ;
}

/* ---- calls about a communicator ---- */

static int set_hints(MPI_Comm comm)
{
    MPI_Info info;
    int error;

    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_algorithm", "ring");
    error = tutti_comm_set_hints(comm, info);
    MPI_Info_free(&info);
    return error;
}

static int import(MPI_Comm comm)
{
    return tutti_wisdom_import(comm, NULL);
}

/* Rank 0 alone writes the file. */
static int export_wisdom(MPI_Comm comm)
{
    char file[64];
    int error;

    snprintf(file, sizeof file, "no_memory.%d.wisdom", (int)getpid());
    error = tutti_wisdom_export(comm, file);
    if (world_rank == 0)
        remove(file);
    return error;
}

static void a_call_about_a_communicator_fails_on_all_ranks_or_on_none(void)
{
    int (*const calls[])(MPI_Comm) = {set_hints, import, export_wisdom};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        MPI_Comm comm = fresh();
        bool ran = true;
        first_inits(comm);
        for (long at = 0; ran; at++) {
            mpi_test_context("call %zu, allocation %ld", i, at);
            memory_runs_out(at);
            int error = calls[i](comm);
            allocations_left = -1;
            ran = on_any_rank(allocation_failed);
            if (on_any_rank(error != MPI_SUCCESS))
                CHECK_CLASS(error, MPI_ERR_NO_MEM);
        }
        MPI_Comm_free(&comm);
    }
}

static void open_buffers(void)
{
    MPI_Datatype pair;

    CHECK(tutti_init() == MPI_SUCCESS);
    tested_from = malloc(2 * TESTED_MOST * sizeof *tested_from);
    tested_to = malloc(TESTED_MOST * sizeof *tested_to);
    MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &pair);
    MPI_Type_dup(pair, &tested_holes);
    MPI_Type_commit(&tested_holes);
    MPI_Type_free(&pair);
}

static void close_buffers(void)
{
    MPI_Type_free(&tested_holes);
    free(tested_from);
    free(tested_to);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(open_buffers),
        MPI_TEST(an_init_fails_on_all_ranks_or_on_none),
        MPI_TEST(an_init_of_neighbors_fails_on_all_ranks_or_on_none),
        MPI_TEST(one_of_many_inits_fails_on_all_ranks_or_on_none),
        MPI_TEST(a_trial_is_made_on_all_ranks_or_on_none),
        MPI_TEST(errors_of_two_classes_are_another_class_for_the_rest),
        MPI_TEST(a_call_that_fails_can_be_made_again),
        MPI_TEST(a_first_call_that_fails_ends_with_an_error),
        MPI_TEST(a_call_about_a_communicator_fails_on_all_ranks_or_on_none),
        MPI_TEST(close_buffers),
    };

    return mpi_test_main(argc, argv, "no_memory", tests, sizeof tests / sizeof *tests);
}
