/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lives.c - every algorithm of every collective: what may be freed while it runs, ranks that
 * are late, and many operations in other orders; with every driver.
 */
#include "mpi/blocks.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { STARTS = 4, MOST = 128 };

static bool manual; /* the driver: nothing but our own calls advances operations */

static void get_ready(void)
{
    const char *value = getenv("TUTTI_PROGRESS");

    type_pairs_make();
    reductions_make();
    manual = value && value[0] == 'm';
}

static void finish(MPI_Request *r)
{
    int flag = !manual;

    while (!flag) {
        CHECK(tutti_progress() == MPI_SUCCESS);
        CHECK(MPI_Test(r, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(MPI_Wait(r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* With data of its own, or an operation, for each number i. */
static bool open_case(blocks *b, int i, MPI_Comm comm, int count)
{
    const call_set *s = &call_sets[i];
    bool reduces = coll_has(s->kind, COLL_REDUCES);

    *b = (blocks){.kind = s->kind,
                  .comm = comm,
                  .types = &type_pairs[i % type_pair_count],
                  .count = count,
                  .o = {.root = coll_has(s->kind, COLL_ROOTED) ? i % world_size : 0}};
    for (int k = reduction_count - 1; k >= 0 && reduces && !b->reduction; k--)
        if (calls_serve(s, world_size, &reductions[k]))
            b->reduction = &reductions[k];
    mpi_test_context("%s %s", coll_kind_name(s->kind), s->algorithm);
    if (!calls_serve(s, world_size, b->reduction))
        return false;
    blocks_open(b);
    return true;
}

/* ---- what is freed ---- */

static void dup_type(MPI_Datatype *type)
{
    if (*type != MPI_DATATYPE_NULL) /* which may stand where no type counts */
        MPI_Type_dup(*type, type);
}

static void free_type(MPI_Datatype *type)
{
    if (*type != MPI_DATATYPE_NULL)
        MPI_Type_free(type);
}

/* Handles of its own for all that a call takes; but MPI's operations serve MPI's types only. */
static call_args own_handles(const blocks *b)
{
    call_args a = b->args;

    MPI_Comm_dup(b->comm, &a.comm);
    if (b->reduction && !b->reduction->function)
        return a;
    dup_type(&a.send.type);
    dup_type(&a.recv.type);
    if (b->reduction)
        MPI_Op_create(b->reduction->function, !b->reduction->noncommutative, &a.op);
    return a;
}

static void free_handles(const blocks *b, call_args *a)
{
    MPI_Comm_free(&a->comm);
    if (b->reduction && !b->reduction->function)
        return;
    free_type(&a->send.type);
    free_type(&a->recv.type);
    if (b->reduction)
        MPI_Op_free(&a->op);
    CHECK(a->op == MPI_OP_NULL);
}

static void other_function(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
    CHECK(!"the function of another operation");
}

/* MPI may give the handle of what is freed to something new. */
static MPI_Op take_handle(void)
{
    MPI_Op op;

    MPI_Op_create(other_function, 1, &op);
    return op;
}

static void free_in_flight(const call_set *s, blocks *b)
{
    call_args a = own_handles(b);
    MPI_Request r;
    MPI_Op other;

    blocks_fill(b, 1);
    CHECK(calls_start(s, false, &a, &r) == MPI_SUCCESS);
    free_handles(b, &a);
    other = take_handle();
    finish(&r);
    CHECK(blocks_are_right(b));
    MPI_Op_free(&other);
}

static void free_after_init(const call_set *s, blocks *b)
{
    call_args a = own_handles(b);
    persistent r = PERSISTENT_NULL;
    MPI_Op other;

    CHECK(calls_init(s, false, &a, MPI_INFO_NULL, &r) == MPI_SUCCESS);
    free_handles(b, &a);
    other = take_handle();
    for (int turn = 0; turn < STARTS; turn++) {
        blocks_fill(b, turn);
        CHECK(persistent_start(&r) == MPI_SUCCESS);
        CHECK(persistent_wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(blocks_are_right(b));
    }
    CHECK(persistent_free(&r) == MPI_SUCCESS);
    MPI_Op_free(&other);
}

static void types_operation_and_communicator_may_be_freed_at_once(void)
{
    enum { COUNT = 700 }; /* above what is packed, for most messages */
    blocks b;

    for (int i = 0; i < call_set_count; i++)
        if (open_case(&b, i, MPI_COMM_WORLD, COUNT)) {
            free_in_flight(&call_sets[i], &b);
            free_after_init(&call_sets[i], &b);
            blocks_close(&b);
        }
}

/* ---- when ---- */

/* Each rank in turn starts late: the messages of the others arrive before it has posted anything,
 * and throttled exchanges wait for it. */
static void a_rank_may_start_late(void)
{
    static const struct timespec pause = {.tv_nsec = 20000000};
    blocks b;

    for (int i = 0; i < call_set_count; i++)
        if (open_case(&b, i, MPI_COMM_WORLD, 3)) {
            MPI_Request r;
            blocks_fill(&b, i);
            if (world_rank == i % world_size)
                nanosleep(&pause, NULL);
            CHECK(calls_start(&call_sets[i], call_sets[i].start[1], &b.args, &r) == MPI_SUCCESS);
            finish(&r);
            CHECK(blocks_are_right(&b));
            blocks_close(&b);
        }
}

/* One operation of each algorithm at once, completed in another order on every rank. */
static void operations_of_all_algorithms_run_side_by_side(void)
{
    static blocks b[MOST];
    MPI_Request r[MOST];
    int n = 0;

    for (int i = 0; i < call_set_count && n < MOST; i++)
        if (open_case(&b[n], i, MPI_COMM_WORLD, 3)) {
            blocks_fill(&b[n], i);
            CHECK(calls_start(&call_sets[i], false, &b[n].args, &r[n]) == MPI_SUCCESS);
            n++;
        }
    for (int i = 0; i < n; i++)
        finish(&r[(i * 5 + world_rank) % n]);
    for (int i = 0; i < n; i++) { /* where 5 divides n, some have been left */
        finish(&r[i]);
        CHECK(blocks_are_right(&b[i]));
        blocks_close(&b[i]);
    }
}

/* One persistent request of each algorithm, started in another order on every rank. */
static void persistent_requests_start_in_any_order(void)
{
    static blocks b[MOST];
    persistent r[MOST];
    int n = 0;

    for (int i = 0; i < call_set_count && n < MOST; i++)
        if (open_case(&b[n], i, MPI_COMM_WORLD, 3)) {
            CHECK(calls_init(&call_sets[i], false, &b[n].args, MPI_INFO_NULL, &r[n]) ==
                  MPI_SUCCESS);
            n++;
        }
    for (int turn = 0; turn < STARTS; turn++) {
        for (int i = 0; i < n; i++) {
            int which = (i + world_rank * 2 + turn) % n;
            blocks_fill(&b[which], turn * MOST + which);
            CHECK(persistent_start(&r[which]) == MPI_SUCCESS);
        }
        CHECK(MPIX_Waitall(n, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < n; i++)
            CHECK(blocks_are_right(&b[i]));
    }
    for (int i = 0; i < n; i++) {
        CHECK(persistent_free(&r[i]) == MPI_SUCCESS);
        blocks_close(&b[i]);
    }
}

/* ---- where ---- */

static pthread_t program;
static int calls, calls_elsewhere;

static void where_am_i(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    calls++;
    calls_elsewhere += !pthread_equal(pthread_self(), program);
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Does it reduce, with operations of the program? */
static bool serves_the_program(const call_set *s)
{
    return coll_has(s->kind, COLL_REDUCES) &&
           calls_serve(s, world_size, &reductions[reduction_count - 1]);
}

/* Each rank gives its number, and the root is rank 0; -1: nothing is received. */
static int sum_of(coll_kind kind)
{
    int p = world_size, me = world_rank;

    if (coll_has(kind, COLL_EXCLUSIVE))
        return me == 0 ? -1 : me * (me - 1) / 2;
    if (coll_has(kind, COLL_ROOT_RECEIVES) && me != 0)
        return -1;
    return kind == COLL_scan ? me * (me + 1) / 2 : p * (p - 1) / 2;
}

/* Also with the progress thread: the program's functions may not be made for threads. */
static void operations_of_the_program_run_inside_its_calls(void)
{
    int mine[MOST], counts[MOST], sum = -1;
    call_args a = {.send = {.buffer = mine, .count = 1, .type = MPI_INT},
                   .recv = {.buffer = &sum, .count = 1, .type = MPI_INT},
                   .comm = MPI_COMM_WORLD};

    for (int i = 0; i < world_size; i++) {
        mine[i] = world_rank;
        counts[i] = 1;
    }
    a.send.list.narrow_counts = a.recv.list.narrow_counts = counts;
    program = pthread_self();
    MPI_Op_create(where_am_i, 1, &a.op);
    for (int i = 0; i < call_set_count; i++)
        for (int turn = 0; turn < 20 && serves_the_program(&call_sets[i]); turn++) {
            MPI_Request r;
            sum = -1;
            mpi_test_context("%s %s", coll_kind_name(call_sets[i].kind), call_sets[i].algorithm);
            CHECK(calls_start(&call_sets[i], false, &a, &r) == MPI_SUCCESS);
            finish(&r);
            CHECK(sum == sum_of(call_sets[i].kind));
        }
    MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(world_size == 1 || calls > 0);
    CHECK(calls_elsewhere == 0);
    MPI_Op_free(&a.op);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(get_ready),
        MPI_TEST(types_operation_and_communicator_may_be_freed_at_once),
        MPI_TEST(a_rank_may_start_late),
        MPI_TEST(operations_of_all_algorithms_run_side_by_side),
        MPI_TEST(persistent_requests_start_in_any_order),
        MPI_TEST(operations_of_the_program_run_inside_its_calls),
    };

    return mpi_test_main(argc, argv, "lives", tests, sizeof tests / sizeof *tests);
}
