/* SPDX-License-Identifier: BSD-3-Clause */
/* test_node.c - shared memory under stress: persistent requests of lengths around each limit, from
 * and to buffers of both kinds, started and waited for in another order on every rank, between
 * non-blocking operations, while a rank is stopped now and then; positions wrap on the way.
 *
 * 100,000 operations; a tenth of them with TEST_CASES=few. Looks inside the library, for
 * ring_test_begin, and for reads.h.
 */
#include "mpi/mpi_test.h"
#include "mpi/reads.h"
#include "nbc/node/ring.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

enum { REQUESTS = 24, MEANWHILE = 8, OPERATIONS = 100000, KINDS = 4 };

/* Ints: of a line and one more, the last small message, a block, what streams, what is too long for
 * both ways. Long ones are few. */
static const int lengths[REQUESTS] = {1,   2,   13,   14,   15,   28,   100,   111,
                                      112, 113, 300,  600,  700,  750,  1,     3,
                                      14,  30,  1023, 1024, 1025, 8200, 17000, 70000};

static uint64_t own; /* of this rank's choices */

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

typedef enum kind { ALLGATHER, ALLTOALL, BCAST, ALLREDUCE } kind;

typedef struct operation {
    kind kind;
    int n, root, turn;
    int *send, *recv;
    bool shared;
    MPIX_Request request;
    MPI_Request native;
} operation;

static int blocks_sent(const operation *o)
{
    return o->kind == ALLTOALL ? world_size : 1;
}

static int blocks_received(const operation *o)
{
    return o->kind == ALLGATHER || o->kind == ALLTOALL ? world_size : 1;
}

static void *get(size_t ints, bool shared)
{
    void *memory = NULL;

    if (!shared)
        return calloc(ints, sizeof(int));
    CHECK(tutti_alloc((MPI_Aint)(ints * sizeof(int)), &memory) == MPI_SUCCESS);
    return memory;
}

static void make(operation *o, kind kind, int n, int root, bool shared)
{
    *o = (operation){.kind = kind, .n = n, .root = root, .shared = shared};
    o->send = get((size_t)blocks_sent(o) * (size_t)n, shared);
    o->recv = get((size_t)blocks_received(o) * (size_t)n, shared);
}

static void drop(operation *o)
{
    if (o->shared) {
        CHECK(tutti_free(o->send) == MPI_SUCCESS);
        CHECK(tutti_free(o->recv) == MPI_SUCCESS);
        return;
    }
    free(o->send);
    free(o->recv);
}

/* Element i of what `from` sends to `to`. */
static int value(const operation *o, int from, int to, int i)
{
    if (o->kind == ALLREDUCE)
        return (o->turn + from + i) % 1000;
    return o->turn * 7 + from * 1000003 + (o->kind == ALLTOALL ? to * 101 : 0) + i;
}

static void fill(operation *o, int turn)
{
    o->turn = turn;
    for (int to = 0; to < blocks_sent(o); to++)
        for (int i = 0; i < o->n; i++)
            o->send[to * o->n + i] = value(o, world_rank, to, i);
    memset(o->recv, 0x77, (size_t)blocks_received(o) * (size_t)o->n * sizeof(int));
    if (o->kind == BCAST && world_rank == o->root)
        memcpy(o->recv, o->send, (size_t)o->n * sizeof(int));
}

static int expected(const operation *o, int block, int i)
{
    int sum = 0;

    switch (o->kind) {
    case BCAST:
        return value(o, o->root, 0, i);
    case ALLREDUCE:
        for (int from = 0; from < world_size; from++)
            sum += value(o, from, 0, i);
        return sum;
    default:
        return value(o, block, world_rank, i);
    }
}

static void check(const operation *o)
{
    int wrong = 0;

    for (int block = 0; block < blocks_received(o); block++)
        for (int i = 0; i < o->n; i++)
            wrong += o->recv[block * o->n + i] != expected(o, block, i);
    mpi_test_context("kind %d, %d ints, turn %d: %d are wrong", o->kind, o->n, o->turn, wrong);
    CHECK(wrong == 0);
}

static void init(operation *o)
{
    MPI_Comm c = MPI_COMM_WORLD;
    MPI_Info none = MPI_INFO_NULL;
    int n = o->n;

    switch (o->kind) {
    case ALLGATHER:
        MPIX_Allgather_auto_init(o->send, n, MPI_INT, o->recv, n, MPI_INT, c, none, &o->request);
        break;
    case ALLTOALL:
        MPIX_Alltoall_auto_init(o->send, n, MPI_INT, o->recv, n, MPI_INT, c, none, &o->request);
        break;
    case BCAST:
        MPIX_Bcast_auto_init(o->recv, n, MPI_INT, o->root, c, none, &o->request);
        break;
    case ALLREDUCE:
        MPIX_Allreduce_auto_init(o->send, o->recv, n, MPI_INT, MPI_SUM, c, none, &o->request);
    }
}

static void begin(operation *o)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int n = o->n;

    switch (o->kind) {
    case ALLGATHER:
        MPIX_Iallgather_auto(o->send, n, MPI_INT, o->recv, n, MPI_INT, c, &o->native);
        break;
    case ALLTOALL:
        MPIX_Ialltoall_auto(o->send, n, MPI_INT, o->recv, n, MPI_INT, c, &o->native);
        break;
    case BCAST:
        MPIX_Ibcast_auto(o->recv, n, MPI_INT, o->root, c, &o->native);
        break;
    case ALLREDUCE:
        MPIX_Iallreduce_auto(o->send, o->recv, n, MPI_INT, MPI_SUM, c, &o->native);
    }
}

/* Another order on every rank, another one each time. */
static void shuffle(int *order, int n)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int)(draw(&own) % (uint64_t)(i + 1)), other = order[i];
        order[i] = order[k];
        order[k] = other;
    }
}

static void one_turn(operation *kept, int turn, uint64_t *common)
{
    operation meanwhile[MEANWHILE];
    int order[REQUESTS + MEANWHILE];

    shuffle(order, REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
        fill(&kept[order[i]], turn);
        CHECK(MPIX_Start(&kept[order[i]].request) == MPI_SUCCESS);
    }
    for (int i = 0; i < MEANWHILE; i++) {
        uint64_t x = draw(common);
        make(&meanwhile[i], (kind)(x % KINDS), lengths[x / 8 % (REQUESTS - 2)],
             (int)(x / 1024 % (uint64_t)world_size), x / 65536 % 8 == 0);
        fill(&meanwhile[i], turn);
        begin(&meanwhile[i]);
    }
    shuffle(order, REQUESTS + MEANWHILE);
    for (int i = 0; i < REQUESTS + MEANWHILE; i++) {
        bool new = order[i] >= REQUESTS;
        operation *o = new ? &meanwhile[order[i] - REQUESTS] : &kept[order[i]];
        if (new)
            CHECK(MPI_Wait(&o->native, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        else
            CHECK(MPIX_Wait(&o->request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        check(o);
        if (new)
            drop(o);
    }
}

static void pause_for(long milliseconds)
{
    nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
}

/* A child stops its parent now and then. */
static pid_t begin_stopping(void)
{
    pid_t parent = getpid(), child = fork();

    if (child != 0)
        return child;
    for (int i = 0; i < 5; i++) {
        pause_for(50);
        kill(parent, SIGSTOP);
        pause_for(20);
        kill(parent, SIGCONT);
    }
    _exit(0);
}

static void hundred_thousand_operations(void)
{
    const char *cases = getenv("TEST_CASES");
    int few = cases && strcmp(cases, "few") == 0 ? 10 : 1;
    int turns = OPERATIONS / few / (REQUESTS + MEANWHILE);
    operation kept[REQUESTS];
    uint64_t common = 1;
    pid_t child = -1;

    own = (uint64_t)world_rank + 100;
    reads_begin();
    for (int k = 0; k < REQUESTS; k++) {
        make(&kept[k], (kind)(k % KINDS), lengths[k], k % world_size, k % 3 == 0);
        init(&kept[k]);
    }
    if (world_rank == world_size - 1)
        child = begin_stopping();
    for (int turn = 1; turn <= turns; turn++)
        one_turn(kept, turn, &common);
    for (int k = 0; k < REQUESTS; k++) {
        CHECK(MPIX_Request_free(&kept[k].request) == MPI_SUCCESS);
        drop(&kept[k]);
    }
    if (child > 0)
        CHECK(waitpid(child, NULL, 0) == child);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(hundred_thousand_operations),
    };

    ring_test_begin = (1ull << 48) - 8000;
    return mpi_test_main(argc, argv, "node", tests, sizeof tests / sizeof *tests);
}
