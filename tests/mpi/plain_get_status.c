/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_get_status.c - an MPI program that knows nothing of Tutti: the calls that ask for statuses
 * of requests and complete none, and those that turn requests into integers, as far as this MPI has
 * them. Run under libtutti_mpi.so.
 *
 *                      last rank      all others
 *   begin              all but LATE   all              LATE is a persistent collective:
 *   ask                LATE inactive  LATE active      it cannot complete yet
 *   go: LATE, OPEN     starts it      get a message
 *   ask, wait, ask     all complete   all complete
 */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4 };

/* The slots of a mixture. Of generalized requests DONE is complete at once, OPEN later. */
enum { NONE, LATE, OPEN, INACTIVE, RECV, SOON, NOTHING, SEND, COLLECTIVE, DONE, INIT, MIXED };

typedef struct mixture {
    MPI_Request r[MIXED], before[MIXED];
    MPI_Status statuses[MIXED];
    int mine, received, *late, *soon, *collective; /* results: [p] */
} mixture;

static bool is_last(void)
{
    return world_rank == world_size - 1;
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 7);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = 8;
    return MPI_SUCCESS;
}

static int ignore(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)complete;
    return ignore(state);
}

static void persistent(int *mine, int *result, MPI_Request *r)
{
    PERSISTENT(Allgather)
    (mine, 1, MPI_INT, result, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, r);
}

static void inits(mixture *m)
{
    size_t bytes = (size_t)world_size * sizeof(int);

    *m = (mixture){.late = malloc(bytes), .soon = malloc(bytes), .collective = malloc(bytes)};
    for (int i = 0; i < MIXED; i++)
        m->r[i] = MPI_REQUEST_NULL;
    persistent(&m->mine, m->late, &m->r[LATE]);
    persistent(&m->mine, m->soon, &m->r[SOON]);
    persistent(&m->mine, m->soon, &m->r[INACTIVE]);
    MPI_Recv_init(&m->received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &m->r[INIT]);
}

static void begin(mixture *m, int round)
{
    int p = world_size, left = (world_rank - 1 + p) % p, right = (world_rank + 1) % p;

    m->mine = 10 * world_rank + round;
    memset(m->statuses, 5, sizeof m->statuses);
    if (!is_last())
        MPI_Start(&m->r[LATE]);
    MPI_Start(&m->r[SOON]);
    MPI_Irecv(&m->received, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &m->r[RECV]);
    MPI_Isend(&m->mine, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &m->r[SEND]);
    MPI_Iallgather(&m->mine, 1, MPI_INT, m->collective, 1, MPI_INT, MPI_COMM_WORLD,
                   &m->r[COLLECTIVE]);
    MPI_Grequest_start(query, ignore, cancel, NULL, &m->r[DONE]);
    MPI_Grequest_complete(m->r[DONE]);
    MPI_Grequest_start(query, ignore, cancel, NULL, &m->r[OPEN]);
    memcpy(m->before, m->r, sizeof m->r);
}

/* From now on all can be complete. The last rank gets a message from the others when they have
 * asked. */
static void go(mixture *m)
{
    int word = 0;

    for (int i = 0; is_last() && i < world_size - 1; i++)
        MPI_Recv(&word, 1, MPI_INT, i, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!is_last())
        MPI_Send(&word, 1, MPI_INT, world_size - 1, 2, MPI_COMM_WORLD);
    else
        MPI_Start(&m->r[LATE]);
    MPI_Grequest_complete(m->r[OPEN]);
}

static void check_status(int i, const MPI_Status *s)
{
    int n = -1;

    if (i == RECV)
        CHECK(s->MPI_SOURCE == (world_rank - 1 + world_size) % world_size && s->MPI_TAG == 1);
    else if (i == DONE || i == OPEN)
        CHECK(s->MPI_SOURCE == 8 && MPI_Get_elements(s, MPI_INT, &n) == MPI_SUCCESS && n == 7);
    else if (i != SEND)
        CHECK(mpi_test_is_empty(s));
}

/* One by one: MPICH 4.0's MPI_Waitall does not stand generalized requests beside null ones. */
static void end(mixture *m, int round)
{
    MPI_Status status;

    for (int i = 0; i < MIXED; i++) {
        CHECK(MPI_Wait(&m->r[i], &status) == MPI_SUCCESS);
        check_status(i, &status);
    }
    for (int i = 0; i < world_size; i++)
        CHECK(m->late[i] == 10 * i + round && m->soon[i] == m->late[i] &&
              m->collective[i] == m->late[i]);
    CHECK(m->received == 10 * ((world_rank - 1 + world_size) % world_size) + round);
}

static void frees(mixture *m)
{
    MPI_Request_free(&m->r[LATE]);
    MPI_Request_free(&m->r[SOON]);
    MPI_Request_free(&m->r[INACTIVE]);
    MPI_Request_free(&m->r[INIT]);
    free(m->late);
    free(m->soon);
    free(m->collective);
}

/* Active and complete before go; the others become so then, or never. */
static bool is_early(int i)
{
    return i == RECV || i == SEND || i == SOON || i == COLLECTIVE || i == DONE;
}

/* ---- one ---- */

static bool get_status(mixture *m, int i)
{
    int flag = -1;

    CHECK(MPI_Request_get_status(m->r[i], &flag, &m->statuses[i]) == MPI_SUCCESS);
    if (flag)
        check_status(i, &m->statuses[i]);
#ifdef TUTTI_HAVE_REQUEST_IS_COMPLETE
    if (flag)
        CHECK(MPIX_Request_is_complete(m->r[i]));
#endif
    return flag;
}

static void asks_for_one(void)
{
    mixture m;

    inits(&m);
    for (int round = 0; round < ROUNDS; round++) {
        begin(&m, round);
        for (int i = 0; i < MIXED; i++)
            while (!get_status(&m, i) && is_early(i))
                ;
        CHECK(get_status(&m, LATE) == is_last() && !get_status(&m, OPEN));
#ifdef TUTTI_HAVE_REQUEST_IS_COMPLETE
        CHECK(!MPIX_Request_is_complete(m.r[LATE]) == !is_last());
#endif
        go(&m);
        for (int i = 0; i < MIXED; i++)
            while (!get_status(&m, i))
                ;
        CHECK(memcmp(m.r, m.before, sizeof m.r) == 0);
        end(&m, round);
    }
    frees(&m);
}

/* ---- several ---- */

#ifdef TUTTI_HAVE_GET_STATUS_MANY

static bool all(int n, MPI_Request r[], MPI_Status *statuses)
{
    int flag = -1;

    CHECK(MPI_Request_get_status_all(n, r, &flag, statuses) == MPI_SUCCESS);
    CHECK(flag == 0 || flag == 1);
    return flag;
}

/* Places of complete ones; MPI_UNDEFINED: none is active. The statuses are right. */
static int some(mixture *m, bool ignored, int seen[MIXED])
{
    MPI_Status *statuses = ignored ? MPI_STATUSES_IGNORE : m->statuses;
    int n = -1, at[MIXED];

    memset(seen, 0, MIXED * sizeof *seen);
    CHECK(MPI_Request_get_status_some(MIXED, m->r, &n, at, statuses) == MPI_SUCCESS);
    for (int k = 0; k < n; k++) {
        CHECK(at[k] >= 0 && at[k] < MIXED && !seen[at[k]]++);
        if (!ignored)
            check_status(at[k], &m->statuses[k]);
    }
    return n;
}

static int any(int n, MPI_Request r[], int *flag, MPI_Status *status)
{
    int index = -1;

    *flag = -1;
    CHECK(MPI_Request_get_status_any(n, r, &index, flag, status) == MPI_SUCCESS);
    return index;
}

/* Until all early ones are complete. The others are not. */
static void ask_before(mixture *m, bool ignored)
{
    MPI_Request rest[] = {m->r[NONE], m->r[LATE], m->r[INACTIVE], m->r[OPEN], m->r[INIT]};
    MPI_Status *statuses = ignored ? MPI_STATUSES_IGNORE : m->statuses, status;
    int seen[MIXED], flag, i, n = 0, at[5];

    while (n < 5) {
        n = some(m, ignored, seen);
        CHECK(n >= 0 && n <= 5);
        for (i = 0; i < MIXED; i++)
            CHECK(!seen[i] || is_early(i));
        CHECK(!all(MIXED, m->r, statuses));
    }
    i = any(MIXED, m->r, &flag, &status);
    CHECK(flag == 1 && i >= 0 && i < MIXED && is_early(i));
    check_status(i, &status);
    CHECK(any(5, rest, &flag, MPI_STATUS_IGNORE) == MPI_UNDEFINED && flag == 0);
    CHECK(MPI_Request_get_status_some(5, rest, &n, at, statuses) == MPI_SUCCESS && n == 0);
    CHECK(!all(5, rest, statuses));
    /* ours alone: inactive on the last rank */
    CHECK(any(2, rest, &flag, &status) == MPI_UNDEFINED && flag == is_last());
    CHECK(!flag || mpi_test_is_empty(&status));
    CHECK(MPI_Request_get_status_some(3, rest, &n, at, statuses) == MPI_SUCCESS);
    CHECK(n == (is_last() ? MPI_UNDEFINED : 0));
    CHECK(all(3, rest, statuses) == is_last());
}

static void ask_after(mixture *m, bool ignored)
{
    MPI_Request ours[] = {m->r[NONE], m->r[INACTIVE], m->r[LATE]};
    int seen[MIXED], flag;
    MPI_Status status;

    while (!all(MIXED, m->r, ignored ? MPI_STATUSES_IGNORE : m->statuses))
        ;
    for (int i = 0; !ignored && i < MIXED; i++)
        check_status(i, &m->statuses[i]);
    CHECK(some(m, ignored, seen) == 7);
    for (int i = 0; i < MIXED; i++)
        CHECK(seen[i] == (is_early(i) || i == LATE || i == OPEN));
    CHECK(any(3, ours, &flag, ignored ? MPI_STATUS_IGNORE : &status) == 2 && flag == 1);
    CHECK(ignored || mpi_test_is_empty(&status));
}

/* Nothing is active in it. */
static void ask_idle(mixture *m)
{
    int seen[MIXED], flag;
    MPI_Status status;

    CHECK(any(MIXED, m->r, &flag, &status) == MPI_UNDEFINED && flag == 1);
    CHECK(mpi_test_is_empty(&status));
    CHECK(some(m, false, seen) == MPI_UNDEFINED);
    memset(m->statuses, 5, sizeof m->statuses);
    CHECK(all(MIXED, m->r, m->statuses));
    for (int i = 0; i < MIXED; i++)
        CHECK(mpi_test_is_empty(&m->statuses[i]));
}

static void asks_for_several(void)
{
    mixture m;

    inits(&m);
    ask_idle(&m);
    for (int round = 0; round < ROUNDS; round++) {
        mpi_test_context("round %d", round);
        begin(&m, round);
        ask_before(&m, round % 2);
        go(&m);
        ask_after(&m, round % 2);
        CHECK(memcmp(m.r, m.before, sizeof m.r) == 0);
        end(&m, round);
        ask_idle(&m);
    }
    frees(&m);
}

static void asks_for_none(void)
{
    MPI_Request none[1] = {MPI_REQUEST_NULL};
    MPI_Status status;
    int flag, n = -1, at[1];
    bool says_zero = mpi_test_is(MPI_FAMILY_OPENMPI, MPI_VERSION_NUMBER(6, 0, 0));

    for (int count = 0; count < 2; count++) {
        mpi_test_context("count %d", count);
        CHECK(all(count, none, &status));
        CHECK(any(count, none, &flag, &status) == MPI_UNDEFINED && flag == 1);
        CHECK(mpi_test_is_empty(&status));
        CHECK(MPI_Request_get_status_some(count, none, &n, at, &status) == MPI_SUCCESS);
        CHECK(n == MPI_UNDEFINED || (says_zero && count == 0 && n == 0));
    }
}

#endif

/* ---- as integers ---- */

static void requests_are_integers_too(void)
{
    mixture m;

    inits(&m);
    begin(&m, 0);
    for (int i = 0; i < MIXED; i++) {
#ifndef TUTTI_MPI_ABI
        CHECK(MPI_Request_f2c(MPI_Request_c2f(m.r[i])) == m.r[i]);
        for (int k = 0; k < i; k++)
            CHECK(m.r[i] == m.r[k] || MPI_Request_c2f(m.r[i]) != MPI_Request_c2f(m.r[k]));
#endif
#ifdef TUTTI_HAVE_REQUEST_TOINT
        CHECK(MPI_Request_fromint(MPI_Request_toint(m.r[i])) == m.r[i]);
        for (int k = 0; k < i; k++)
            CHECK(m.r[i] == m.r[k] || MPI_Request_toint(m.r[i]) != MPI_Request_toint(m.r[k]));
#endif
    }
    go(&m);
    end(&m, 0);
    frees(&m);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(asks_for_one),
#ifdef TUTTI_HAVE_GET_STATUS_MANY
        MPI_TEST(asks_for_several),
        MPI_TEST(asks_for_none),
#endif
        MPI_TEST(requests_are_integers_too),
    };

    return mpi_test_main(argc, argv, "plain_get_status", tests, sizeof tests / sizeof *tests);
}
