/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_requests.c - an MPI program that knows nothing of Tutti: every call that completes
 * requests, on mixtures of persistent and non-blocking collectives, persistent and plain messages,
 * generalized, inactive and null requests. Run under libtutti_mpi.so.
 */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4 };

/* The slots of a mixture. */
enum {
    NULLS,
    PERSISTENT_A,
    RECV_INIT,
    INACTIVE,
    COLLECTIVE,
    IRECV,
    PERSISTENT_B,
    SEND_INIT,
    ISEND,
    MIXED
};

typedef struct mixture {
    MPI_Request r[MIXED];
    MPI_Status statuses[MIXED];
    int mine, *a, *b, *c; /* [p]: results of A, B and the non-blocking one */
    int from_left[2], to_right;
} mixture;

static void inits(mixture *m)
{
    int p = world_size, left = (world_rank - 1 + p) % p, right = (world_rank + 1) % p;

    m->a = malloc((size_t)p * sizeof(int));
    m->b = malloc((size_t)p * sizeof(int));
    m->c = malloc((size_t)p * sizeof(int));
    m->r[NULLS] = MPI_REQUEST_NULL;
    PERSISTENT(Allgather)
    (&m->mine, 1, MPI_INT, m->a, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &m->r[PERSISTENT_A]);
    PERSISTENT(Allgather)
    (&m->mine, 1, MPI_INT, m->b, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &m->r[PERSISTENT_B]);
    PERSISTENT(Allgather)
    (&m->mine, 1, MPI_INT, m->b, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &m->r[INACTIVE]);
    MPI_Recv_init(&m->from_left[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &m->r[RECV_INIT]);
    MPI_Send_init(&m->to_right, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &m->r[SEND_INIT]);
}

/* Start everything but INACTIVE; with Startall or one by one. */
static void starts(mixture *m, int round)
{
    int p = world_size, left = (world_rank - 1 + p) % p, right = (world_rank + 1) % p;
    MPI_Request some[4] = {m->r[PERSISTENT_A], m->r[RECV_INIT], m->r[SEND_INIT],
                           m->r[PERSISTENT_B]};

    m->mine = world_rank * 10 + round;
    m->to_right = world_rank * 10 + round + 5;
    memset(m->a, -1, (size_t)p * sizeof(int));
    memset(m->b, -1, (size_t)p * sizeof(int));
    memset(m->c, -1, (size_t)p * sizeof(int));
    memset(m->from_left, -1, sizeof m->from_left);
    memset(m->statuses, 5, sizeof m->statuses);
    if (round % 2) {
        CHECK(MPI_Startall(4, some) == MPI_SUCCESS);
    } else {
        for (int i = 3; i >= 0; i--)
            CHECK(MPI_Start(&some[i]) == MPI_SUCCESS);
    }
    MPI_Iallgather(&m->mine, 1, MPI_INT, m->c, 1, MPI_INT, MPI_COMM_WORLD, &m->r[COLLECTIVE]);
    MPI_Irecv(&m->from_left[1], 1, MPI_INT, left, 2, MPI_COMM_WORLD, &m->r[IRECV]);
    MPI_Isend(&m->to_right, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &m->r[ISEND]);
}

static void check_data(const mixture *m, int round)
{
    int left = (world_rank - 1 + world_size) % world_size;

    for (int i = 0; i < world_size; i++)
        CHECK(m->a[i] == i * 10 + round && m->b[i] == i * 10 + round && m->c[i] == i * 10 + round);
    CHECK(m->from_left[0] == left * 10 + round + 5 && m->from_left[1] == m->from_left[0]);
    for (int i = 0; i < MIXED; i++) {
        bool stays = i == PERSISTENT_A || i == PERSISTENT_B || i == INACTIVE || i == RECV_INIT ||
                     i == SEND_INIT;
        CHECK((m->r[i] != MPI_REQUEST_NULL) == stays);
    }
}

static void check_status(int i, const MPI_Status *s)
{
    int left = (world_rank - 1 + world_size) % world_size;

    if (i == RECV_INIT || i == IRECV)
        CHECK(s->MPI_SOURCE == left && s->MPI_TAG == (i == IRECV ? 2 : 1));
    else if (i != SEND_INIT && i != ISEND) /* of a send only the cancellation is defined */
        CHECK(mpi_test_is_empty(s));
}

static void frees(mixture *m)
{
    static const int persistent[] = {PERSISTENT_A, PERSISTENT_B, INACTIVE, RECV_INIT, SEND_INIT};

    for (size_t i = 0; i < sizeof persistent / sizeof *persistent; i++) {
        CHECK(MPI_Request_free(&m->r[persistent[i]]) == MPI_SUCCESS);
        CHECK(m->r[persistent[i]] == MPI_REQUEST_NULL);
    }
    free(m->a);
    free(m->b);
    free(m->c);
}

/* Run `complete` on a started mixture, several rounds, and check what it leaves. */
static void rounds(void (*complete)(mixture *m, int round))
{
    mixture m;

    inits(&m);
    for (int round = 0; round < ROUNDS; round++) {
        mpi_test_context("round %d", round);
        starts(&m, round);
        complete(&m, round);
        check_data(&m, round);
    }
    frees(&m);
}

/* ---- all ---- */

static void check_statuses(const mixture *m)
{
    for (int i = 0; i < MIXED; i++)
        check_status(i, &m->statuses[i]);
}

static void by_waitall(mixture *m, int round)
{
    bool ignore = round % 2;

    CHECK(MPI_Waitall(MIXED, m->r, ignore ? MPI_STATUSES_IGNORE : m->statuses) == MPI_SUCCESS);
    if (!ignore)
        check_statuses(m);
}

static void waitall_completes_a_mixture(void)
{
    rounds(by_waitall);
}

/* All or none: as long as one is open none may be completed. */
static void by_testall(mixture *m, int round)
{
    bool ignore = round % 2;

    for (int flag = 0; !flag;) {
        CHECK(MPI_Testall(MIXED, m->r, &flag, ignore ? MPI_STATUSES_IGNORE : m->statuses) ==
              MPI_SUCCESS);
        CHECK(flag || m->r[IRECV] != MPI_REQUEST_NULL);
    }
    if (!ignore)
        check_statuses(m);
}

static void testall_completes_a_mixture(void)
{
    rounds(by_testall);
}

/* ---- any ---- */

static void by_waitany(mixture *m, int round)
{
    int seen[MIXED] = {0}, index;
    MPI_Status status;

    (void)round;
    for (int k = 0; k < MIXED - 2; k++) { /* but the null and the inactive one */
        CHECK(MPI_Waitany(MIXED, m->r, &index, &status) == MPI_SUCCESS);
        CHECK(index >= 0 && index < MIXED && !seen[index]++);
        if (index >= 0 && index < MIXED)
            check_status(index, &status);
    }
    CHECK(!seen[NULLS] && !seen[INACTIVE]);
    CHECK(MPI_Waitany(MIXED, m->r, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED);
    CHECK(mpi_test_is_empty(&status));
}

static void waitany_completes_each_once(void)
{
    rounds(by_waitany);
}

static void by_testany(mixture *m, int round)
{
    int seen[MIXED] = {0}, index = -1, flag, n = 0;
    MPI_Status status;

    (void)round;
    while (index != MPI_UNDEFINED || n == 0) {
        CHECK(MPI_Testany(MIXED, m->r, &index, &flag, &status) == MPI_SUCCESS);
        if (!flag) {
            CHECK(index == MPI_UNDEFINED);
            index = -1;
        } else if (index != MPI_UNDEFINED) {
            CHECK(!seen[index]++);
            check_status(index, &status);
            n++;
        }
    }
    CHECK(n == MIXED - 2 && mpi_test_is_empty(&status));
}

static void testany_completes_each_once(void)
{
    rounds(by_testany);
}

/* ---- some ---- */

static void by_some(mixture *m, int round, bool wait)
{
    int seen[MIXED] = {0}, indices[MIXED], n = 0, total = 0;
    bool ignore = round % 2;

    while (n != MPI_UNDEFINED) {
        MPI_Status *statuses = ignore ? MPI_STATUSES_IGNORE : m->statuses;
        if (wait)
            CHECK(MPI_Waitsome(MIXED, m->r, &n, indices, statuses) == MPI_SUCCESS && n != 0);
        else
            CHECK(MPI_Testsome(MIXED, m->r, &n, indices, statuses) == MPI_SUCCESS);
        for (int k = 0; k < n; k++) {
            CHECK(indices[k] >= 0 && indices[k] < MIXED && !seen[indices[k]]++);
            if (!ignore)
                check_status(indices[k], &m->statuses[k]);
            total++;
        }
    }
    CHECK(total == MIXED - 2);
}

static void by_waitsome(mixture *m, int round)
{
    by_some(m, round, true);
}

static void waitsome_completes_each_once(void)
{
    rounds(by_waitsome);
}

static void by_testsome(mixture *m, int round)
{
    by_some(m, round, false);
}

static void testsome_completes_each_once(void)
{
    rounds(by_testsome);
}

/* ---- one ---- */

static void by_wait(mixture *m, int round)
{
    for (int i = 0; i < MIXED; i++) {
        int at = (i * 5 + world_rank * 2 + round) % MIXED; /* another order on every rank */
        CHECK(MPI_Wait(&m->r[at], &m->statuses[at]) == MPI_SUCCESS);
        check_status(at, &m->statuses[at]);
    }
}

static void wait_completes_one_in_any_order(void)
{
    rounds(by_wait);
}

static void by_test(mixture *m, int round)
{
    int open = MIXED, done[MIXED] = {0};

    (void)round;
    while (open > 0)
        for (int i = 0; i < MIXED; i++) {
            if (done[i])
                continue;
            CHECK(MPI_Test(&m->r[i], &done[i], &m->statuses[i]) == MPI_SUCCESS);
            if (done[i]) {
                open--;
                check_status(i, &m->statuses[i]);
            }
        }
}

static void test_completes_one(void)
{
    rounds(by_test);
}

static void by_get_status(mixture *m, int round)
{
    /* natively, too, the status of a persistent receive is empty then when it is waited for */
    bool loses_status = mpi_test_is(MPI_FAMILY_MPICH, MPI_VERSION_NUMBER(4, 2, 1));

    for (int i = 0; i < MIXED; i++) {
        MPI_Request before = m->r[i];
        if (i == RECV_INIT && loses_status)
            continue;
        for (int flag = 0; !flag;)
            CHECK(MPI_Request_get_status(m->r[i], &flag, &m->statuses[i]) == MPI_SUCCESS);
        CHECK(m->r[i] == before);
        check_status(i, &m->statuses[i]);
    }
    by_waitall(m, round); /* they were not completed */
}

static void get_status_tells_and_changes_nothing(void)
{
    rounds(by_get_status);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(waitall_completes_a_mixture),          MPI_TEST(testall_completes_a_mixture),
        MPI_TEST(waitany_completes_each_once),          MPI_TEST(testany_completes_each_once),
        MPI_TEST(waitsome_completes_each_once),         MPI_TEST(testsome_completes_each_once),
        MPI_TEST(wait_completes_one_in_any_order),      MPI_TEST(test_completes_one),
        MPI_TEST(get_status_tells_and_changes_nothing),
    };

    return mpi_test_main(argc, argv, "plain_requests", tests, sizeof tests / sizeof *tests);
}
