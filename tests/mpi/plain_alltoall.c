/* plain_alltoall.c - an MPI program that knows nothing of Tutti: all forms of alltoall and
 * alltoallv give what MPI says. Run natively and under libtutti_mpi.so.
 */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 8, COUNT = 3, SLOT = COUNT + 2, STARTS = 5 };

/* Block i lies in slot p-1-i in the v-form; of the regular form one is behind the other. */
typedef struct shape {
    MPI_Comm comm;
    int p, rank;
    int to[MOST], from[MOST], displs[MOST]; /* v: counts, places */
    int send[MOST * SLOT], recv[MOST * SLOT];
} shape;

/* In both directions alike, so that it serves in place too; some are empty. */
static int count_between(int a, int b)
{
    return (a + b) % (COUNT + 1);
}

static shape shape_make(MPI_Comm comm)
{
    shape s = {.comm = comm};

    MPI_Comm_size(comm, &s.p);
    MPI_Comm_rank(comm, &s.rank);
    for (int i = 0; i < s.p; i++) {
        s.to[i] = s.from[i] = count_between(s.rank, i);
        s.displs[i] = (s.p - 1 - i) * SLOT;
    }
    return s;
}

static int value(int from, int to, int k, int round)
{
    return from * 10000 + to * 100 + k + round * 10;
}

static int place(const shape *s, bool v, int rank)
{
    return v ? s->displs[rank] : rank * COUNT;
}

static void fill(shape *s, bool v, bool in_place, int round)
{
    int *out = in_place ? s->recv : s->send;

    memset(s->recv, -1, sizeof s->recv);
    for (int i = 0; i < s->p; i++)
        for (int k = 0; k < (v ? s->to[i] : COUNT); k++)
            out[place(s, v, i) + k] = value(s->rank, i, k, round);
}

static void check(const shape *s, bool v, int round)
{
    int expected[MOST * SLOT];

    memset(expected, -1, sizeof expected);
    for (int i = 0; i < s->p; i++)
        for (int k = 0; k < (v ? s->from[i] : COUNT); k++)
            expected[place(s, v, i) + k] = value(i, s->rank, k, round);
    CHECK(memcmp(s->recv, expected, sizeof expected) == 0);
}

static void blocking_and_nonblocking(MPI_Comm comm)
{
    shape s = shape_make(comm);
    MPI_Request r[2];

    for (int round = 0; round < STARTS; round++) {
        shape t = s;
        fill(&s, false, false, round);
        MPI_Alltoall(s.send, COUNT, MPI_INT, s.recv, COUNT, MPI_INT, comm);
        check(&s, false, round);
        fill(&s, true, false, round);
        MPI_Alltoallv(s.send, s.to, s.displs, MPI_INT, s.recv, s.from, s.displs, MPI_INT, comm);
        check(&s, true, round);
        fill(&s, false, false, round + 1);
        fill(&t, true, false, round + 2);
        MPI_Ialltoall(s.send, COUNT, MPI_INT, s.recv, COUNT, MPI_INT, comm, &r[0]);
        MPI_Ialltoallv(t.send, t.to, t.displs, MPI_INT, t.recv, t.from, t.displs, MPI_INT, comm,
                       &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        check(&s, false, round + 1);
        check(&t, true, round + 2);
    }
}

static void everybody_gets_its_own(void)
{
    MPI_Comm half, reversed;

    blocking_and_nonblocking(MPI_COMM_WORLD);
    blocking_and_nonblocking(MPI_COMM_SELF);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &half);
    blocking_and_nonblocking(half);
    MPI_Comm_free(&half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
    blocking_and_nonblocking(reversed);
    MPI_Comm_free(&reversed);
}

static void persistent_requests_send_the_new_contents(void)
{
    shape s = shape_make(MPI_COMM_WORLD), t = s;
    MPI_Request r[2];

    PERSISTENT(Alltoall)
    (s.send, COUNT, MPI_INT, s.recv, COUNT, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    PERSISTENT(Alltoallv)
    (t.send, t.to, t.displs, MPI_INT, t.recv, t.from, t.displs, MPI_INT, MPI_COMM_WORLD,
     MPI_INFO_NULL, &r[1]);
    for (int round = 0; round < STARTS; round++) {
        fill(&s, false, false, round);
        fill(&t, true, false, round + 1);
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        check(&s, false, round);
        check(&t, true, round + 1);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
}

static void in_place_replaces_what_was_sent(void)
{
    shape s = shape_make(MPI_COMM_WORLD);
    MPI_Request r;

    for (int form = 0; form < 4; form++) {
        bool v = form % 2;
        fill(&s, v, true, form);
        if (form == 0)
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s.recv, COUNT, MPI_INT, s.comm);
        else if (form == 1)
            MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, s.recv, s.from, s.displs,
                          MPI_INT, s.comm);
        else if (form == 2)
            MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s.recv, COUNT, MPI_INT, s.comm, &r);
        else
            MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, s.recv, s.from, s.displs,
                           MPI_INT, s.comm, &r);
        if (form >= 2)
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        check(&s, v, form);
    }
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
static void intercommunicators_work(void)
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

static void errors_have_their_class(void)
{
    int x[MOST] = {0}, y[MOST];
    MPI_Request r = MPI_REQUEST_NULL;

    CHECK_CLASS(MPI_Alltoall(x, -1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoall(x, 1, MPI_INT, y, 1, MPI_DATATYPE_NULL, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Ialltoall(x, -1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD, &r), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoall(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK(r == MPI_REQUEST_NULL);
}

#ifndef OPEN_MPI
static void large_count_forms_work(void)
{
    shape s = shape_make(MPI_COMM_WORLD);
    MPI_Count counts[MOST];
    MPI_Aint displs[MOST];
    MPI_Request r;

    for (int i = 0; i < s.p; i++) {
        counts[i] = s.to[i];
        displs[i] = s.displs[i];
    }
    fill(&s, false, false, 1);
    MPI_Alltoall_c(s.send, COUNT, MPI_INT, s.recv, COUNT, MPI_INT, s.comm);
    check(&s, false, 1);
    fill(&s, true, false, 2);
    MPI_Ialltoallv_c(s.send, counts, displs, MPI_INT, s.recv, counts, displs, MPI_INT, s.comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    check(&s, true, 2);
    MPI_Alltoallv_init_c(s.send, counts, displs, MPI_INT, s.recv, counts, displs, MPI_INT, s.comm,
                         MPI_INFO_NULL, &r);
    for (int round = 0; round < STARTS; round++) {
        fill(&s, true, false, round);
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        check(&s, true, round);
    }
    MPI_Request_free(&r);
}
#endif

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(everybody_gets_its_own),
        MPI_TEST(persistent_requests_send_the_new_contents),
        MPI_TEST(in_place_replaces_what_was_sent),
        MPI_TEST(types_transpose_a_matrix),
        MPI_TEST(intercommunicators_work),
        MPI_TEST(errors_have_their_class),
#ifndef OPEN_MPI
        MPI_TEST(large_count_forms_work),
#endif
    };

    return mpi_test_main(argc, argv, "plain_alltoall", tests, sizeof tests / sizeof *tests);
}
