/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_medley.c - an MPI program that knows nothing of Tutti: all non-blocking collectives in
 * flight at once on one communicator, with a receive from anyone, and communicators made between
 * them; operations and types are freed as soon as they have been given; and every rank completes
 * all of it in another way.
 */
#include "mpi/mpi_test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 32, ROUNDS = 12 };

/* What one call sends and receives. */
typedef struct call {
    int from[2 * MOST], to[2 * MOST], ones[MOST], displs[MOST], bytes[MOST];
    MPI_Datatype types[MOST];
} call;

/* A round: its number is in all data; and the ring, which is made while others are in flight. */
typedef struct medley {
    MPI_Comm comm, ring;
    int salt, root, left, right;
} medley;

/* ---- an operation of the program: it does not commute ---- */

typedef struct digits {
    unsigned value, scale;
} digits;

static void append(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const digits *left = in;
    digits *right = inout;

    (void)type;
    for (int i = 0; i < *n; i++)
        right[i] = (digits){left[i].value * right[i].scale + right[i].value,
                            left[i].scale * right[i].scale};
}

/* Both are freed by `forget`, while the call runs. */
static MPI_Op op;
static MPI_Datatype pair;

static void make(void)
{
    MPI_Op_create(append, 0, &op);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
    MPI_Type_commit(&pair);
}

static void forget(void)
{
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
}

static void set_digits(const medley *m, call *c)
{
    for (int i = 0; i < world_size; i++) {
        c->from[2 * i] = m->salt + world_rank + i;
        c->from[2 * i + 1] = 10;
    }
}

/* The i-th digits of the first n ranks; -1: nothing has come. */
static void check_digits(const medley *m, const call *c, int i, int n)
{
    unsigned value = 0, scale = 1;

    for (int r = 0; r < n; r++) {
        value = value * 10 + (unsigned)(m->salt + r + i);
        scale *= 10;
    }
    CHECK(c->to[0] == (n ? (int)value : -1) && c->to[1] == (n ? (int)scale : -1));
    CHECK(c->to[2] == -1);
}

/* Of each rank its number for me: i-th of those for all. Nothing: -1. */
static void check_blocks(const medley *m, const call *c, bool there, int i)
{
    for (int r = 0; r < MOST; r++)
        CHECK(c->to[r] == (there && r < world_size ? m->salt + 100 * r + i : -1));
}

static void check_one(const call *c, int value)
{
    CHECK(c->to[0] == value && c->to[1] == -1);
}

/* ---- the calls ---- */

typedef struct kind {
    const char *name;
    void (*start)(const medley *m, call *c, MPI_Request *r);
    void (*check)(const medley *m, const call *c);
} kind;

#define KIND(name, arguments, right)                                                               \
    static void start_##name(const medley *m, call *c, MPI_Request *r)                             \
    {                                                                                              \
        (void)c;                                                                                   \
        CHECK(MPI_I##name arguments == MPI_SUCCESS);                                               \
    }                                                                                              \
    static void check_##name(const medley *m, const call *c)                                       \
    {                                                                                              \
        (void)m;                                                                                   \
        right;                                                                                     \
    }
#define SUM(name, arguments, right)                                                                \
    static void start_##name(const medley *m, call *c, MPI_Request *r)                             \
    {                                                                                              \
        make();                                                                                    \
        set_digits(m, c);                                                                          \
        CHECK(MPI_I##name arguments == MPI_SUCCESS);                                               \
        forget();                                                                                  \
    }                                                                                              \
    static void check_##name(const medley *m, const call *c)                                       \
    {                                                                                              \
        right;                                                                                     \
    }
#define AT_ROOT (world_rank == m->root)
#define INTS    MPI_INT

/* clang-format off */
KIND(barrier, (m->comm, r), check_one(c, -1))
KIND(bcast, (AT_ROOT ? c->from : c->to, 1, INTS, m->root, m->comm, r),
     check_one(c, AT_ROOT ? -1 : m->salt + 100 * m->root))
KIND(gather, (c->from, 1, INTS, c->to, 1, INTS, m->root, m->comm, r),
     check_blocks(m, c, AT_ROOT, 0))
KIND(gatherv, (c->from, 1, INTS, c->to, c->ones, c->displs, INTS, m->root, m->comm, r),
     check_blocks(m, c, AT_ROOT, 0))
KIND(scatter, (c->from, 1, INTS, c->to, 1, INTS, m->root, m->comm, r),
     check_one(c, m->salt + 100 * m->root + world_rank))
KIND(scatterv, (c->from, c->ones, c->displs, INTS, c->to, 1, INTS, m->root, m->comm, r),
     check_one(c, m->salt + 100 * m->root + world_rank))
KIND(allgather, (c->from, 1, INTS, c->to, 1, INTS, m->comm, r), check_blocks(m, c, true, 0))
KIND(allgatherv, (c->from, 1, INTS, c->to, c->ones, c->displs, INTS, m->comm, r),
     check_blocks(m, c, true, 0))
KIND(alltoall, (c->from, 1, INTS, c->to, 1, INTS, m->comm, r),
     check_blocks(m, c, true, world_rank))
KIND(alltoallv,
     (c->from, c->ones, c->displs, INTS, c->to, c->ones, c->displs, INTS, m->comm, r),
     check_blocks(m, c, true, world_rank))
KIND(alltoallw,
     (c->from, c->ones, c->bytes, c->types, c->to, c->ones, c->bytes, c->types, m->comm, r),
     check_blocks(m, c, true, world_rank))
SUM(reduce, (c->from, c->to, 1, pair, op, m->root, m->comm, r),
    check_digits(m, c, 0, AT_ROOT ? world_size : 0))
SUM(allreduce, (c->from, c->to, 1, pair, op, m->comm, r), check_digits(m, c, 0, world_size))
SUM(reduce_scatter, (c->from, c->to, c->ones, pair, op, m->comm, r),
    check_digits(m, c, world_rank, world_size))
SUM(reduce_scatter_block, (c->from, c->to, 1, pair, op, m->comm, r),
    check_digits(m, c, world_rank, world_size))
SUM(scan, (c->from, c->to, 1, pair, op, m->comm, r), check_digits(m, c, 0, world_rank + 1))
SUM(exscan, (c->from, c->to, 1, pair, op, m->comm, r), check_digits(m, c, 0, world_rank))
KIND(neighbor_allgather, (c->from, 1, INTS, c->to, 1, INTS, m->ring, r),
     check_one(c, m->salt + 100 * m->left))
KIND(neighbor_allgatherv,
     (c->from, 1, INTS, c->to, c->ones, c->displs, INTS, m->ring, r),
     check_one(c, m->salt + 100 * m->left))
KIND(neighbor_alltoall, (c->from, 1, INTS, c->to, 1, INTS, m->ring, r),
     check_one(c, m->salt + 100 * m->left))
KIND(neighbor_alltoallv,
     (c->from, c->ones, c->displs, INTS, c->to, c->ones, c->displs, INTS, m->ring, r),
     check_one(c, m->salt + 100 * m->left))
static const MPI_Aint nowhere[1];
KIND(neighbor_alltoallw,
     (c->from, c->ones, nowhere, c->types, c->to, c->ones, nowhere, c->types, m->ring, r),
     check_one(c, m->salt + 100 * m->left))

#define ROW(name) {#name, start_##name, check_##name}
static const kind kinds[] = {
    ROW(barrier), ROW(bcast), ROW(gather), ROW(reduce), ROW(scatter), ROW(allgather), ROW(scan),
    ROW(alltoallv), ROW(reduce_scatter), ROW(gatherv), ROW(exscan), ROW(alltoallw),
    ROW(neighbor_alltoall), ROW(allreduce), ROW(neighbor_allgather), ROW(scatterv), ROW(alltoall),
    ROW(neighbor_alltoallw), ROW(reduce_scatter_block), ROW(neighbor_allgatherv), ROW(allgatherv),
    ROW(neighbor_alltoallv),
};
/* clang-format on */

enum { KINDS = sizeof kinds / sizeof *kinds, RING_AT = 5, SPLIT_AT = 9, DUP_AT = 16 };
enum { LETTERS = KINDS, ALL = KINDS + 2 };

/* ---- communicators made between ---- */

static void make_between(medley *m, int at)
{
    MPI_Comm made;
    int one = 1, sum = 0;

    if (at == RING_AT)
        MPI_Dist_graph_create_adjacent(m->comm, 1, &m->left, &one, 1, &m->right, &one,
                                       MPI_INFO_NULL, 0, &m->ring);
    if (at != SPLIT_AT && at != DUP_AT)
        return;
    if (at == SPLIT_AT)
        MPI_Comm_split(m->comm, world_rank % 2, -world_rank, &made);
    else
        MPI_Comm_dup(m->comm, &made);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
    CHECK(sum == (at == DUP_AT ? world_size : (world_size + 1 - world_rank % 2) / 2));
    MPI_Comm_free(&made);
}

/* ---- ways to complete ---- */

static void complete(MPI_Request r[], int way)
{
    int index = 0, n = 0, flag = 0, indices[ALL];

    switch (way % 5) {
    case 0:
        CHECK(MPI_Waitall(ALL, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        break;
    case 1:
        while (index != MPI_UNDEFINED)
            CHECK(MPI_Waitany(ALL, r, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        break;
    case 2:
        while (n != MPI_UNDEFINED)
            CHECK(MPI_Testsome(ALL, r, &n, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        break;
    case 3:
        while (n != MPI_UNDEFINED)
            CHECK(MPI_Waitsome(ALL, r, &n, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        break;
    default:
        while (!flag || index != MPI_UNDEFINED)
            CHECK(MPI_Testany(ALL, r, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
}

/* ---- a round ---- */

static void prepare(const medley *m, call *c)
{
    memset(c->to, -1, sizeof c->to);
    for (int i = 0; i < MOST; i++) {
        c->from[i] = m->salt + 100 * world_rank + i;
        c->ones[i] = 1;
        c->displs[i] = i;
        c->bytes[i] = i * (int)sizeof(int);
        c->types[i] = MPI_INT;
    }
}

static void run_round(int round, call calls[])
{
    medley m = {.salt = 1000 * round,
                .root = round % world_size,
                .left = (world_rank + world_size - 1) % world_size,
                .right = (world_rank + 1) % world_size};
    MPI_Request r[ALL];
    int letter = -1;

    MPI_Comm_dup(MPI_COMM_WORLD, &m.comm);
    MPI_Irecv(&letter, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, m.comm, &r[LETTERS]);
    for (int i = 0; i < KINDS; i++) {
        mpi_test_context("round %d, %s", round, kinds[i].name);
        make_between(&m, i);
        prepare(&m, &calls[i]);
        kinds[i].start(&m, &calls[i], &r[i]);
    }
    MPI_Isend(&world_rank, 1, MPI_INT, m.right, 5, m.comm, &r[LETTERS + 1]);
    if (round % 2) {
        MPI_Comm_free(&m.ring);
        MPI_Comm_free(&m.comm);
    }
    mpi_test_context("round %d, way %d", round, (round + world_rank) % 5);
    complete(r, round + world_rank);
    CHECK(letter == m.left);
    for (int i = 0; i < KINDS; i++) {
        mpi_test_context("round %d, %s", round, kinds[i].name);
        kinds[i].check(&m, &calls[i]);
    }
    if (round % 2 == 0) {
        MPI_Comm_free(&m.ring);
        MPI_Comm_free(&m.comm);
    }
}

static void all_collectives_are_in_flight_at_once(void)
{
    call *calls = malloc(KINDS * sizeof *calls);

    for (int round = 0; round < ROUNDS; round++)
        run_round(round, calls);
    free(calls);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(all_collectives_are_in_flight_at_once),
    };

    return mpi_test_main(argc, argv, "plain_medley", tests, sizeof tests / sizeof *tests);
}
