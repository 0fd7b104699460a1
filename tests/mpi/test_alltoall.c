/* test_alltoall.c - every entry point of alltoall and alltoallv against the blocking native
 * collective.
 *
 * The matrix: algorithms x datatype pairs x counts x in place or not, each as a blocking call, as a
 * non-blocking one (twice: the second finds its plan) and as a persistent one with several starts,
 * regular and v, int and large counts. The data changes before every operation; both receive
 * buffers begin with the same bytes and are compared whole, so gaps that are overwritten are seen.
 */
#include "mpi/entries.h"
#include "mpi/hints.h"
#include "mpi/type_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 256, STARTS = 5 };

/* Counts and displacements of one side. */
typedef struct side {
    int *counts, *displs;
    MPI_Count *counts_c;
    MPI_Aint *displs_c;
    MPI_Aint bytes, origin; /* size of the buffer; where displacement 0 is */
    MPI_Datatype type;
    char *buffer;
} side;

typedef struct test_case {
    const alltoall_entry *e;
    const type_pair *t;
    MPI_Comm comm;
    int p, rank;
    bool vector, large, in_place, below; /* below: some displacements are negative */
    int count;                           /* elements of sendtype in an ordinary block */
    side send, recv;
    char *expected;
} test_case;

/* Elements of sendtype; a quarter of the blocks is empty. */
static int block_count(const test_case *c, int from, int to)
{
    int mix = c->in_place ? from + to : from + 2 * to;

    return c->vector ? mix % 4 * c->count : c->count;
}

/* Blocks in falling order of ranks, with gaps, for the v-variant. */
static void side_open(const test_case *c, side *s, bool send, int per)
{
    MPI_Aint lb, extent;
    int at = 0, low = 0;

    s->counts = calloc((size_t)c->p * 2, sizeof(int));
    s->displs = s->counts + c->p;
    s->counts_c = calloc((size_t)c->p, sizeof(MPI_Count));
    s->displs_c = calloc((size_t)c->p, sizeof(MPI_Aint));
    for (int i = 0; i < c->p; i++) {
        int r = c->vector ? c->p - 1 - i : i;
        s->counts[r] = per * (send ? block_count(c, c->rank, r) : block_count(c, r, c->rank));
        s->displs[r] = at;
        at += s->counts[r] + (c->vector ? r % 3 : 0);
    }
    low = c->below ? at / 2 : 0;
    for (int r = 0; r < c->p; r++) {
        s->displs[r] -= low;
        s->counts_c[r] = s->counts[r];
        s->displs_c[r] = s->displs[r];
    }
    MPI_Type_get_extent(s->type, &lb, &extent);
    s->bytes = (at + 1) * extent + 2 * MARGIN;
    s->origin = MARGIN + low * extent;
    s->buffer = malloc((size_t)s->bytes);
}

static void side_close(side *s)
{
    free(s->buffer);
    free(s->displs_c);
    free(s->counts_c);
    free(s->counts);
}

static void case_open(test_case *c)
{
    MPI_Comm_size(c->comm, &c->p);
    MPI_Comm_rank(c->comm, &c->rank);
    c->send.type = c->t->sendtype;
    c->recv.type = c->t->recvtype;
    side_open(c, &c->send, true, 1);
    side_open(c, &c->recv, false, c->t->per);
    c->expected = malloc((size_t)c->recv.bytes);
    mpi_test_context("%s, %s, %s count %d%s%s%s", c->e->name, c->t->name,
                     c->vector ? "alltoallv" : "alltoall", c->count, c->in_place ? " in place" : "",
                     c->large ? " _c" : "", c->below ? " below 0" : "");
}

static void case_close(test_case *c)
{
    free(c->expected);
    side_close(&c->recv);
    side_close(&c->send);
}

static char *send_at(const test_case *c)
{
    return c->in_place ? MPI_IN_PLACE : c->send.buffer + c->send.origin;
}

static char *recv_at(const test_case *c)
{
    return c->recv.buffer + c->recv.origin;
}

/* New data, and what the native collective makes of it: never in place, because that is what the
 * MPIs are least tested for. Bytes below 64 keep doubles finite. */
static void refill(test_case *c, int round)
{
    const side *from = c->in_place ? &c->recv : &c->send;

    for (MPI_Aint i = 0; i < c->send.bytes; i++)
        c->send.buffer[i] = (char)((i * 7 + c->rank * 13 + round * 29) % 64);
    memset(c->recv.buffer, 0x77, (size_t)c->recv.bytes);
    for (MPI_Aint i = 0; i < c->recv.bytes && c->in_place; i++)
        c->recv.buffer[i] = (char)((i * 5 + c->rank * 17 + round * 31) % 64);
    memcpy(c->expected, c->recv.buffer, (size_t)c->recv.bytes);
    MPI_Alltoallv(from->buffer + from->origin, from->counts, from->displs, from->type,
                  c->expected + c->recv.origin, c->recv.counts, c->recv.displs, c->recv.type,
                  c->comm);
}

static void compare(const test_case *c)
{
    CHECK(memcmp(c->recv.buffer, c->expected, (size_t)c->recv.bytes) == 0);
}

static int run_blocking_call(const test_case *c)
{
    const side *s = &c->send, *r = &c->recv;
    int n = c->count, m = c->count * c->t->per;

    if (c->vector && c->large)
        return c->e->run_v_c(send_at(c), s->counts_c, s->displs_c, s->type, recv_at(c), r->counts_c,
                             r->displs_c, r->type, c->comm);
    if (c->vector)
        return c->e->run_v(send_at(c), s->counts, s->displs, s->type, recv_at(c), r->counts,
                           r->displs, r->type, c->comm);
    if (c->large)
        return c->e->run_c(send_at(c), n, s->type, recv_at(c), m, r->type, c->comm);
    return c->e->run(send_at(c), n, s->type, recv_at(c), m, r->type, c->comm);
}

static int start_nonblocking(const test_case *c, MPI_Request *q)
{
    const side *s = &c->send, *r = &c->recv;
    int n = c->count, m = c->count * c->t->per;

    if (c->vector && c->large)
        return c->e->start_v_c(send_at(c), s->counts_c, s->displs_c, s->type, recv_at(c),
                               r->counts_c, r->displs_c, r->type, c->comm, q);
    if (c->vector)
        return c->e->start_v(send_at(c), s->counts, s->displs, s->type, recv_at(c), r->counts,
                             r->displs, r->type, c->comm, q);
    if (c->large)
        return c->e->start_c(send_at(c), n, s->type, recv_at(c), m, r->type, c->comm, q);
    return c->e->start(send_at(c), n, s->type, recv_at(c), m, r->type, c->comm, q);
}

static int init_persistent(const test_case *c, MPIX_Request *q)
{
    const side *s = &c->send, *r = &c->recv;
    int n = c->count, m = c->count * c->t->per;

    if (c->vector && c->large)
        return c->e->init_v_c(send_at(c), s->counts_c, s->displs_c, s->type, recv_at(c),
                              r->counts_c, r->displs_c, r->type, c->comm, MPI_INFO_NULL, q);
    if (c->vector)
        return c->e->init_v(send_at(c), s->counts, s->displs, s->type, recv_at(c), r->counts,
                            r->displs, r->type, c->comm, MPI_INFO_NULL, q);
    if (c->large)
        return c->e->init_c(send_at(c), n, s->type, recv_at(c), m, r->type, c->comm, MPI_INFO_NULL,
                            q);
    return c->e->init(send_at(c), n, s->type, recv_at(c), m, r->type, c->comm, MPI_INFO_NULL, q);
}

static void run_blocking(test_case c)
{
    case_open(&c);
    refill(&c, 1);
    CHECK(run_blocking_call(&c) == MPI_SUCCESS);
    compare(&c);
    case_close(&c);
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
    int flag = 0;

    case_open(&c);
    memset(c.send.buffer, 0x11, (size_t)c.send.bytes);
    CHECK(init_persistent(&c, &r) == MPI_SUCCESS);
    memset(c.recv.counts_c, 0x33, (size_t)c.p * sizeof(MPI_Count)); /* were read during the call */
    memset(c.send.displs_c, 0x33, (size_t)c.p * sizeof(MPI_Aint));
    for (int round = 0; round < STARTS; round++) {
        refill(&c, round + 10);
        CHECK(MPIX_Start(&r) == MPI_SUCCESS);
        if (round % 2)
            CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        else
            for (flag = 0; !flag;)
                CHECK(MPIX_Test(&r, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        compare(&c);
    }
    CHECK(MPIX_Request_free(&r) == MPI_SUCCESS);
    CHECK(r == MPIX_REQUEST_NULL);
    case_close(&c);
}

static void run_matrix(void (*run)(test_case), MPI_Comm comm)
{
    static const int counts[] = {0, 1, 5, 1000};

    for (int i = 0; i < alltoall_entry_count; i++)
        for (int t = 0; t < type_pair_count; t++)
            for (int k = 0; k < 4; k++)
                for (int way = 0; way < 4; way++)
                    if (way % 2 == 0 || alltoall_entries[i].start_v)
                        run((test_case){.e = &alltoall_entries[i],
                                        .t = &type_pairs[t],
                                        .comm = comm,
                                        .vector = way % 2,
                                        .large = (k + t) % 2,
                                        .in_place = way / 2,
                                        .below = way % 2 && k % 2,
                                        .count = counts[k]});
}

static void blocking_equals_the_native_collective(void)
{
    run_matrix(run_blocking, MPI_COMM_WORLD);
}

static void nonblocking_equals_the_native_collective(void)
{
    run_matrix(run_nonblocking, MPI_COMM_WORLD);
}

static void restart_sends_the_new_contents(void)
{
    run_matrix(run_persistent, MPI_COMM_WORLD);
}

static void large_blocks_work(void)
{
    for (int i = 0; i < alltoall_entry_count; i++)
        for (int k = 2; k < 4; k++)
            run_nonblocking((test_case){.e = &alltoall_entries[i],
                                        .t = &type_pairs[k % type_pair_count],
                                        .comm = MPI_COMM_WORLD,
                                        .in_place = k % 2,
                                        .count = 9000});
}

/* Any radix, also above the number of ranks: `auto`, which a hint tells. */
static void every_radix_works(void)
{
    MPI_Comm comm = fresh();
    char name[32];

    for (int radix = 2; radix <= world_size + 2; radix++) {
        snprintf(name, sizeof name, "bruck_radix:%d", radix);
        CHECK(hint(comm, "tutti_algorithm", name) == MPI_SUCCESS);
        run_nonblocking((test_case){.e = &alltoall_entries[alltoall_entry_count - 1],
                                    .t = &type_pairs[radix % type_pair_count],
                                    .comm = comm,
                                    .in_place = radix % 2,
                                    .count = 3});
    }
    MPI_Comm_free(&comm);
}

/* Halves of the world, in reversed order of ranks. */
static void subcommunicators_work_side_by_side(void)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
    run_matrix(run_nonblocking, half);
    MPI_Comm_free(&half);
}

/* Columns of a matrix, resized to one element: the blocks of the receive buffer interleave, so that
 * more of them than its own cannot lie one behind the other. */
static void interleaved_blocks_are_exchanged(void)
{
    enum { K = 3 };
    int n = K * world_size, *rows = malloc((size_t)(n * K) * sizeof *rows);
    int *columns = malloc((size_t)(n * K) * sizeof *columns), wrong;
    MPI_Datatype vector, column;

    MPI_Type_vector(K, 1, n, MPI_INT, &vector); /* K rows are mine */
    MPI_Type_create_resized(vector, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < alltoall_entry_count; i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            MPI_Request r;
            mpi_test_context("%s%s", alltoall_entries[i].name, in_place ? " in place" : "");
            for (int k = 0; k < n * K; k++) { /* row k / n of mine, column k % n */
                rows[k] = world_rank * n * K + k;
                columns[k] = in_place ? rows[k] : -1;
            }
            CHECK(alltoall_entries[i].start(in_place ? MPI_IN_PLACE : rows, K, column, columns, K,
                                            column, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
            CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            wrong = 0;
            for (int k = 0; k < n * K; k++) { /* from rank k % n / K its columns of me */
                int from = k % n / K, column_there = world_rank * K + k % K;
                wrong += columns[k] != from * n * K + k / n * n + column_there;
            }
            CHECK(wrong == 0);
        }
    MPI_Type_free(&vector);
    MPI_Type_free(&column);
    free(rows);
    free(columns);
}

/* Types with absolute addresses, on both sides. */
static void mpi_bottom_is_an_address(void)
{
    int *out = calloc((size_t)world_size * 2, sizeof *out);
    int *in = calloc((size_t)world_size * 2, sizeof *in);
    int two = 2;
    MPI_Aint at_out, at_in;
    MPI_Datatype type, sendtype, recvtype;

    MPI_Get_address(out, &at_out);
    MPI_Get_address(in, &at_in);
    MPI_Type_create_hindexed(1, &two, &at_out, MPI_INT, &type);
    MPI_Type_create_resized(type, at_out, 2 * sizeof(int), &sendtype);
    MPI_Type_free(&type);
    MPI_Type_create_hindexed(1, &two, &at_in, MPI_INT, &type);
    MPI_Type_create_resized(type, at_in, 2 * sizeof(int), &recvtype);
    MPI_Type_free(&type);
    MPI_Type_commit(&sendtype);
    MPI_Type_commit(&recvtype);
    for (int i = 0; i < alltoall_entry_count; i++) {
        MPI_Request r;
        mpi_test_context("%s", alltoall_entries[i].name);
        for (int k = 0; k < world_size; k++) {
            out[2 * k] = world_rank * 100 + k;
            out[2 * k + 1] = -out[2 * k];
        }
        memset(in, 0, (size_t)world_size * 8);
        CHECK(alltoall_entries[i].start(MPI_BOTTOM, 1, sendtype, MPI_BOTTOM, 1, recvtype,
                                        MPI_COMM_WORLD, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < world_size; k++)
            CHECK(in[2 * k] == k * 100 + world_rank && in[2 * k + 1] == -in[2 * k]);
    }
    MPI_Type_free(&sendtype);
    MPI_Type_free(&recvtype);
    free(out);
    free(in);
}

/* The same call on other buffers, and back: what was resolved for the first ones must not be used.
 */
static void buffers_may_change_from_call_to_call(void)
{
    enum { N = 9000 }; /* above what is packed: types hold distances between the buffers */
    size_t bytes = (size_t)world_size * N;
    unsigned char *out[2], *in[3];

    for (int i = 0; i < 2; i++)
        out[i] = malloc(bytes + (size_t)i * 4096);
    for (int i = 0; i < 3; i++)
        in[i] = malloc(bytes);
    for (int i = 0; i < alltoall_entry_count; i++)
        for (int round = 0; round < 6; round++) {
            unsigned char *from = out[round % 2], *to = in[round % 3];
            MPI_Request r;
            mpi_test_context("%s round %d", alltoall_entries[i].name, round);
            for (size_t k = 0; k < bytes; k++)
                from[k] = (unsigned char)(k / N * 7 + (size_t)(world_rank * 31 + round) + k % N);
            memset(to, 0xee, bytes);
            CHECK(alltoall_entries[i].start(from, N, MPI_BYTE, to, N, MPI_BYTE, MPI_COMM_WORLD,
                                            &r) == MPI_SUCCESS);
            CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            int wrong = 0;
            for (size_t k = 0; k < bytes; k++)
                wrong += to[k] != (unsigned char)((size_t)world_rank * 7 +
                                                  (k / N * 31 + (size_t)round) + k % N);
            CHECK(wrong == 0);
        }
    for (int i = 0; i < 2; i++)
        free(out[i]);
    for (int i = 0; i < 3; i++)
        free(in[i]);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(type_pairs_make), /* needs MPI: so it comes as the first test */
        MPI_TEST(blocking_equals_the_native_collective),
        MPI_TEST(nonblocking_equals_the_native_collective),
        MPI_TEST(restart_sends_the_new_contents),
        MPI_TEST(large_blocks_work),
        MPI_TEST(every_radix_works),
        MPI_TEST(subcommunicators_work_side_by_side),
        MPI_TEST(interleaved_blocks_are_exchanged),
        MPI_TEST(mpi_bottom_is_an_address),
        MPI_TEST(buffers_may_change_from_call_to_call),
    };

    return mpi_test_main(argc, argv, "alltoall", tests, sizeof tests / sizeof *tests);
}
