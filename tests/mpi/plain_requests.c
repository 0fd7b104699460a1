/* plain_requests.c - an MPI program that knows nothing of Tutti: every call that completes
 * requests, on mixtures of persistent and non-blocking collectives, persistent and plain messages,
 * generalized, inactive and null requests. Run under libtutti_mpi.so.
 */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4 };

/* The places of a mixture. */
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

static bool is_empty(const MPI_Status *status)
{
    MPI_Status s = *status;
    int count = -1, cancelled = -1;

    MPI_Get_count(&s, MPI_INT, &count);
    MPI_Test_cancelled(&s, &cancelled);
    return s.MPI_SOURCE == MPI_ANY_SOURCE && s.MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled;
}

static void check_status(int i, const MPI_Status *s)
{
    int left = (world_rank - 1 + world_size) % world_size;

    if (i == RECV_INIT || i == IRECV)
        CHECK(s->MPI_SOURCE == left && s->MPI_TAG == (i == IRECV ? 2 : 1));
    else if (i != SEND_INIT && i != ISEND) /* of a send only the cancellation is defined */
        CHECK(is_empty(s));
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

/* Rank 0 holds its message back until everybody has seen that the collectives alone are not all. */
static void testall_completes_nothing_while_a_message_is_open(void)
{
    int p = world_size, mine = world_rank, x = -1, flag = 1, *all = malloc((size_t)p * sizeof *all);
    MPI_Request r[2];

    PERSISTENT(Allgather)(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Start(&r[0]);
    MPI_Irecv(&x, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &r[1]);
    for (int done = 0; !done;) { /* the collective is complete, but still active */
        MPI_Request_get_status(r[0], &done, MPI_STATUS_IGNORE);
        MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
        CHECK(!flag);
    }
    MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    CHECK(!flag);
    CHECK_CLASS(MPI_Start(&r[0]), MPI_ERR_REQUEST); /* active: it was not completed */
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; world_rank == 0 && i < p; i++)
        MPI_Send(&i, 1, MPI_INT, i, 9, MPI_COMM_WORLD);
    CHECK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS && x == world_rank);
    MPI_Request_free(&r[0]);
    free(all);
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
    CHECK(is_empty(&status));
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
    CHECK(n == MIXED - 2 && is_empty(&status));
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
    for (int i = 0; i < MIXED; i++) {
        MPI_Request before = m->r[i];
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

/* ---- inactive and null, alone ---- */

static void inactive_requests_count_as_complete(void)
{
    int x = 0, *all = malloc((size_t)world_size * sizeof *all), flag = 0, index = 0, n = 0,
        indices[2];
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status s, two[2];

    PERSISTENT(Allgather)(&x, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    CHECK(MPI_Wait(&r[0], &s) == MPI_SUCCESS && is_empty(&s)); /* hangs natively on MPICH 4.0.2 */
    CHECK(MPI_Test(&r[0], &flag, &s) == MPI_SUCCESS && flag && is_empty(&s));
    CHECK(MPI_Waitall(2, r, two) == MPI_SUCCESS && is_empty(&two[0]) && is_empty(&two[1]));
    CHECK(MPI_Testall(2, r, &flag, two) == MPI_SUCCESS && flag);
    CHECK(MPI_Waitany(2, r, &index, &s) == MPI_SUCCESS && index == MPI_UNDEFINED && is_empty(&s));
    CHECK(MPI_Testany(2, r, &index, &flag, &s) == MPI_SUCCESS && flag && index == MPI_UNDEFINED);
    CHECK(MPI_Waitsome(2, r, &n, indices, two) == MPI_SUCCESS && n == MPI_UNDEFINED);
    CHECK(MPI_Testsome(2, r, &n, indices, two) == MPI_SUCCESS && n == MPI_UNDEFINED);
    CHECK(MPI_Request_get_status(r[0], &flag, &s) == MPI_SUCCESS && flag && is_empty(&s));
    CHECK(r[0] != MPI_REQUEST_NULL);
    CHECK(MPI_Request_free(&r[0]) == MPI_SUCCESS && r[0] == MPI_REQUEST_NULL);
    CHECK(MPI_Waitall(2, r, two) == MPI_SUCCESS); /* natively */
    CHECK(MPI_Waitall(0, NULL, two) == MPI_SUCCESS);
    CHECK(MPI_Startall(0, r) == MPI_SUCCESS);
    free(all);
}

/* ---- misuse ---- */

static void misuse_is_refused_and_harmless(void)
{
    int x = world_rank, *all = malloc((size_t)world_size * sizeof *all);
    MPI_Request r, copy;

    PERSISTENT(Allgather)(&x, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    CHECK_CLASS(MPI_Cancel(&r), MPI_ERR_REQUEST);
    for (int round = 0; round < 3; round++) {
        x = world_rank + round;
        CHECK(MPI_Start(&r) == MPI_SUCCESS);
        copy = r;
        CHECK_CLASS(MPI_Start(&copy), MPI_ERR_REQUEST);
        CHECK_CLASS(MPI_Startall(1, &copy), MPI_ERR_REQUEST);
        CHECK_CLASS(MPI_Request_free(&copy), MPI_ERR_REQUEST);
        CHECK_CLASS(MPI_Cancel(&copy), MPI_ERR_REQUEST);
        CHECK(copy == r);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < world_size; i++)
            CHECK(all[i] == i + round);
    }
    copy = r;
    CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
    CHECK_CLASS(MPI_Start(&copy), MPI_ERR_REQUEST); /* a handle that is no more */
    free(all);
}

/* A handle goes to Fortran and back. */
static void fortran_handles_are_the_same_request(void)
{
    int x = world_rank, *all = malloc((size_t)world_size * sizeof *all);
    MPI_Request r, native, again;

    PERSISTENT(Allgather)(&x, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    MPI_Recv_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &native);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(r)) == r);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(native)) == native);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    again = MPI_Request_f2c(MPI_Request_c2f(r));
    MPI_Start(&again);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    MPI_Request_free(&r);
    MPI_Request_free(&native);
    free(all);
}

/* ---- generalized requests of the program's own ---- */

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int no_cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void generalized_requests_of_the_program_mix_with_ours(void)
{
    int x = world_rank, *all = malloc((size_t)world_size * sizeof *all), elements = 3, count = 0;
    MPI_Request r[2];
    MPI_Status s[2];

    PERSISTENT(Allgather)(&x, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Grequest_start(query, nothing, no_cancel, &elements, &r[1]);
    MPI_Start(&r[0]);
    MPI_Grequest_complete(r[1]);
    CHECK(MPI_Waitall(2, r, s) == MPI_SUCCESS);
    MPI_Get_elements(&s[1], MPI_INT, &count);
    CHECK(count == 3 && r[1] == MPI_REQUEST_NULL && is_empty(&s[0]));
    MPI_Request_free(&r[0]);
    free(all);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(waitall_completes_a_mixture),
        MPI_TEST(testall_completes_a_mixture),
        MPI_TEST(testall_completes_nothing_while_a_message_is_open),
        MPI_TEST(waitany_completes_each_once),
        MPI_TEST(testany_completes_each_once),
        MPI_TEST(waitsome_completes_each_once),
        MPI_TEST(testsome_completes_each_once),
        MPI_TEST(wait_completes_one_in_any_order),
        MPI_TEST(test_completes_one),
        MPI_TEST(get_status_tells_and_changes_nothing),
        MPI_TEST(inactive_requests_count_as_complete),
        MPI_TEST(misuse_is_refused_and_harmless),
        MPI_TEST(fortran_handles_are_the_same_request),
        MPI_TEST(generalized_requests_of_the_program_mix_with_ours),
    };

    return mpi_test_main(argc, argv, "plain_requests", tests, sizeof tests / sizeof *tests);
}
