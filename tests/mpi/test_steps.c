/* SPDX-License-Identifier: BSD-3-Clause */
/* test_steps.c - reductions, fences, messages over two spaces, and sums of ours. Runs
 * schedules made by hand on the engine. Looks inside the library.
 */
#include "mpi/calls.h"

#include "nbc/comm/first.h"
#include "nbc/comm/windows.h"
#include "nbc/library.h"
#include "nbc/process/test_knobs.h"
#include "nbc/run/engine.h"

#include <stdlib.h>
#include <string.h>

static sched *commit(sched_builder *b)
{
    sched *s = NULL;

    CHECK(sched_commit(b, &s) == SCHED_OK);
    CHECK(sched_check(s) == NULL);
    return s;
}

/* Run a schedule over MPI_COMM_WORLD twice: the second start finds what the first has left. */
static void run(const sched *s, const binding *b)
{
    exec *e = exec_create(s);
    comm *c = NULL;

    CHECK(library_enter() == MPI_SUCCESS && comm_get(MPI_COMM_WORLD, &c) == MPI_SUCCESS);
    CHECK(comm_begin(c, "test", true) == MPI_SUCCESS);
    comm_wait_ready(c);
    comm_ref(c);
    e->comm = c;
    CHECK(exec_bind(e, b) == MPI_SUCCESS);
    CHECK(comm_persistent_window(c, &e->ticket) == MPI_SUCCESS);
    CHECK(exec_make_requests(e) == MPI_SUCCESS);
    for (int round = 0; round < 2; round++) {
        engine_start(e);
        engine_wait(e);
        CHECK(e->run.error == MPI_SUCCESS);
        atomic_store(&e->state, EXEC_IDLE);
    }
    comm_persistent_release(c, &e->ticket);
    exec_free(e);
    comm_unref(c);
}

/* A chain: rank r gets the result of ranks 0..r-1 into scratch, reduces it into its own from the
 * left, and passes it on. The last rank has everything, in rank order. */
static sched *chain(int n)
{
    sched_builder *b = sched_begin(world_size, FORM_STEP);
    interval mine = interval_make(SPACE_RECV, 0, n);

    sched_copy(b, interval_make(SPACE_SEND, 0, n), mine);
    if (world_rank > 0) {
        interval before = sched_scratch(b, n);
        sched_recv(b, before, world_rank - 1);
        sched_reduce(b, before, mine);
    }
    if (world_rank < world_size - 1)
        sched_send(b, mine, world_rank + 1);
    return commit(b);
}

/* x -> a x + b as a pair; the composition is associative and not commutative. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    long *left = in, *right = inout;

    (void)type;
    for (int i = 0; i < *n; i++, left += 2, right += 2) {
        long a = left[0] * right[0], b = left[1] * right[0] + right[1];
        right[0] = a;
        right[1] = b;
    }
}

static void reductions_are_applied_in_rank_order(void)
{
    enum { N = 3 };
    long mine[2 * N], got[2 * N], a = 1, b = 0;
    MPI_Datatype map;
    MPI_Op op;
    sched *s = chain(N);

    MPI_Type_contiguous(2, MPI_LONG, &map);
    MPI_Type_commit(&map);
    MPI_Op_create(compose, 0, &op);
    for (int i = 0; i < N; i++) {
        mine[2 * i] = world_rank + 2;
        mine[2 * i + 1] = world_rank + i;
    }
    for (datatype_max_count = 2; datatype_max_count <= 1000; datatype_max_count += 998)
        run(s, &(binding){.sendbuf = mine,
                          .sendtype = map,
                          .sendcount = 1,
                          .recvbuf = got,
                          .recvtype = map,
                          .recvcount = 1,
                          .op = {.op = op, .type = map}});
    for (int r = 0; r <= world_rank; r++) { /* of the last block, i = N - 1 */
        a *= r + 2;
        b = b * (r + 2) + r + N - 1;
    }
    CHECK(got[2 * N - 2] == a && got[2 * N - 1] == b);
    MPI_Op_free(&op);
    MPI_Type_free(&map);
    sched_free(s);
}

/* One message: a piece of SEND, then two pieces of RECV; packed if small, a struct type if large.
 */
static void a_message_may_name_several_spaces(void)
{
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;

    for (int count = 1; count <= 8000; count += 7999) {
        sched_builder *b = sched_begin(world_size, FORM_STEP);
        size_t n = (size_t)count;
        int *out = malloc(n * 4 * sizeof *out), *in = calloc(n * 10, sizeof *in);
        for (size_t i = 0; i < 4 * n; i++)
            out[i] = world_rank * 100000 + (int)i;
        sched_copy(b, interval_make(SPACE_SEND, 1, 1), interval_make(SPACE_RECV, 0, 1));
        sched_copy(b, interval_make(SPACE_SEND, 3, 1), interval_make(SPACE_RECV, 2, 1));
        sched_fence(b);
        sched_open(b, STEP_SEND, right);
        sched_add(b, interval_make(SPACE_SEND, 0, 1));
        sched_add(b, interval_make(SPACE_RECV, 0, 1));
        sched_add(b, interval_make(SPACE_RECV, 2, 1));
        sched_close(b);
        sched_open(b, STEP_RECV, left);
        sched_add(b, interval_make(SPACE_RECV, 4, 2));
        sched_add(b, interval_make(SPACE_RECV, 7, 1));
        sched_close(b);
        sched *s = commit(b);
        run(s, &(binding){.sendbuf = out,
                          .sendtype = MPI_INT,
                          .sendcount = count,
                          .recvbuf = in,
                          .recvtype = MPI_INT,
                          .recvcount = count,
                          .op = operation_none});
        mpi_test_context("count %d", count);
        for (size_t i = 0; i < n; i++) {
            CHECK(in[4 * n + i] == left * 100000 + (int)i);
            CHECK(in[5 * n + i] == left * 100000 + (int)(n + i));
            CHECK(in[6 * n + i] == 0);
            CHECK(in[7 * n + i] == left * 100000 + (int)(3 * n + i));
        }
        sched_free(s);
        free(in);
        free(out);
    }
}

/* Many messages to one peer, of which the later ones are free to complete first. */
static void many_messages_to_one_peer_all_arrive(void)
{
    enum { N = 300 };
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    int out[N], in[N];
    sched_builder *b = sched_begin(world_size, FORM_STEP);

    for (int i = 0; i < N; i++) {
        out[i] = world_rank * 1000 + i;
        sched_send(b, interval_make(SPACE_SEND, i, 1), right);
        sched_recv(b, interval_make(SPACE_RECV, N - 1 - i, 1), left);
    }
    sched *s = commit(b);
    memset(in, 0, sizeof in);
    run(s, &(binding){.sendbuf = out,
                      .sendtype = MPI_INT,
                      .sendcount = 1,
                      .recvbuf = in,
                      .recvtype = MPI_INT,
                      .recvcount = 1,
                      .op = operation_none});
    for (int i = 0; i < N; i++)
        CHECK(in[N - 1 - i] == left * 1000 + i);
    sched_free(s);
}

/* ---- reductions by loops of ours ---- */

enum { REDUCED = 259 };

static void check_loop(MPI_Op op, MPI_Datatype type, bool floats)
{
    uint64_t x[REDUCED], y[REDUCED], z[REDUCED];
    reduce_function *loop = reduce_find(op, type);
    int size, n;

    MPI_Type_size(type, &size);
    n = (int)sizeof x / size;
    for (int i = 0; i < REDUCED; i++) {
        x[i] = (uint64_t)i * 0x9e3779b97f4a7c15u;
        y[i] = (uint64_t)(i + 7) * 0xbf58476d1ce4e5b9u;
        if (floats) { /* exponents in the middle: no NaNs */
            x[i] &= 0x9fffffff9fffffffu;
            y[i] &= 0x9fffffff9fffffffu;
        }
        z[i] = y[i];
    }
    CHECK(loop != NULL);
    loop(x, y, (size_t)n);
    CHECK(MPI_Reduce_local(x, z, n, type, op) == MPI_SUCCESS);
    CHECK(memcmp(y, z, sizeof y) == 0);
}

static void loops_of_ours_do_what_the_mpi_does(void)
{
    const MPI_Datatype whole[] = {
        MPI_INT,      MPI_UNSIGNED,  MPI_LONG,    MPI_UNSIGNED_LONG, MPI_INT32_T,
        MPI_UINT32_T, MPI_LONG_LONG, MPI_INT64_T, MPI_UINT64_T,      MPI_UNSIGNED_LONG_LONG};

    const MPI_Datatype with_a_sign[] = {MPI_INT, MPI_LONG, MPI_INT32_T, MPI_LONG_LONG, MPI_INT64_T};

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        check_loop(MPI_SUM, whole[i], false);
    for (size_t i = 0; i < sizeof with_a_sign / sizeof *with_a_sign; i++) {
        check_loop(MPI_MAX, with_a_sign[i], false);
        check_loop(MPI_MIN, with_a_sign[i], false);
    }
    check_loop(MPI_SUM, MPI_FLOAT, true);
    check_loop(MPI_SUM, MPI_DOUBLE, true);
    CHECK(reduce_find(MPI_MAX, MPI_DOUBLE) == NULL);
    CHECK(reduce_find(MPI_MAX, MPI_UNSIGNED) == NULL);
    CHECK(reduce_find(MPI_PROD, MPI_INT) == NULL);
    CHECK(reduce_find(MPI_SUM, MPI_SHORT) == NULL);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(reductions_are_applied_in_rank_order),
        MPI_TEST(a_message_may_name_several_spaces),
        MPI_TEST(many_messages_to_one_peer_all_arrive),
        MPI_TEST(loops_of_ours_do_what_the_mpi_does),
    };

    return mpi_test_main(argc, argv, "steps", tests, sizeof tests / sizeof *tests);
}
