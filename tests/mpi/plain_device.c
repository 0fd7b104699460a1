/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_device.c - buffers in memory of a GPU (TEST_DEVICE names a library of stub_device.h), on
 * all ranks or one, of what is sent, received, or both; the library is opened after the first
 * collectives. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"
#include "mpi/stub_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 500, ITEMS = 20 * N, BYTES = ITEMS * (int)sizeof(int), GAP = -7, ROUNDS = 3 };
enum { SENDS = 1, RECVS = 2, SIDES = 4 };
enum { ALL, FIRST, LAST, WHOS };
enum { BLOCKING, NONBLOCKING, PERSISTENT_FORM, FORMS };

static const stub_device *device;
static MPI_Comm comm;
static int p, me, *mine, *result; /* as the program gives them */

/* ---- memory ---- */

static int *seen(int *buffer)
{
    return device ? (int *)(void *)device->view(buffer) : buffer;
}

static void written(int *buffer)
{
    if (device)
        device->written(buffer);
}

static int *take(bool on_device)
{
    int *b = on_device
                 ? device->alloc(BYTES, NULL)
                 : mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memset(seen(b), GAP, BYTES);
    written(b);
    return b;
}

static void give(int *b)
{
    if (device && (char *)seen(b) != (char *)b)
        device->free(b);
    else
        munmap(b, BYTES);
}

static bool on_device(int who)
{
    return device && (who == ALL || (who == FIRST ? me == 0 : me == p - 1));
}

/* ---- one collective, in its three forms ---- */

static int item(int rank, int k, int i)
{
    return 1000 * k + 37 * rank + i;
}

#define CALL(Name, iname, ...)                                                                     \
    (form == BLOCKING      ? MPI_##Name(__VA_ARGS__, comm)                                         \
     : form == NONBLOCKING ? MPI_I##iname(__VA_ARGS__, comm, r)                                    \
                           : PERSISTENT(Name)(__VA_ARGS__, comm, MPI_INFO_NULL, r))

enum { ALLREDUCE, IN_PLACE, ALLGATHER, ALLTOALL, BCAST, GATHERV, SCATTER, COLUMNS, REDUCE, KINDS };
static const char *const names[] = {"allreduce", "allreduce in place", "allgather", "alltoall",
                                    "bcast",     "gatherv with gaps",  "scatter",   "columns",
                                    "reduce"};

static int counts[64], displs[64], root;
static MPI_Datatype column;

static int call(int kind, int form, MPI_Request *r)
{
    switch (kind) {
    case ALLREDUCE:
        return CALL(Allreduce, allreduce, mine, result, N, MPI_INT, MPI_SUM);
    case IN_PLACE:
        return CALL(Allreduce, allreduce, MPI_IN_PLACE, result, N, MPI_INT, MPI_SUM);
    case ALLGATHER:
        return CALL(Allgather, allgather, mine, N, MPI_INT, result, N, MPI_INT);
    case ALLTOALL:
        return CALL(Alltoall, alltoall, mine, N, MPI_INT, result, N, MPI_INT);
    case BCAST:
        return CALL(Bcast, bcast, me == root ? mine : result, N, MPI_INT, root);
    case GATHERV:
        return CALL(Gatherv, gatherv, mine, N, MPI_INT, result, counts, displs, MPI_INT, root);
    case SCATTER:
        return CALL(Scatter, scatter, mine, N, MPI_INT, result, N, MPI_INT, root);
    case COLUMNS:
        return CALL(Allgather, allgather, mine, N, MPI_INT, result, 1, column);
    default:
        return CALL(Reduce, reduce, mine, result, N, MPI_INT, MPI_SUM, root);
    }
}

/* Is item i of the result right? */
static int expected(int kind, int k, int i)
{
    int block = i / N, at = i % N, sum = p * item(0, k, i) + 37 * (p * (p - 1) / 2);

    switch (kind) {
    case ALLREDUCE:
    case IN_PLACE:
        return i < N ? sum : GAP;
    case REDUCE:
        return i < N && me == root ? sum : GAP;
    case ALLGATHER:
        return block < p ? item(block, k, at) : GAP;
    case ALLTOALL:
        return block < p ? item(block, k, N * me + at) : GAP;
    case BCAST:
        return i < N && me != root ? item(root, k, i) : GAP;
    case GATHERV:
        return me == root && block % 2 == 0 && block / 2 < p ? item(block / 2, k, at) : GAP;
    case SCATTER:
        return i < N ? item(root, k, N * me + i) : GAP;
    default: /* COLUMNS: two items of each three */
        return i < p * N / 2 * 3 && i % 3 < 2
                   ? item(i / (N / 2 * 3), k, i % (N / 2 * 3) / 3 * 2 + i % 3)
                   : GAP;
    }
}

static void fill(int kind, int k)
{
    int *sent = seen(mine), *received = seen(result);

    for (int i = 0; i < p * N; i++)
        sent[i] = item(me, k, i);
    for (int i = 0; i < ITEMS; i++)
        received[i] = kind == IN_PLACE && i < N ? item(me, k, i) : GAP;
    written(mine);
    written(result);
}

static void check(int kind, int k)
{
    const int *received = seen(result);

    for (int i = 0; i < ITEMS; i++)
        CHECK(received[i] == expected(kind, k, i));
}

static void rounds(int kind, int form)
{
    MPI_Request r = MPI_REQUEST_NULL;

    if (form == PERSISTENT_FORM)
        CHECK(call(kind, form, &r) == MPI_SUCCESS);
    for (int k = 0; k < ROUNDS; k++) {
        int flag = 0;
        fill(kind, k);
        CHECK((form == PERSISTENT_FORM ? MPI_Start(&r) : call(kind, form, &r)) == MPI_SUCCESS);
        while (form != BLOCKING && k == 1 && !flag) /* complete before it is freed */
            MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
        if (flag)
            check(kind, k);
        if (form != BLOCKING)
            CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        check(kind, k);
    }
    if (form == PERSISTENT_FORM)
        MPI_Request_free(&r);
}

static void collective(int kind, int form, int who, int sides)
{
    mine = take(on_device(who) && (sides & SENDS));
    result = take(on_device(who) && (sides & RECVS));
    mpi_test_context("%s, form %d, device on %d, sides %d", names[kind], form, who, sides);
    rounds(kind, form);
    give(mine);
    give(result);
}

/* ---- the tests ---- */

static void prepare(void)
{
    comm = MPI_COMM_WORLD;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    root = p - 1;
    for (int i = 0; i < p; i++) {
        counts[i] = N;
        displs[i] = 2 * i * N;
    }
}

static void all_of(int first_form)
{
    MPI_Datatype v;

    MPI_Type_vector(N / 2, 2, 3, MPI_INT, &v);
    MPI_Type_create_resized(v, 0, N / 2 * 3 * (MPI_Aint)sizeof(int), &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&v);
    for (int kind = 0; kind < KINDS; kind++)
        for (int form = first_form; form < FORMS; form++)
            for (int who = 0; who < WHOS; who++)
                for (int sides = 1; sides < SIDES; sides++)
                    collective(kind, form, who, sides);
    MPI_Type_free(&column);
}

static void host_memory_before_a_library_is_loaded(void)
{
    prepare();
    collective(ALLREDUCE, BLOCKING, ALL, 0);
    collective(ALLREDUCE, NONBLOCKING, ALL, 0);
}

static void open_library(void)
{
    void *h = dlopen(getenv("TEST_DEVICE"), RTLD_NOW | RTLD_GLOBAL);
    union {
        void *object;
        stub_device_get *get;
    } table = {.object = h ? dlsym(h, "stub_device_table") : NULL};

    if (!table.object) {
        fprintf(stderr, "TEST_DEVICE: %s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    device = table.get();
}

static void a_buffer_on_one_rank_after_the_library_was_loaded_there(void)
{
    if (me == p - 1)
        open_library();
    collective(ALLREDUCE, BLOCKING, LAST, SENDS + RECVS);
    collective(ALLREDUCE, NONBLOCKING, LAST, SENDS + RECVS);
    if (!device)
        open_library();
}

static void every_form_side_and_rank(void)
{
    all_of(BLOCKING);
}

static void blocking_calls_on_a_new_communicator(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 20; i++)
        collective(i % KINDS == COLUMNS ? ALLTOALL : i % KINDS, BLOCKING, i % WHOS, 1 + i % 3);
    MPI_Comm_free(&comm);
    comm = MPI_COMM_WORLD;
}

static void a_communicator_of_one_rank(void)
{
    MPI_Comm world = comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    p = 1;
    me = root = 0;
    collective(ALLREDUCE, BLOCKING, ALL, SENDS + RECVS);
    collective(ALLGATHER, NONBLOCKING, ALL, RECVS);
    MPI_Comm_free(&comm);
    comm = world;
    prepare();
}

/* Memory of the host goes, and the device gets memory at its address; and the other way. */
static void an_address_that_changes_its_kind(void)
{
    for (int k = 0; k < 3; k++) {
        mine = take(false);
        result = take(false);
        rounds(ALLREDUCE, BLOCKING);
        munmap(result, BYTES);
        if (!device->alloc(BYTES, result))
            return; /* a real device takes its own addresses */
        rounds(ALLREDUCE, BLOCKING);
        device->free(result);
        CHECK(mmap(result, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                   -1, 0) == result);
        rounds(ALLREDUCE, BLOCKING);
        give(mine);
        give(result);
    }
}

static void managed_memory_is_not_copied(void)
{
    int *m = device->alloc_managed(BYTES), *r = device->alloc_managed(BYTES);
    long before = device->copied ? *device->copied : 0;

    mine = m;
    result = r;
    rounds(ALLREDUCE, BLOCKING);
    rounds(ALLREDUCE, NONBLOCKING);
    CHECK(!device->copied || *device->copied == before);
    device->free(m);
    device->free(r);
}

static void large_host_copies_are_kept_and_pinned(void)
{
    long pinned = 0;

    mine = take(true);
    result = take(true);
    for (int k = 0; k < 12; k++) {
        int *sent = seen(mine);
        for (int i = 0; i < ITEMS; i++)
            sent[i] = item(me, k, i);
        written(mine);
        MPI_Allreduce(mine, result, ITEMS, MPI_INT, MPI_SUM, comm);
        for (int i = 0, *sum = seen(result); i < ITEMS; i++)
            CHECK(sum[i] == p * item(0, k, i) + 37 * (p * (p - 1) / 2));
        if (k == 3 && device->pinned)
            pinned = *device->pinned;
    }
    if (device->pinned && !getenv("STUB_MPI")) /* else the MPI serves it */
        CHECK(pinned > 0 && *device->pinned == pinned);
    give(mine);
    give(result);
}

/* A small block may be one that a thread of the MPI took from its own heap and this thread freed;
 * a large one is of the main heap, which glibc puts elsewhere if there is no room. */
static void heap_stack_and_static_data_are_not_asked_about(void)
{
    static int in_data[2];
    int on_stack[2] = {1, 2}, *on_heap = malloc(4096);
    bool below_end = (char *)on_heap < (char *)sbrk(0);
    long before = device->asked ? *device->asked : 0;

    for (int i = 0; i < 100; i++) {
        MPI_Allreduce(on_stack, in_data, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(on_stack, below_end ? on_heap : in_data, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(in_data[0] == p && (!below_end || on_heap[1] == 2 * p));
    }
    CHECK(!device->asked || *device->asked == before);
    free(on_heap);
}

int main(int argc, char **argv)
{
    const mpi_test tests[] = {MPI_TEST(host_memory_before_a_library_is_loaded),
                              MPI_TEST(a_buffer_on_one_rank_after_the_library_was_loaded_there),
                              MPI_TEST(every_form_side_and_rank),
                              MPI_TEST(blocking_calls_on_a_new_communicator),
                              MPI_TEST(a_communicator_of_one_rank),
                              MPI_TEST(an_address_that_changes_its_kind),
                              MPI_TEST(managed_memory_is_not_copied),
                              MPI_TEST(large_host_copies_are_kept_and_pinned),
                              MPI_TEST(heap_stack_and_static_data_are_not_asked_about)};

    return mpi_test_main(argc, argv, "plain_device", tests, sizeof tests / sizeof *tests);
}
