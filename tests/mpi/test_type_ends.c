/* SPDX-License-Identifier: BSD-3-Clause */
/* test_type_ends.c - the program creates and frees derived types and operations between calls and
 * during them. An MPI reuses the handle of a freed type for the next one: a call with another type
 * then looks the same. */
#include "mpi/mpi_test.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { INTS = 8, MOST = 64, UNTOUCHED = -1 };

/* The same on all ranks. */
typedef struct chance {
    uint32_t state;
} chance;

static int pick(chance *c, int n)
{
    c->state = c->state * 1664525u + 1013904223u;
    return (int)(c->state >> 8) % n;
}

/* Of INTS numbers those whose bit is set. */
typedef struct shape {
    MPI_Datatype type;
    unsigned bits;
} shape;

static MPI_Datatype type_of(unsigned bits)
{
    MPI_Datatype some, type;
    int at[INTS], n = 0;

    for (int i = 0; i < INTS; i++)
        if (bits >> i & 1)
            at[n++] = i;
    MPI_Type_create_indexed_block(n, 1, at, MPI_INT, &some);
    MPI_Type_create_resized(some, 0, INTS * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&some);
    return type;
}

static shape shape_make(chance *c)
{
    unsigned bits = 1u << pick(c, INTS) | (unsigned)pick(c, 1 << INTS);

    return (shape){type_of(bits), bits};
}

/* The library sees every second one only by its attribute, as if another language freed it. */
static void shape_free(shape *s, chance *c)
{
    if (pick(c, 2))
        MPI_Type_free(&s->type);
    else
        PMPI_Type_free(&s->type);
}

/* ---- one call with a type ---- */

typedef enum kind { BCAST, ALLGATHER, ALLTOALL, GATHER, ALLTOALLW, KINDS } kind;

typedef struct call {
    kind kind;
    shape shape;
    MPI_Comm comm;
    int turn, root;
    int send[MOST * INTS], recv[MOST * INTS];
    int counts[MOST], at[MOST];
    MPI_Datatype types[MOST];
    MPI_Request request;
} call;

static int given(const call *c, int from, int to, int i)
{
    return c->turn * 1000 + from * 100 +
           (c->kind == ALLTOALL || c->kind == ALLTOALLW ? to : 0) * 10 + i;
}

static void fill(call *c)
{
    for (int to = 0; to < world_size; to++)
        for (int i = 0; i < INTS; i++) {
            c->send[to * INTS + i] = given(c, world_rank, to, i);
            c->recv[to * INTS + i] = UNTOUCHED;
        }
    if (c->kind == BCAST && world_rank == c->root)
        memcpy(c->recv, c->send, INTS * sizeof(int));
    for (int to = 0; to < world_size; to++) {
        c->counts[to] = 1;
        c->at[to] = to * INTS * (int)sizeof(int);
        c->types[to] = c->shape.type;
    }
}

static int run(call *c)
{
    MPI_Datatype t = c->shape.type;

    switch (c->kind) {
    case BCAST:
        return MPIX_Bcast_auto(c->recv, 1, t, c->root, c->comm);
    case ALLGATHER:
        return MPIX_Allgather_auto(c->send, 1, t, c->recv, 1, t, c->comm);
    case ALLTOALL:
        return MPIX_Alltoall_auto(c->send, 1, t, c->recv, 1, t, c->comm);
    case GATHER:
        return MPIX_Gather_auto(c->send, 1, t, c->recv, 1, t, c->root, c->comm);
    default:
        return MPIX_Alltoallw_auto(c->send, c->counts, c->at, c->types, c->recv, c->counts, c->at,
                                   c->types, c->comm);
    }
}

static int start(call *c)
{
    MPI_Datatype t = c->shape.type;

    switch (c->kind) {
    case BCAST:
        return MPIX_Ibcast_auto(c->recv, 1, t, c->root, c->comm, &c->request);
    case ALLGATHER:
        return MPIX_Iallgather_auto(c->send, 1, t, c->recv, 1, t, c->comm, &c->request);
    case ALLTOALL:
        return MPIX_Ialltoall_auto(c->send, 1, t, c->recv, 1, t, c->comm, &c->request);
    case GATHER:
        return MPIX_Igather_auto(c->send, 1, t, c->recv, 1, t, c->root, c->comm, &c->request);
    default:
        return MPIX_Ialltoallw_auto(c->send, c->counts, c->at, c->types, c->recv, c->counts, c->at,
                                    c->types, c->comm, &c->request);
    }
}

static bool is_right(const call *c)
{
    int n = c->kind == BCAST ? 1 : c->kind == GATHER && world_rank != c->root ? 0 : world_size;
    bool right = true;

    for (int from = 0; from < n; from++)
        for (int i = 0; i < INTS; i++) {
            int sender = c->kind == BCAST ? c->root : from;
            bool all = c->kind == BCAST && world_rank == c->root;
            int expected =
                c->shape.bits >> i & 1 || all ? given(c, sender, world_rank, i) : UNTOUCHED;
            right &= c->recv[from * INTS + i] == expected;
        }
    return right;
}

/* ---- types that come and go ---- */

enum { POOL = 4, TURNS = 1500 };

/* Returns how many calls were wrong. */
static int types_come_and_go(MPI_Comm comm, uint32_t seed, int turns)
{
    chance c = {seed};
    shape pool[POOL];
    call *k = calloc(1, sizeof *k);
    int wrong = 0;

    for (int i = 0; i < POOL; i++)
        pool[i] = shape_make(&c);
    for (int turn = 0; turn < turns; turn++) {
        int i = pick(&c, POOL);
        bool ends = pick(&c, 4) == 0;
        *k = (call){.kind = (kind)pick(&c, KINDS),
                    .shape = pool[i],
                    .comm = comm,
                    .turn = turn,
                    .root = pick(&c, world_size)};
        fill(k);
        if (pick(&c, 2)) {
            wrong += run(k) != MPI_SUCCESS;
        } else {
            wrong += start(k) != MPI_SUCCESS;
            if (ends)
                shape_free(&pool[i], &c);
            wrong += MPI_Wait(&k->request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
            if (ends)
                pool[i] = shape_make(&c);
            ends = false;
        }
        wrong += !is_right(k);
        if (ends) {
            shape_free(&pool[i], &c);
            pool[i] = shape_make(&c);
        }
    }
    for (int i = 0; i < POOL; i++)
        shape_free(&pool[i], &c);
    free(k);
    return wrong;
}

static void a_handle_may_come_again_with_another_type(void)
{
    MPI_Comm dup;

    CHECK(types_come_and_go(MPI_COMM_WORLD, 1, TURNS) == 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(types_come_and_go(dup, 2, TURNS) == 0);
    MPI_Comm_free(&dup);
    CHECK(types_come_and_go(MPI_COMM_WORLD, 3, TURNS) == 0);
}

typedef struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int number, wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;

    w->wrong = types_come_and_go(w->comm, 10u + (uint32_t)w->number, TURNS / 5);
    return NULL;
}

/* Each frees what the other one gets. */
static void two_threads_may_make_and_free_types(void)
{
    enum { THREADS = 2 };
    worker w[THREADS];
    int level;

    MPI_Query_thread(&level);
    for (int i = 0; i < THREADS && level == MPI_THREAD_MULTIPLE; i++) {
        w[i] = (worker){.number = i};
        MPI_Comm_dup(MPI_COMM_WORLD, &w[i].comm);
    }
    for (int i = 0; i < THREADS && level == MPI_THREAD_MULTIPLE; i++)
        CHECK(pthread_create(&w[i].thread, NULL, work, &w[i]) == 0);
    for (int i = 0; i < THREADS && level == MPI_THREAD_MULTIPLE; i++) {
        pthread_join(w[i].thread, NULL);
        MPI_Comm_free(&w[i].comm);
        CHECK(w[i].wrong == 0);
    }
}

static int deleted, copied;

static int count_copied(MPI_Datatype type, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)type, (void)key, (void)extra, (void)value, (void)copy;
    copied++;
    *flag = 0;
    return MPI_SUCCESS;
}

static int count_deleted(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

/* Nothing of ours keeps a type that the program has freed, or copies its attributes. */
static void attributes_of_the_program_end_with_the_type(void)
{
    static call k;
    int key;

    MPI_Type_create_keyval(count_copied, count_deleted, &key, NULL);
    for (int i = 0; i < 2 * KINDS; i++) {
        MPI_Datatype type = type_of(0x35);
        deleted = 0;
        MPI_Type_set_attr(type, key, NULL);
        for (int turn = 0; turn < 4; turn++) {
            k = (call){.kind = (kind)(i % KINDS),
                       .shape = {type, 0x35},
                       .comm = MPI_COMM_WORLD,
                       .turn = turn};
            fill(&k);
            CHECK(i < KINDS ? run(&k) == MPI_SUCCESS
                            : start(&k) == MPI_SUCCESS &&
                                  MPI_Wait(&k.request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            CHECK(is_right(&k));
        }
        CHECK(deleted == 0);
        MPI_Type_free(&type);
        CHECK(deleted == 1);
    }
    CHECK(copied == 0);
    MPI_Type_free_keyval(&key);
}

/* MPI_Type_get_contents gives one more reference to it, which is freed by itself. */
static void a_type_that_was_freed_once_of_twice_lives_on(void)
{
    MPI_Datatype inner = type_of(0x0f), outer, again;
    MPI_Aint none;
    static call k;
    int n;

    MPI_Type_contiguous(2, inner, &outer);
    for (int turn = 0; turn < 10; turn++) {
        k = (call){.kind = ALLGATHER, .shape = {inner, 0x0f}, .comm = MPI_COMM_WORLD, .turn = turn};
        fill(&k);
        CHECK(run(&k) == MPI_SUCCESS);
        CHECK(is_right(&k));
        MPI_Type_get_contents(outer, 1, 0, 1, &n, &none, &again);
        MPI_Type_free(&again);
    }
    MPI_Type_free(&outer);
    MPI_Type_free(&inner);
}

/* ---- operations ---- */

static MPI_Datatype expected_type;
static int other_types;

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    other_types += *type != expected_type;
    for (int i = 0; i < 2 * *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Does not commute: the operand of the lower ranks. */
static void left(void *in, void *inout, int *n, MPI_Datatype *type)
{
    other_types += *type != expected_type;
    memcpy(inout, in, (size_t)*n * 2 * sizeof(int));
}

static int reduced(bool commutes, int turn, int i)
{
    int sum = 0;

    for (int rank = 0; rank < world_size; rank++)
        sum += turn + rank * 10 + i;
    return commutes ? sum : turn + i;
}

/* One in two calls uses a pair, so that the function gets a derived type. */
static void a_handle_may_come_again_with_another_operation(void)
{
    chance c = {7};
    MPI_Datatype pair;
    MPI_Op op = MPI_OP_NULL;
    bool commutes = true;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int turn = 0; turn < TURNS; turn++) {
        int send[2] = {turn + world_rank * 10, turn + world_rank * 10 + 1}, recv[2] = {0};
        MPI_Request r;
        bool ends = pick(&c, 4) == 0;
        if (op == MPI_OP_NULL) {
            commutes = pick(&c, 2);
            MPI_Op_create(commutes ? add : left, commutes, &op);
        }
        expected_type = pick(&c, 2) ? pair : MPI_2INT;
        if (pick(&c, 2)) {
            CHECK(MPIX_Allreduce_auto(send, recv, 1, expected_type, op, MPI_COMM_WORLD) ==
                  MPI_SUCCESS);
            if (ends) /* by another language, every second time */
                pick(&c, 2) ? MPI_Op_free(&op) : PMPI_Op_free(&op);
        } else {
            CHECK(MPIX_Iallreduce_auto(send, recv, 1, expected_type, op, MPI_COMM_WORLD, &r) ==
                  MPI_SUCCESS);
            if (ends)
                MPI_Op_free(&op);
            CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        CHECK(recv[0] == reduced(commutes, turn, 0) && recv[1] == reduced(commutes, turn, 1));
    }
    if (op != MPI_OP_NULL)
        MPI_Op_free(&op);
    MPI_Type_free(&pair);
    CHECK(other_types == 0);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(a_handle_may_come_again_with_another_type),
        MPI_TEST(two_threads_may_make_and_free_types),
        MPI_TEST(attributes_of_the_program_end_with_the_type),
        MPI_TEST(a_type_that_was_freed_once_of_twice_lives_on),
        MPI_TEST(a_handle_may_come_again_with_another_operation),
    };

    return mpi_test_main(argc, argv, "type_ends", tests, sizeof tests / sizeof *tests);
}
