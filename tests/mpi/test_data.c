/* test_data.c - every entry point against the blocking native collective.
 *
 * The matrix: algorithms x datatype pairs x counts x in place or not, each as a non-blocking call
 * (twice: the second finds its plan) and as a persistent one with several starts, regular and v,
 * int and large counts. The data changes before every operation; both receive buffers begin with
 * the same poison and are compared whole, so gaps that are overwritten are seen.
 */
#include "mpi/entries.h"
#include "mpi/type_pairs.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 256, STARTS = 6 };

/* ---- one operation and its native oracle ---- */

typedef struct test_case {
    const entry *e;
    const type_pair *t;
    MPI_Comm comm;
    int p, rank;
    bool vector, large, in_place;
    int count;            /* elements of sendtype in an ordinary block */
    int *counts, *displs; /* in recvtype */
    MPI_Count *counts_c;
    MPI_Aint *displs_c;
    MPI_Aint recv_bytes, send_bytes;
    char *send, *recv, *expected;
} test_case;

static int block_count(const test_case *c, int rank)
{
    return c->vector ? (rank * 3 + 1) % 4 * c->count : c->count;
}

static MPI_Aint spread(MPI_Datatype type, MPI_Aint n)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(type, &lb, &extent);
    return (n + 1) * extent + 2 * MARGIN;
}

/* Blocks in falling order of ranks, with gaps, for the v-variant. */
static void place_blocks(test_case *c)
{
    int at = 0;

    for (int i = 0; i < c->p; i++) {
        int r = c->vector ? c->p - 1 - i : i;
        c->counts[r] = block_count(c, r) * c->t->per;
        c->displs[r] = at;
        at += c->counts[r] + (c->vector ? r % 3 : 0);
        c->counts_c[r] = c->counts[r];
        c->displs_c[r] = c->displs[r];
    }
    c->recv_bytes = spread(c->t->recvtype, at);
    c->send_bytes = spread(c->t->sendtype, block_count(c, c->rank));
}

static void case_open(test_case *c)
{
    MPI_Comm_size(c->comm, &c->p);
    MPI_Comm_rank(c->comm, &c->rank);
    c->counts = calloc((size_t)c->p * 2, sizeof(int));
    c->displs = c->counts + c->p;
    c->counts_c = calloc((size_t)c->p, sizeof(MPI_Count));
    c->displs_c = calloc((size_t)c->p, sizeof(MPI_Aint));
    place_blocks(c);
    c->send = malloc((size_t)c->send_bytes);
    c->recv = malloc((size_t)c->recv_bytes);
    c->expected = malloc((size_t)c->recv_bytes);
    mpi_test_context("%s, %s, %s count %d%s%s", c->e->name, c->t->name,
                     c->vector ? "allgatherv" : "allgather", c->count,
                     c->in_place ? " in place" : "", c->large ? " _c" : "");
}

static void case_close(test_case *c)
{
    free(c->expected);
    free(c->recv);
    free(c->send);
    free(c->displs_c);
    free(c->counts_c);
    free(c->counts);
}

static char *send_at(const test_case *c)
{
    return c->in_place ? MPI_IN_PLACE : c->send + MARGIN;
}

static char *recv_at(const test_case *c)
{
    return c->recv + MARGIN;
}

/* New data, and what the native collective makes of it. Bytes below 64 keep doubles finite. */
static void refill(test_case *c, int round)
{
    for (MPI_Aint i = 0; i < c->send_bytes; i++)
        c->send[i] = (char)((i * 7 + c->rank * 13 + round * 29) % 64);
    memset(c->recv, 0x77, (size_t)c->recv_bytes);
    if (c->in_place) {
        for (MPI_Aint i = 0; i < c->recv_bytes; i++)
            c->recv[i] = (char)((i * 5 + c->rank * 17 + round * 31) % 64);
        /* outside my own block both must begin alike on all ranks; the oracle overwrites it */
    }
    memcpy(c->expected, c->recv, (size_t)c->recv_bytes);
    MPI_Allgatherv(send_at(c), block_count(c, c->rank), c->t->sendtype, c->expected + MARGIN,
                   c->counts, c->displs, c->t->recvtype, c->comm);
}

static void compare(const test_case *c)
{
    CHECK(memcmp(c->recv, c->expected, (size_t)c->recv_bytes) == 0);
}

static int start_nonblocking(const test_case *c, MPI_Request *r)
{
    const entry *e = c->e;
    const type_pair *t = c->t;
    int n = block_count(c, c->rank), m = c->count * t->per;

    if (c->vector && c->large)
        return e->iallgatherv_c(send_at(c), n, t->sendtype, recv_at(c), c->counts_c, c->displs_c,
                                t->recvtype, c->comm, r);
    if (c->vector)
        return e->iallgatherv(send_at(c), n, t->sendtype, recv_at(c), c->counts, c->displs,
                              t->recvtype, c->comm, r);
    if (c->large)
        return e->iallgather_c(send_at(c), n, t->sendtype, recv_at(c), m, t->recvtype, c->comm, r);
    return e->iallgather(send_at(c), n, t->sendtype, recv_at(c), m, t->recvtype, c->comm, r);
}

static int init_persistent(const test_case *c, MPIX_Request *r)
{
    const entry *e = c->e;
    const type_pair *t = c->t;
    int n = block_count(c, c->rank), m = c->count * t->per;

    if (c->vector && c->large)
        return e->allgatherv_init_c(send_at(c), n, t->sendtype, recv_at(c), c->counts_c,
                                    c->displs_c, t->recvtype, c->comm, MPI_INFO_NULL, r);
    if (c->vector)
        return e->allgatherv_init(send_at(c), n, t->sendtype, recv_at(c), c->counts, c->displs,
                                  t->recvtype, c->comm, MPI_INFO_NULL, r);
    if (c->large)
        return e->allgather_init_c(send_at(c), n, t->sendtype, recv_at(c), m, t->recvtype, c->comm,
                                   MPI_INFO_NULL, r);
    return e->allgather_init(send_at(c), n, t->sendtype, recv_at(c), m, t->recvtype, c->comm,
                             MPI_INFO_NULL, r);
}

static void run_nonblocking(test_case c)
{
    MPI_Request r = MPI_REQUEST_NULL;

    case_open(&c);
    for (int round = 0; round < 2; round++) {
        refill(&c, round);
        CHECK(start_nonblocking(&c, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(r == MPI_REQUEST_NULL);
        compare(&c);
    }
    case_close(&c);
}

static void run_persistent(test_case c)
{
    MPIX_Request r = MPIX_REQUEST_NULL;
    MPI_Status status;
    int flag = 0;

    case_open(&c);
    memset(c.send, 0x11, (size_t)c.send_bytes);
    CHECK(init_persistent(&c, &r) == MPI_SUCCESS);
    memset(c.counts_c, 0x33, (size_t)c.p * sizeof(MPI_Count)); /* were read during the call */
    for (int round = 0; round < STARTS; round++) {
        refill(&c, round + 10);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS);
        if (round % 2)
            CHECK(MPIX_Wait(&r, &status) == MPI_SUCCESS);
        else
            for (flag = 0; !flag;)
                CHECK(MPIX_Test(&r, &flag, &status) == MPI_SUCCESS);
        compare(&c);
    }
    CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
    CHECK(r == MPIX_REQUEST_NULL);
    case_close(&c);
}

static void run_matrix(void (*run)(test_case), MPI_Comm comm, int p)
{
    static const int counts[] = {0, 1, 5, 1000, 9000};

    for (int i = 0; i < entry_count; i++)
        for (int t = 0; t < type_pair_count; t++)
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
                for (int way = 0; way < 4 && entry_serves(&entries[i], p); way++)
                    run((test_case){.e = &entries[i],
                                    .t = &type_pairs[t],
                                    .comm = comm,
                                    .vector = way % 2,
                                    .large = ((int)k + t) % 2,
                                    .in_place = way / 2,
                                    .count = counts[k]});
}

static void nonblocking_equals_the_native_collective(void)
{
    run_matrix(run_nonblocking, MPI_COMM_WORLD, world_size);
}

static void restart_sends_the_new_contents(void)
{
    run_matrix(run_persistent, MPI_COMM_WORLD, world_size);
}

/* Halves of the world, in reversed order of ranks. */
static void subcommunicators_work_side_by_side(void)
{
    MPI_Comm half;
    int p;

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
    MPI_Comm_size(half, &p);
    for (int i = 0; i < entry_count; i++)
        for (int way = 0; way < 4; way++) {
            test_case c = {.e = &entries[i],
                           .t = &type_pairs[way],
                           .comm = half,
                           .vector = way % 2,
                           .in_place = way / 2,
                           .count = 7};
            if (!entry_serves(&entries[i], p))
                continue;
            run_nonblocking(c);
            run_persistent(c);
        }
    MPI_Comm_free(&half);
}

/* Types whose addresses are absolute, on both sides. */
static void mpi_bottom_is_an_address(void)
{
    int mine[2] = {world_rank, world_rank + 1000}, two = 2, *all;
    MPI_Aint at_mine, at_all;
    MPI_Datatype sendtype, recvtype, where;
    MPI_Request r;

    all = calloc((size_t)world_size * 2, sizeof *all);
    MPI_Get_address(mine, &at_mine);
    MPI_Get_address(all, &at_all);
    MPI_Type_create_hindexed(1, &two, &at_mine, MPI_INT, &sendtype);
    MPI_Type_create_hindexed(1, &two, &at_all, MPI_INT, &where);
    MPI_Type_create_resized(where, at_all, 2 * sizeof(int), &recvtype);
    MPI_Type_commit(&sendtype);
    MPI_Type_commit(&recvtype);
    CHECK(MPIX_Iallgather_bruck(MPI_BOTTOM, 1, sendtype, MPI_BOTTOM, 1, recvtype, MPI_COMM_WORLD,
                                &r) == MPI_SUCCESS);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < world_size; i++)
        CHECK(all[2 * i] == i && all[2 * i + 1] == i + 1000);
    MPI_Type_free(&where);
    MPI_Type_free(&sendtype);
    MPI_Type_free(&recvtype);
    free(all);
}

/* Both forms of the algorithms that have two, chosen by info. */
/* Above the piece in which copies are made, and no multiple of it; every byte differs from those
 * near it. */
static void large_blocks_arrive_whole(void)
{
    enum { SIZE = 300001 };
    unsigned char *mine = malloc(SIZE), *all = malloc((size_t)world_size * SIZE);
    MPI_Request r;

    for (int i = 0; i < SIZE; i++)
        mine[i] = (unsigned char)(i * 131 + i / 251 + world_rank * 7);
    memset(all, 0, (size_t)world_size * SIZE);
    CHECK(MPIX_Iallgather_auto(mine, SIZE, MPI_BYTE, all, SIZE, MPI_BYTE, MPI_COMM_WORLD, &r) ==
          MPI_SUCCESS);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int k = 0; k < world_size; k++) {
        int wrong = 0;
        for (int i = 0; i < SIZE; i++)
            wrong +=
                all[(size_t)k * SIZE + (size_t)i] != (unsigned char)(i * 131 + i / 251 + k * 7);
        CHECK(wrong == 0);
    }
    free(mine);
    free(all);
}

static void forms_are_chosen_by_info(void)
{
    static const char *const values[] = {"bruck:step",    "bruck:block", "sparbit:step",
                                         "sparbit:block", "linear",      "ring"};
    int *all = calloc((size_t)world_size, sizeof *all);
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "somebody_elses_key", "is ignored");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        MPIX_Request r = MPIX_REQUEST_NULL;
        MPI_Info_set(info, "tutti_algorithm", values[i]);
        mpi_test_context("%s", values[i]);
        CHECK(MPIX_Allgather_auto_init(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                                       info, &r) == MPI_SUCCESS);
        memset(all, 0x55, (size_t)world_size * sizeof *all);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < world_size; k++)
            CHECK(all[k] == k);
        MPIX_Request_free(&r);
    }
    MPI_Info_free(&info);
    free(all);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(type_pairs_make), /* needs MPI: so it comes as the first test */
        MPI_TEST(nonblocking_equals_the_native_collective),
        MPI_TEST(restart_sends_the_new_contents),
        MPI_TEST(subcommunicators_work_side_by_side),
        MPI_TEST(mpi_bottom_is_an_address),
        MPI_TEST(forms_are_chosen_by_info),
        MPI_TEST(large_blocks_arrive_whole),
    };

    return mpi_test_main(argc, argv, "data", tests, sizeof tests / sizeof *tests);
}
