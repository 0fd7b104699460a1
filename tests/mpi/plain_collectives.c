/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_collectives.c - an MPI program that knows nothing of Tutti: what test_data.c does not see
 * of it. Run natively and under libtutti_mpi.so.
 *
 * Natively on MPICH 4.0.2 the tests of persistent collectives fail (mpich#6423): that is what the
 * library repairs.
 */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 8, COUNT = 3, STARTS = 5 };

typedef struct shape {
    MPI_Comm comm;
    int p, rank;
    int counts[MOST], displs[MOST];
    int *send, *recv, total; /* room for COUNT + MOST per rank, with gaps */
} shape;

static shape shape_make(MPI_Comm comm)
{
    shape s = {.comm = comm};

    MPI_Comm_size(comm, &s.p);
    MPI_Comm_rank(comm, &s.rank);
    for (int i = 0; i < s.p; i++) {
        s.counts[i] = i % 3 == 1 ? 0 : COUNT + i;
        s.displs[i] = s.total;
        s.total += COUNT + MOST + 1;
    }
    s.send = malloc((size_t)(COUNT + MOST) * sizeof *s.send);
    s.recv = malloc((size_t)s.total * sizeof *s.recv);
    return s;
}

static void shape_free(shape *s)
{
    free(s->send);
    free(s->recv);
}

static int value(int rank, int k, int round)
{
    return rank * 1000 + k + round * 10;
}

static void fill(shape *s, int round)
{
    for (int k = 0; k < COUNT + MOST; k++)
        s->send[k] = value(s->rank, k, round);
    memset(s->recv, -1, (size_t)s->total * sizeof *s->recv);
}

static void check_regular(const shape *s, int round)
{
    for (int i = 0; i < s->p; i++)
        for (int k = 0; k < COUNT; k++)
            CHECK(s->recv[i * COUNT + k] == value(i, k, round));
    if (s->p * COUNT < s->total)
        CHECK(s->recv[s->p * COUNT] == -1);
}

static void check_irregular(const shape *s, int round)
{
    for (int i = 0; i < s->p; i++) {
        for (int k = 0; k < s->counts[i]; k++)
            CHECK(s->recv[s->displs[i] + k] == value(i, k, round));
        CHECK(s->recv[s->displs[i] + s->counts[i]] == -1); /* the gap */
    }
}

static void persistent_requests_send_the_new_contents(void)
{
    shape s = shape_make(MPI_COMM_WORLD);
    MPI_Request regular, irregular;

    PERSISTENT(Allgather)
    (s.send, COUNT, MPI_INT, s.recv, COUNT, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &regular);
    PERSISTENT(Allgatherv)
    (s.send, s.counts[s.rank], MPI_INT, s.recv, s.counts, s.displs, MPI_INT, MPI_COMM_WORLD,
     MPI_INFO_NULL, &irregular);
    for (int round = 0; round < STARTS; round++) {
        MPI_Request before = regular;
        fill(&s, round);
        MPI_Start(&regular);
        MPI_Wait(&regular, MPI_STATUS_IGNORE);
        CHECK(regular == before);
        check_regular(&s, round);
        fill(&s, round + 1);
        MPI_Start(&irregular);
        MPI_Wait(&irregular, MPI_STATUS_IGNORE);
        check_irregular(&s, round + 1);
    }
    MPI_Request_free(&regular);
    MPI_Request_free(&irregular);
    CHECK(regular == MPI_REQUEST_NULL && irregular == MPI_REQUEST_NULL);
    shape_free(&s);
}

/* Every second int is sent; received without gaps. */
static void types_may_differ_and_be_freed_at_once(void)
{
    int p = world_size, spread[2 * COUNT], *all = malloc((size_t)(p * COUNT) * sizeof *all);
    MPI_Datatype second, triple;
    MPI_Request r[2];

    for (int k = 0; k < 2 * COUNT; k++)
        spread[k] = k % 2 ? -7 : value(world_rank, k / 2, 0);
    for (int form = 0; form < 2; form++) {
        memset(all, -1, (size_t)(p * COUNT) * sizeof *all);
        MPI_Type_vector(COUNT, 1, 2, MPI_INT, &second);
        MPI_Type_contiguous(COUNT, MPI_INT, &triple);
        MPI_Type_commit(&second);
        MPI_Type_commit(&triple);
        if (form == 0)
            MPI_Iallgather(spread, 1, second, all, 1, triple, MPI_COMM_WORLD, &r[0]);
        else
            PERSISTENT(Allgather)
        (spread, 1, second, all, 1, triple, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
        MPI_Type_free(&second);
        MPI_Type_free(&triple);
        if (form == 1)
            MPI_Start(&r[0]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        for (int i = 0; i < p * COUNT; i++)
            CHECK(all[i] == value(i / COUNT, i % COUNT, 0));
        if (form == 1)
            MPI_Request_free(&r[0]);
    }
    free(all);
}

static void the_communicator_may_be_freed_in_flight(void)
{
    MPI_Comm first, second;
    shape s, t;
    MPI_Request r, persistent;

    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    s = shape_make(first);
    t = shape_make(second);
    fill(&s, 1);
    fill(&t, 2);
    MPI_Iallgather(s.send, COUNT, MPI_INT, s.recv, COUNT, MPI_INT, first, &r);
    PERSISTENT(Allgather)
    (t.send, COUNT, MPI_INT, t.recv, COUNT, MPI_INT, second, MPI_INFO_NULL, &persistent);
    MPI_Start(&persistent);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    check_regular(&s, 1);
    check_regular(&t, 2);
    fill(&t, 3);
    MPI_Start(&persistent); /* it lives on without the communicator */
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    check_regular(&t, 3);
    MPI_Request_free(&persistent);
    shape_free(&s);
    shape_free(&t);
}

/* Between two groups Tutti has nothing to offer: the MPI does it. */
static void intercommunicators_work(void)
{
    MPI_Comm half, inter;
    int colour = world_rank % 2, theirs, *all, mine = world_rank;
    MPI_Request r;

    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, colour, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - colour, 7, &inter);
    MPI_Comm_remote_size(inter, &theirs);
    all = malloc((size_t)theirs * sizeof *all);
    for (int form = 0; form < 2; form++) {
        memset(all, -1, (size_t)theirs * sizeof *all);
        if (form == 0) {
            MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, inter);
        } else {
            MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, inter, &r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < theirs; i++)
            CHECK(all[i] == 2 * i + 1 - colour);
    }
    free(all);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void errors_go_to_the_communicators_handler(void)
{
    int x = 0, y[MOST];
    MPI_Request r = MPI_REQUEST_NULL;

    CHECK_CLASS(MPI_Allgather(&x, -1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Allgather(&x, 1, MPI_DATATYPE_NULL, y, 1, MPI_INT, MPI_COMM_WORLD),
                MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Iallgather(&x, -1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD, &r), MPI_ERR_COUNT);
    CHECK(r == MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Allgather(&x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
}

static int handled;
static MPI_Comm handled_on;

static void handler(MPI_Comm *comm, int *error, ...)
{
    (void)error;
    handled++;
    handled_on = *comm;
}

static void a_handler_of_the_programs_own_is_called(void)
{
    int x = 0, y[MOST];
    MPI_Errhandler own;
    MPI_Comm comm;
    MPI_Request r = MPI_REQUEST_NULL;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(comm, own);
    handled = 0;
    CHECK_CLASS(MPI_Iallgather(&x, -1, MPI_INT, y, 1, MPI_INT, comm, &r), MPI_ERR_COUNT);
    CHECK(handled == 1 && handled_on == comm);
    CHECK_CLASS(
        PERSISTENT(Allgather)(&x, 1, MPI_DATATYPE_NULL, y, 1, MPI_INT, comm, MPI_INFO_NULL, &r),
        MPI_ERR_TYPE);
    CHECK(handled == 2 && handled_on == comm && r == MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Allgather(&x, 1, MPI_INT, NULL, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK(handled == 3);
    MPI_Errhandler_free(&own);
    MPI_Comm_free(&comm);
}

/* A matrix, distributed by rows, is transposed by types alone: COUNT columns go to each rank. */
static void types_transpose_a_matrix(void)
{
    int n = COUNT * world_size, *rows = malloc((size_t)(n * COUNT) * sizeof *rows);
    int *turned = malloc((size_t)(n * COUNT) * sizeof *turned), wrong = 0;
    MPI_Datatype vector, column, line;
    MPI_Request r;

    for (int k = 0; k < n * COUNT; k++)
        rows[k] = (world_rank * COUNT + k / n) * n + k % n;
    memset(turned, -1, (size_t)(n * COUNT) * sizeof *turned);
    MPI_Type_vector(COUNT, 1, n, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(int), &column); /* COUNT rows of one column */
    MPI_Type_free(&vector);
    MPI_Type_vector(COUNT, COUNT, n, MPI_INT, &vector); /* COUNT lines of COUNT */
    MPI_Type_create_resized(vector, 0, COUNT * sizeof(int), &line);
    MPI_Type_free(&vector);
    MPI_Type_commit(&column);
    MPI_Type_commit(&line);
    MPI_Ialltoall(rows, COUNT, column, turned, 1, line, MPI_COMM_WORLD, &r);
    MPI_Type_free(&column);
    MPI_Type_free(&line);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int k = 0; k < n * COUNT; k++)
        wrong += turned[k] != k % n * n + world_rank * COUNT + k / n;
    CHECK(wrong == 0);
    free(rows);
    free(turned);
}

/* Between two groups Tutti has nothing to offer: the MPI does it. */
static void alltoall_works_between_groups(void)
{
    MPI_Comm half, inter;
    int colour = world_rank % 2, theirs, from[MOST], to[MOST];

    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, colour, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - colour, 7, &inter);
    MPI_Comm_remote_size(inter, &theirs);
    for (int i = 0; i < theirs; i++) {
        from[i] = world_rank * 100 + i;
        to[i] = -1;
    }
    MPI_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, inter);
    for (int i = 0; i < theirs; i++)
        CHECK(to[i] == (2 * i + 1 - colour) * 100 + world_rank / 2);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* The first of one group is the root of the other one; MPI_ROOT is no rank, and no error. */
static void roots_work_between_groups(void)
{
    MPI_Comm half, inter;
    int colour = world_rank % 2, rank, theirs, all[MOST] = {0}, mine = world_rank, sum = -1;
    int root = 0, expected = 0;

    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, colour, 0, &half);
    MPI_Comm_rank(half, &rank);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - colour, 7, &inter);
    MPI_Comm_remote_size(inter, &theirs);
    if (colour == 0)
        root = rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, inter);
    for (int i = 0; i < theirs && root == MPI_ROOT; i++) {
        CHECK(all[i] == 2 * i + 1);
        expected += all[i]++;
    }
    MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, root, inter);
    CHECK(mine == world_rank + colour);
    MPI_Reduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, root, inter);
    CHECK(sum == (root == MPI_ROOT ? expected : -1));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void errors_of_alltoall_have_their_class(void)
{
    int x[MOST] = {0}, y[MOST];
    MPI_Request r = MPI_REQUEST_NULL;

    CHECK_CLASS(MPI_Alltoall(x, -1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoall(x, 1, MPI_INT, y, 1, MPI_DATATYPE_NULL, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Ialltoall(x, -1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD, &r), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoall(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK(r == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(persistent_requests_send_the_new_contents),
        MPI_TEST(types_may_differ_and_be_freed_at_once),
        MPI_TEST(the_communicator_may_be_freed_in_flight),
        MPI_TEST(intercommunicators_work),
        MPI_TEST(errors_go_to_the_communicators_handler),
        MPI_TEST(a_handler_of_the_programs_own_is_called),
        MPI_TEST(types_transpose_a_matrix),
        MPI_TEST(alltoall_works_between_groups),
        MPI_TEST(roots_work_between_groups),
        MPI_TEST(errors_of_alltoall_have_their_class),
    };

    return mpi_test_main(argc, argv, "plain_collectives", tests, sizeof tests / sizeof *tests);
}
