/* SPDX-License-Identifier: BSD-3-Clause */
/* test_alloc.c - messages of lengths around every limit of shared memory (nbc/node), from and to
 * buffers of tutti_alloc, of malloc, and of both; and the rules of tutti_alloc itself.
 * Linked with the library's objects, for reads.h.
 */
#include "mpi/blocks.h"
#include "mpi/reads.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tutti.h>
#include <unistd.h>

static int turn;

/* ---- all collectives ---- */

/* Bytes about: a line, many lines, the last small message, the first one that is exposed, a block,
 * two and a bit, more than a ring, more than goes both ways. */
static const int lengths[] = {56, 448, 449, 600, 4096, 33000, 70000, 300000};
enum { LENGTHS = sizeof lengths / sizeof *lengths, WAYS = 3 };

typedef enum way { BLOCKING, NONBLOCKING, PERSISTENT } way;

static void run(const call_set *s, blocks *b, way how)
{
    MPI_Request r = MPI_REQUEST_NULL;
    persistent q = PERSISTENT_NULL;

    blocks_fill(b, turn++);
    switch (how) {
    case BLOCKING:
        CHECK(calls_run(s, false, &b->args) == MPI_SUCCESS);
        break;
    case NONBLOCKING:
        CHECK(calls_start(s, false, &b->args, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        break;
    case PERSISTENT:
        CHECK(calls_init(s, false, &b->args, MPI_INFO_NULL, &q) == MPI_SUCCESS);
        for (int i = 0; i < 3; i++) {
            CHECK(blocks_are_right(b) || i == 0);
            blocks_fill(b, turn++);
            CHECK(persistent_start(&q) == MPI_SUCCESS);
            CHECK(persistent_wait(&q, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        CHECK(persistent_free(&q) == MPI_SUCCESS);
    }
    CHECK(blocks_are_right(b));
}

/* The k-th case: other types, roots, buffers and ways each time. */
static void one_case(const call_set *s, int bytes, int k)
{
    bool reduces = coll_has(s->kind, COLL_REDUCES);
    const type_pair *types = &type_pairs[k % type_pair_count];
    int size;
    blocks b = {.kind = s->kind,
                .comm = MPI_COMM_WORLD,
                .types = types,
                .reduction = reduces ? &reductions[k % reduction_count] : NULL,
                .in_place = k % 5 == 0 && coll_shapes[s->kind].send != COLL_NONE,
                .shared = k % 4 != 0,
                .full = k % 2,
                .o = {.root = coll_has(s->kind, COLL_ROOTED) ? k % world_size : 0}};

    if (!calls_serve(s, world_size, b.reduction))
        return;
    MPI_Type_size(reduces ? b.reduction->type : types->sendtype, &size);
    b.count = (bytes + size - 1) / size;
    mpi_test_context("%s %s, %d bytes, case %d", coll_kind_name(s->kind), s->algorithm, bytes, k);
    blocks_open(&b);
    run(s, &b, (way)(k % WAYS));
    blocks_close(&b);
}

/* Each algorithm has every length; with `few` each third one. */
static void all_collectives_are_right(void)
{
    const char *cases = getenv("TEST_CASES");
    int step = cases && strcmp(cases, "few") == 0 ? 3 : 1, k = 0;

    type_pairs_make();
    reductions_make();
    reads_begin();
    for (int i = 0; i < call_set_count; i++)
        for (int n = i % step; n < LENGTHS; n += step, k++)
            one_case(&call_sets[i], lengths[n], k);
}

/* ---- what is exposed ---- */

/* The root writes to its buffer as soon as its operation is over: the others have read it then. */
static void write_at_once(unsigned char *data, int bytes)
{
    enum { ROUNDS = 100 };
    MPIX_Request request;

    CHECK(MPIX_Bcast_binomial_init(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                                   &request) == MPI_SUCCESS);
    for (int round = 1; round <= ROUNDS; round++) {
        memset(data, world_rank ? 0 : round, (size_t)bytes);
        CHECK(MPIX_Start(&request) == MPI_SUCCESS);
        CHECK(MPIX_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        if (world_rank == 0) /* from the end: who still reads has not come so far */
            memset(data + bytes / 2, 255, (size_t)bytes / 2);
        else
            CHECK(data[0] == round && memcmp(data, data + 1, (size_t)bytes - 1) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(MPIX_Request_free(&request) == MPI_SUCCESS);
}

static void the_exposer_may_write_at_once(void)
{
    enum { BYTES = 1 << 20 };
    unsigned char *shared = NULL, *own = malloc(BYTES);

    reads_begin(); /* memory is shared from here on */
    CHECK(tutti_alloc(BYTES, &shared) == MPI_SUCCESS);
    write_at_once(shared, BYTES);
    write_at_once(own, BYTES);
    CHECK(tutti_free(shared) == MPI_SUCCESS);
    free(own);
}

/* Long ones are read in parts to be reduced; one of these may fail when others have been. */
static void parts_are_reduced_once(void)
{
    enum { INTS = 700001 };
    int *sum = malloc(INTS * sizeof *sum), wrong = 0;
    MPIX_Request request;

    reads_begin();
    CHECK(MPIX_Allreduce_ring_init(MPI_IN_PLACE, sum, INTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                                   MPI_INFO_NULL, &request) == MPI_SUCCESS);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < INTS; i++)
            sum[i] = i + world_rank + round;
        CHECK(MPIX_Start(&request) == MPI_SUCCESS);
        CHECK(MPIX_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < INTS; i++)
            wrong += sum[i] != world_size * (i + round) + world_size * (world_size - 1) / 2;
    }
    CHECK(wrong == 0);
    CHECK(MPIX_Request_free(&request) == MPI_SUCCESS);
    free(sum);
}

static void hear_from_others(void)
{
    for (int r = 0; r < world_size - 1; r++)
        CHECK(MPI_Recv(NULL, 0, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* Messages fall back to MPI after 1024 fruitless polls. */
static void poll_and_tell_last(void)
{
    for (int i = 0; i < 4000; i++)
        CHECK(tutti_progress() == MPI_SUCCESS);
    CHECK(MPI_Send(NULL, 0, MPI_INT, world_size - 1, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
}

/* An older operation waits for the last rank, so what cannot be read finds no room in the ring, and
 * leaves it for the MPI, after a part of it has been read and reduced. A message that could not be
 * read once is never exposed again: each round has a communicator of its own. */
static void what_falls_back_is_reduced_once(void)
{
    enum { ROUNDS = 8, INTS = 700001, BLOCK = 500 };
    int *sum = malloc(INTS * sizeof *sum), *all = malloc((size_t)world_size * BLOCK * sizeof *all);
    int wrong = 0;

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request r[2];
        MPI_Comm comm;
        CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
        reads_begin_on(comm);
        for (int i = 0; i < INTS; i++)
            sum[i] = i + world_rank + round;
        for (int i = 0; i < BLOCK; i++)
            all[world_rank * BLOCK + i] = world_rank + round;
        if (world_rank == world_size - 1)
            hear_from_others();
        CHECK(MPIX_Iallgather_ring(MPI_IN_PLACE, BLOCK, MPI_INT, all, BLOCK, MPI_INT, comm,
                                   &r[0]) == MPI_SUCCESS);
        CHECK(MPIX_Iallreduce_ring(MPI_IN_PLACE, sum, INTS, MPI_INT, MPI_SUM, comm, &r[1]) ==
              MPI_SUCCESS);
        if (world_rank < world_size - 1)
            poll_and_tell_last();
        CHECK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < INTS; i++)
            wrong += sum[i] != world_size * (i + round) + world_size * (world_size - 1) / 2;
        for (int i = 0; i < world_size * BLOCK; i++)
            wrong += all[i] != i / BLOCK + round;
        CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
    }
    mpi_test_context("%d are wrong", wrong);
    CHECK(wrong == 0);
    free(all);
    free(sum);
}

/* Acks of what is exposed are written to the exposer's part of the shared memory. That of rank 0 is
 * filled with rings of what it receives, of shorter and shorter messages: of the last requests, in
 * which it exposes, some find no room there, though the others have rings for them. */
static const int received[] = {60000, 4000, 1000, 200, 120, 1};
enum {
    OF_EACH = 40,
    RECEIVED = 6 * OF_EACH,
    REQUESTS = RECEIVED + 2 * OF_EACH,
    EXPOSED_BYTES = 5000
};

static int ints_of(int k)
{
    return k < RECEIVED ? received[k / OF_EACH] : EXPOSED_BYTES;
}

static int root_of(int k)
{
    return k < RECEIVED ? 1 % world_size : 0;
}

static void what_cannot_be_acknowledged_is_not_exposed(void)
{
    static MPIX_Request request[REQUESTS];
    int *data = malloc((size_t)received[0] * sizeof *data), wrong = 0;

    reads_begin();
    for (int k = 0; k < REQUESTS; k++)
        CHECK(MPIX_Bcast_binomial_init(data, ints_of(k), MPI_INT, root_of(k), MPI_COMM_WORLD,
                                       MPI_INFO_NULL, &request[k]) == MPI_SUCCESS);
    for (int k = 0; k < REQUESTS; k++) {
        for (int i = 0; i < ints_of(k); i++)
            data[i] = world_rank == root_of(k) ? 7 * i + k : -1;
        CHECK(MPIX_Start(&request[k]) == MPI_SUCCESS);
        CHECK(MPIX_Wait(&request[k], MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < ints_of(k); i++)
            wrong += data[i] != 7 * i + k;
    }
    CHECK(wrong == 0);
    for (int k = 0; k < REQUESTS; k++)
        CHECK(MPIX_Request_free(&request[k]) == MPI_SUCCESS);
    free(data);
}

/* ---- tutti_alloc ---- */

static void memory_is_had_and_given_back(void)
{
    static const MPI_Aint sizes[] = {0, 1, 100, 65536, 65537, 3000000};
    unsigned char *m[6][3];

    for (int round = 0; round < 50; round++) {
        if (round == 1)
            reads_begin();
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 3; k++) {
                CHECK(tutti_alloc(sizes[i], &m[i][k]) == MPI_SUCCESS);
                CHECK((uintptr_t)m[i][k] % 128 == 0);
                memset(m[i][k], 16 * i + k, (size_t)sizes[i]);
            }
        for (int i = 0; i < 6; i++)
            for (int k = (round + i) % 3, n = 0; n < 3; n++, k = (k + 1) % 3) {
                for (MPI_Aint at = 0; at < sizes[i]; at += 4096)
                    CHECK(m[i][k][at] == 16 * i + k);
                CHECK(tutti_free(m[i][k]) == MPI_SUCCESS);
            }
    }
}

static void errors_are_reported(void)
{
    void *memory = NULL;
    int ours;

    mpi_test_context("errors");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_CLASS(tutti_alloc(-1, &memory), MPI_ERR_SIZE);
    CHECK_CLASS(tutti_alloc(8, NULL), MPI_ERR_ARG);
    CHECK_CLASS(tutti_alloc((MPI_Aint)1 << 60, &memory), MPI_ERR_NO_MEM);
    CHECK(!memory);
    CHECK(tutti_free(NULL) == MPI_SUCCESS);
    CHECK_CLASS(tutti_free(&ours), MPI_ERR_BASE);
    CHECK(tutti_alloc(8, &memory) == MPI_SUCCESS);
    CHECK(tutti_free(memory) == MPI_SUCCESS);
    CHECK_CLASS(tutti_free(memory), MPI_ERR_BASE);
}

/* What a child does with its copy of the library's records changes nothing for its parent. */
static void a_child_takes_nothing_from_its_parent(void)
{
    enum { BYTES = 1 << 20 };
    unsigned char *mine = NULL, *more = NULL;
    int status = -1;
    pid_t child;

    CHECK(tutti_init() == MPI_SUCCESS);
    CHECK(tutti_alloc(BYTES, &mine) == MPI_SUCCESS);
    memset(mine, 7, BYTES);
    child = fork();
    if (child == 0) {
        int error = tutti_alloc(BYTES, &more);
        if (!error)
            memset(more, 9, BYTES);
        _exit(error || tutti_free(mine) || tutti_free(more));
    }
    CHECK(tutti_alloc(BYTES, &more) == MPI_SUCCESS);
    memset(more, 8, BYTES);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(mine[0] == 7 && memcmp(mine, mine + 1, BYTES - 1) == 0);
    CHECK(more[0] == 8 && memcmp(more, more + 1, BYTES - 1) == 0);
    CHECK(tutti_free(mine) == MPI_SUCCESS);
    CHECK(tutti_free(more) == MPI_SUCCESS);
}

/* More than the machine has, in all: some calls get ordinary memory, or none; nothing is killed. */
static void the_program_may_ask_for_much(void)
{
    void *memory[4] = {NULL};

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 4; i++)
        if (tutti_alloc((MPI_Aint)1 << 45, &memory[i]) != MPI_SUCCESS)
            memory[i] = NULL;
    for (int i = 0; i < 4; i++)
        CHECK(tutti_free(memory[i]) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(memory_is_had_and_given_back),
        MPI_TEST(all_collectives_are_right),
        MPI_TEST(the_exposer_may_write_at_once),
        MPI_TEST(parts_are_reduced_once),
        MPI_TEST(what_falls_back_is_reduced_once),
        MPI_TEST(what_cannot_be_acknowledged_is_not_exposed),
        MPI_TEST(errors_are_reported),
        MPI_TEST(a_child_takes_nothing_from_its_parent),
        MPI_TEST(the_program_may_ask_for_much),
    };

    return mpi_test_main(argc, argv, "alloc", tests, sizeof tests / sizeof *tests);
}
