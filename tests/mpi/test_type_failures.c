/* SPDX-License-Identifier: BSD-3-Clause */
/* test_type_failures.c - the MPI cannot make a datatype: whichever call fails, the operation
 * returns its error through the communicator's handler, no type is left over or freed that is none,
 * and the next operation works.
 *
 * The library calls PMPI_Type_*, so those are defined here, before the MPI's own. Looks inside the
 * library, for the largest count of one message.
 */
#define _GNU_SOURCE
#include "mpi/calls.h"
#include "nbc/process/test_knobs.h"
#include "nbc/run/datatype.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- types that fail ---- */

enum { MOST_ALIVE = 4096 };

static int fail_at, calls; /* the call that fails, from 1; 0: none */
static MPI_Datatype alive[MOST_ALIVE];
static int nalive;
static bool freeing; /* the program frees a type of its own: MPI_Type_free is the library's too */

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        abort();
    return found;
}

/* What a failed call leaves behind is no handle. */
static bool fails(MPI_Datatype *result)
{
    if (++calls != fail_at)
        return false;
    if (result)
        memset(result, 0x5a, sizeof *result);
    return true;
}

static int born(int error, const MPI_Datatype *type)
{
    if (!error && nalive < MOST_ALIVE)
        alive[nalive++] = *type;
    return error;
}

int PMPI_Type_create_hindexed(int n, const int lengths[], const MPI_Aint at[], MPI_Datatype old,
                              MPI_Datatype *type)
{
    int (*real)(int, const int[], const MPI_Aint[], MPI_Datatype, MPI_Datatype *) = next(__func__);

    return fails(type) ? MPI_ERR_INTERN : born(real(n, lengths, at, old, type), type);
}

int PMPI_Type_create_struct(int n, const int lengths[], const MPI_Aint at[],
                            const MPI_Datatype types[], MPI_Datatype *type)
{
    int (*real)(int, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Datatype *) =
        next(__func__);

    return fails(type) ? MPI_ERR_INTERN : born(real(n, lengths, at, types, type), type);
}

int PMPI_Type_contiguous(int n, MPI_Datatype old, MPI_Datatype *type)
{
    int (*real)(int, MPI_Datatype, MPI_Datatype *) = next(__func__);

    return fails(type) ? MPI_ERR_INTERN : born(real(n, old, type), type);
}

int PMPI_Type_dup(MPI_Datatype old, MPI_Datatype *type)
{
    int (*real)(MPI_Datatype, MPI_Datatype *) = next(__func__);

    return fails(type) ? MPI_ERR_INTERN : born(real(old, type), type);
}

int PMPI_Type_set_attr(MPI_Datatype type, int key, void *value)
{
    int (*real)(MPI_Datatype, int, void *) = next(__func__);

    return fails(NULL) ? MPI_ERR_INTERN : real(type, key, value);
}

int PMPI_Type_commit(MPI_Datatype *type)
{
    int (*real)(MPI_Datatype *) = next(__func__);

    return fails(NULL) ? MPI_ERR_INTERN : real(type);
}

int PMPI_Type_free(MPI_Datatype *type)
{
    int (*real)(MPI_Datatype *) = next(__func__), i = 0;

    while (i < nalive && alive[i] != *type)
        i++;
    if (i == nalive && freeing)
        return real(type);
    CHECK(i < nalive); /* a type that was never made */
    if (i == nalive)
        return MPI_SUCCESS;
    alive[i] = alive[--nalive];
    return real(type);
}

/* Packing a message fails on this rank; blocks to oneself are copied in smaller parts. */
static bool pack_fails;

int PMPI_Pack(const void *from, int n, MPI_Datatype type, void *to, int size, int *at, MPI_Comm c)
{
    int (*real)(const void *, int, MPI_Datatype, void *, int, int *, MPI_Comm) = next(__func__);

    return pack_fails && size > 4096 ? MPI_ERR_INTERN : real(from, n, type, to, size, at, c);
}

static void free_own(MPI_Datatype *type)
{
    freeing = true;
    MPI_Type_free(type);
    freeing = false;
}

/* ---- operations ---- */

typedef struct operation {
    int (*run)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*start)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                 MPI_Request *);
    int (*init)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Info,
                MPIX_Request *);
    bool alltoall;
} operation;

typedef enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS } form;

/* Two numbers and two holes. */
enum { HOLES = 4 };

typedef struct buffers {
    int count, *send, *recv; /* count: of the type in a block */
    MPI_Datatype type;
} buffers;

static void type_make(buffers *b)
{
    MPI_Datatype pair;

    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, HOLES * (MPI_Aint)sizeof(int), &b->type);
    MPI_Type_commit(&b->type);
    free_own(&pair);
}

static MPI_Comm comm; /* with a handler that counts */
static int handled;

static void count_error(MPI_Comm *of, int *code, ...)
{
    (void)of;
    (void)code;
    handled++;
}

static int try_persistent(const operation *o, const buffers *b)
{
    MPIX_Request r;
    int error =
        o->init(b->send, b->count, b->type, b->recv, b->count, b->type, comm, MPI_INFO_NULL, &r);

    if (error)
        return error;
    error = MPIX_Start(&r);
    if (!error)
        error = MPIX_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
    return error;
}

static int try_form(const operation *o, form f, const buffers *b)
{
    MPI_Request r;
    int error;

    if (f == BLOCKING)
        return o->run(b->send, b->count, b->type, b->recv, b->count, b->type, comm);
    if (f == PERSISTENT)
        return try_persistent(o, b);
    error = o->start(b->send, b->count, b->type, b->recv, b->count, b->type, comm, &r);
    return error ? error : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* With a type of its own: what is made for the first call is kept for the next ones with the same
 * type, but not longer. The n-th call of the library's fails; 0: none. */
static int try_once(const operation *o, form f, buffers *b, int n)
{
    int error;

    type_make(b);
    calls = 0;
    fail_at = n;
    error = try_form(o, f, b);
    fail_at = 0;
    free_own(&b->type);
    return error;
}

static int value_of(int from, int to, int i)
{
    return from * 1000003 + to * 1009 + i;
}

static void fill(const operation *o, const buffers *b)
{
    int n = b->count * HOLES;

    for (int r = 0; r < (o->alltoall ? world_size : 1); r++)
        for (int i = 0; i < n; i++)
            b->send[r * n + i] = value_of(world_rank, o->alltoall ? r : 0, i);
    memset(b->recv, -1, (size_t)world_size * (size_t)n * sizeof *b->recv);
}

static bool is_right(const operation *o, const buffers *b)
{
    int n = b->count * HOLES;

    for (int r = 0; r < world_size; r++)
        for (int i = 0; i < n; i++)
            if (b->recv[r * n + i] != (i % 2 ? -1 : value_of(r, o->alltoall ? world_rank : 0, i)))
                return false;
    return true;
}

/* An ordinary operation works, and buries what a callback of MPI could not free. */
static void still_works(void)
{
    int mine = world_rank, all[64];

    CHECK(MPIX_Allgather_ring(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
}

/* Every rank lets each of its calls fail in turn, and its last one while others have more: so all
 * fail together and none waits for another. */
static void each_failure_is_returned(const char *name, const operation *o, form f, buffers *b)
{
    int mine, most, before = nalive;

    mpi_test_context("%s, form %d", name, f);
    fill(o, b);
    CHECK(try_once(o, f, b, 0) == MPI_SUCCESS && is_right(o, b));
    mine = calls;
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(mine >= 2); /* the type itself is held, too */
    for (int n = 1; n <= most; n++) {
        mpi_test_context("%s, form %d, call %d of %d", name, f, n < mine ? n : mine, mine);
        handled = 0;
        CHECK_CLASS(try_once(o, f, b, n < mine ? n : mine), MPI_ERR_INTERN);
        CHECK(f == NONBLOCKING || handled == 1); /* MPI_Wait's handler is the MPI's business */
        still_works();
        CHECK(nalive == before);
    }
    fill(o, b);
    CHECK(try_once(o, f, b, 0) == MPI_SUCCESS && is_right(o, b));
    still_works();
    CHECK(nalive == before);
}

static void all_forms(const char *name, const operation *o, int count)
{
    size_t bytes = (size_t)world_size * (size_t)count * HOLES * sizeof(int);
    buffers b = {.count = count, .send = malloc(bytes), .recv = malloc(bytes)};

    for (int f = 0; f < FORMS; f++)
        each_failure_is_returned(name, o, (form)f, &b);
    free(b.send);
    free(b.recv);
}

static const operation ring = {MPIX_Allgather_ring, MPIX_Iallgather_ring, MPIX_Allgather_ring_init,
                               false};
static const operation linear = {MPIX_Allgather_linear, MPIX_Iallgather_linear,
                                 MPIX_Allgather_linear_init, false};
static const operation bruck = {MPIX_Allgather_bruck, MPIX_Iallgather_bruck,
                                MPIX_Allgather_bruck_init, false};
static const operation zerocopy = {MPIX_Alltoall_bruck_zerocopy, MPIX_Ialltoall_bruck_zerocopy,
                                   MPIX_Alltoall_bruck_zerocopy_init, true};

/* Blocks too large to be packed: messages of several are described by a type. */
enum { LARGE = 2000 };

static void types_of_scattered_blocks(void)
{
    all_forms("bruck", &bruck, LARGE);
}

static void types_of_several_spaces(void)
{
    all_forms("bruck_zerocopy", &zerocopy, LARGE);
}

static void types_of_large_counts(void)
{
    datatype_max_count = 3;
    all_forms("ring", &ring, 7);
    datatype_max_count = 0x7fffffff;
}

/* One block is not large, so that all types are made before anything is sent: the ranks make
 * unequal numbers of them. */
static void types_of_scattered_blocks_of_large_counts(void)
{
    datatype_max_count = LARGE + LARGE / 4;
    all_forms("bruck", &bruck, LARGE);
    datatype_max_count = 0x7fffffff;
}

/* Also of a message that is read where it lies, long after it was packed: it arrives, and whoever
 * could not pack it gets the error. */
static void packing_fails_on_one_rank(void)
{
    for (int count = 3000; count <= 500000; count += 497000) {
        size_t n = (size_t)world_size * (size_t)count * HOLES;
        buffers b = {.count = count, .send = malloc(n * 4), .recv = malloc(n * 4)};
        for (int f = 0; f < FORMS; f++) {
            mpi_test_context("%d items, form %d", count, f);
            fill(&linear, &b);
            pack_fails = world_rank == 1;
            CHECK_CLASS(try_once(&linear, (form)f, &b, 0),
                        pack_fails ? MPI_ERR_INTERN : MPI_SUCCESS);
            pack_fails = false;
            fill(&linear, &b);
            CHECK(try_once(&linear, (form)f, &b, 0) == MPI_SUCCESS && is_right(&linear, &b));
        }
        free(b.send);
        free(b.recv);
    }
}

/* As if an int counted few bytes only. */
static void packing_takes_several_calls(void)
{
    buffers b = {.count = 3000};
    size_t n = (size_t)world_size * 3000 * HOLES;

    b.send = malloc(n * 4);
    b.recv = malloc(n * 4);
    for (pack_most = 3; pack_most < 12000; pack_most = pack_most * 17 + 2)
        for (int f = 0; f < FORMS; f++) {
            mpi_test_context("%d bytes in a call, form %d", (int)pack_most, f);
            fill(&linear, &b);
            CHECK(try_once(&linear, (form)f, &b, 0) == MPI_SUCCESS && is_right(&linear, &b));
        }
    pack_most = 0x7fffffff;
    free(b.send);
    free(b.recv);
}

static void open_comm(void)
{
    MPI_Errhandler handler;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    still_works();
}

static void close_comm(void)
{
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(open_comm),
        MPI_TEST(types_of_scattered_blocks),
        MPI_TEST(types_of_several_spaces),
        MPI_TEST(types_of_large_counts),
        MPI_TEST(types_of_scattered_blocks_of_large_counts),
        MPI_TEST(packing_fails_on_one_rank),
        MPI_TEST(packing_takes_several_calls),
        MPI_TEST(close_comm),
    };

    return mpi_test_main(argc, argv, "type_failures", tests, sizeof tests / sizeof *tests);
}
