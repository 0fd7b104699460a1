/* SPDX-License-Identifier: BSD-3-Clause */
/* test_repeat.c - calls that are like one before, or almost: the library takes a short way then
 * (api/repeat.c), and must not take it if anything else than the buffers has changed.
 */
#include "mpi/blocks.h"

#include <string.h>

typedef struct variant {
    int count, root;
    bool in_place, below, full, large;
} variant;

/* Each is run twice, once more after the next one, and differs from that in one thing. */
static const variant variants[] = {
    {.count = 3},
    {.count = 3, .full = true}, /* lists of other lengths */
    {.count = 4, .full = true},
    {.count = 4, .full = true, .below = true},
    {.count = 4, .full = true, .large = true},
    {.count = 4, .full = true, .in_place = true},
    {.count = 4, .full = true, .root = 1},
    {.count = 0, .full = true, .root = 1},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

static int turn;

static void run(const call_set *s, const variant *v, bool blocking)
{
    bool reduces = coll_has(s->kind, COLL_REDUCES);
    blocks b = {.kind = s->kind,
                .comm = MPI_COMM_WORLD,
                .types = &type_pairs[0],
                .reduction = reduces ? &reductions[0] : NULL,
                .count = v->count,
                .in_place = v->in_place && coll_shapes[s->kind].send != COLL_NONE,
                .below = v->below,
                .full = v->full,
                .o = {.root = coll_has(s->kind, COLL_ROOTED) ? v->root % world_size : 0}};
    bool large = v->large && s->run[1];
    MPI_Request r = MPI_REQUEST_NULL;

    mpi_test_context("%s %s, variant %d", coll_kind_name(s->kind), s->algorithm,
                     (int)(v - variants));
    blocks_open(&b);
    blocks_fill(&b, turn++);
    if (blocking) {
        CHECK(calls_run(s, large, &b.args) == MPI_SUCCESS);
    } else {
        CHECK(calls_start(s, large, &b.args, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(blocks_are_right(&b));
    blocks_close(&b);
}

static void the_short_way_is_for_equal_calls_only(void)
{
    type_pairs_make();
    reductions_make();
    for (int i = 0; i < call_set_count; i++) {
        const call_set *s = &call_sets[i];
        const reduction *r = coll_has(s->kind, COLL_REDUCES) ? &reductions[0] : NULL;

        for (int k = 0; k < VARIANTS && calls_serve(s, world_size, r); k++) {
            run(s, &variants[k], k % 2);
            run(s, &variants[k], (k + 1) % 2);
            run(s, &variants[(k + 1) % VARIANTS], false);
            run(s, &variants[k], false);
        }
    }
}

/* ---- blocks with types of their own ---- */

enum { SLOT = 8 };

/* Every rank sends a block to the one `shift` ranks on, from and to `displ`. */
typedef struct typed_variant {
    int shift, displ;
    bool gap; /* MPI_SHORT_INT, which has one; else three MPI_SHORT: the same number of bytes */
} typed_variant;

static const typed_variant typed_variants[] = {
    {0, 0, false}, {1, 0, false}, {1, SLOT, false}, {1, SLOT, true}, {0, SLOT, true}, {0, 0, true},
};

enum { TYPED_VARIANTS = sizeof typed_variants / sizeof *typed_variants };

typedef struct typed_call {
    int sendcounts[64], recvcounts[64], displs[64];
    MPI_Datatype types[64];
    call_args args;
} typed_call;

static void typed_call_make(typed_call *c, const typed_variant *v, unsigned char *send,
                            unsigned char *recv)
{
    int p = world_size, n = v->gap ? 1 : 3;

    *c = (typed_call){.args.comm = MPI_COMM_WORLD};
    for (int r = 0; r < p; r++) {
        c->displs[r] = v->displ;
        c->types[r] = v->gap ? MPI_SHORT_INT : MPI_SHORT;
    }
    c->sendcounts[(world_rank + v->shift) % p] = n;
    c->recvcounts[(world_rank - v->shift % p + p) % p] = n;
    c->args.send = (call_side){.buffer = send, .list = {c->sendcounts, c->displs, 0, 0, c->types}};
    c->args.recv = (call_side){.buffer = recv, .list = {c->recvcounts, c->displs, 0, 0, c->types}};
}

static void run_typed(const call_set *s, const typed_variant *v, bool blocking)
{
    unsigned char send[2 * SLOT], recv[2 * SLOT] = {0}, expected[2 * SLOT] = {0};
    int from = (world_rank - v->shift % world_size + world_size) % world_size;
    MPI_Request r = MPI_REQUEST_NULL;
    typed_call c;

    mpi_test_context("%s %s, typed variant %d", coll_kind_name(s->kind), s->algorithm,
                     (int)(v - typed_variants));
    turn++;
    for (int i = 0; i < 2 * SLOT; i++)
        send[i] = (unsigned char)(1 + (turn + 31 * world_rank + i) % 255);
    for (int i = 0; i < SLOT; i++)
        if (v->gap ? i < 2 || i > 3 : i < 6)
            expected[v->displ + i] = (unsigned char)(1 + (turn + 31 * from + v->displ + i) % 255);
    typed_call_make(&c, v, send, recv);
    if (blocking) {
        CHECK(calls_run(s, false, &c.args) == MPI_SUCCESS);
    } else {
        CHECK(calls_start(s, false, &c.args, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(memcmp(recv, expected, sizeof recv) == 0);
}

static void the_short_way_looks_at_the_blocks_types(void)
{
    for (int i = 0; i < call_set_count; i++)
        for (int k = 0; k < TYPED_VARIANTS && call_sets[i].kind == COLL_alltoallw; k++) {
            run_typed(&call_sets[i], &typed_variants[k], k % 2);
            run_typed(&call_sets[i], &typed_variants[k], (k + 1) % 2);
            run_typed(&call_sets[i], &typed_variants[(k + 1) % TYPED_VARIANTS], false);
            run_typed(&call_sets[i], &typed_variants[k], false);
        }
}

enum { LENGTHS = 700, LONGEST = LENGTHS + 1 };

static double given(int rank, int length, int i)
{
    return (double)((7 * rank + 3 * length + i + turn) % 1000);
}

static double sum_of(int length, int i)
{
    double sum = 0;

    for (int rank = 0; rank < world_size; rank++)
        sum += given(rank, length, i);
    return sum;
}

static void fill(double *data, int length)
{
    for (int i = 0; i < LONGEST; i++)
        data[i] = i < length ? given(world_rank, length, i) : -1;
}

/* There are more signatures than a communicator remembers, and some come again soon. */
static void calls_are_told_apart_when_there_are_many(void)
{
    double send[LONGEST], recv[LONGEST];
    MPI_Request r;

    for (int k = 0; k < 3 * LENGTHS; k++) {
        int length = k % 5 ? k * 37 % LENGTHS : k % 3;
        turn++;
        fill(send, length);
        fill(recv, 0);
        if (k % 2) {
            CHECK(MPIX_Allreduce_auto(send, recv, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) ==
                  MPI_SUCCESS);
        } else {
            CHECK(MPIX_Iallreduce_auto(send, recv, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                       &r) == MPI_SUCCESS);
            CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        for (int i = 0; i < LONGEST; i++)
            CHECK(recv[i] == (i < length ? sum_of(length, i) : -1));
    }
}

/* More than one call keeps execs for, on two communicators, of which one goes meanwhile. */
static void calls_that_are_known_may_run_at_the_same_time(void)
{
    enum { CALLS = 40, KINDS = 3 };
    static double send[CALLS][LONGEST], recv[CALLS][LONGEST];
    MPI_Request r[CALLS];

    for (int round = 0; round < 5; round++) {
        MPI_Comm dup;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        turn++;
        for (int k = 0; k < CALLS; k++) {
            fill(send[k], k % KINDS);
            fill(recv[k], 0);
            CHECK(MPIX_Iallreduce_auto(send[k], recv[k], k % KINDS, MPI_DOUBLE, MPI_SUM,
                                       k % 4 ? MPI_COMM_WORLD : dup, &r[k]) == MPI_SUCCESS);
        }
        MPI_Comm_free(&dup);
        CHECK(MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < CALLS; k++)
            for (int i = 0; i < LONGEST; i++)
                CHECK(recv[k][i] == (i < k % KINDS ? sum_of(k % KINDS, i) : -1));
    }
}

/* Each rank has counts of its own, which come again after some other ones. */
static void lists_are_told_apart(void)
{
    int n[2][64], at[2][64], p = world_size;
    double send[LONGEST], recv[LONGEST];

    for (int k = 0; k < 200; k++) {
        int last[2] = {0, 0};
        turn++;
        for (int i = 0; i < p; i++) {
            n[0][i] = (k * k + world_rank + 3 * i) % 7;
            n[1][i] = (k * k + i + 3 * world_rank) % 7;
            for (int side = 0; side < 2; side++) {
                at[side][i] = last[side] + (k / 9) % 2;
                last[side] = at[side][i] + n[side][i];
            }
        }
        fill(send, LONGEST);
        fill(recv, 0);
        CHECK(MPIX_Alltoallv_auto(send, n[0], at[0], MPI_DOUBLE, recv, n[1], at[1], MPI_DOUBLE,
                                  MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < p; i++) {
            int from = (k / 9) % 2; /* where the block for me begins at rank i */
            for (int j = 0; j < world_rank; j++)
                from += (k * k + i + 3 * j) % 7 + (k / 9) % 2;
            for (int j = 0; j < n[1][i]; j++)
                CHECK(recv[at[1][i] + j] == given(i, LONGEST, from + j));
        }
    }
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(calls_are_told_apart_when_there_are_many),
        MPI_TEST(calls_that_are_known_may_run_at_the_same_time),
        MPI_TEST(lists_are_told_apart),
        MPI_TEST(the_short_way_is_for_equal_calls_only),
        MPI_TEST(the_short_way_looks_at_the_blocks_types),
    };

    return mpi_test_main(argc, argv, "repeat", tests, sizeof tests / sizeof *tests);
}
