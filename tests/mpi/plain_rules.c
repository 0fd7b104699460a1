/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_rules.c - an MPI program that knows nothing of Tutti: what MPI says of inactive, null,
 * misused and freed requests, of Testall, of Fortran handles and of generalized requests. Run under
 * libtutti_mpi.so.
 */
#include "mpi/mpi_test.h"
#include "mpi/plain.h"

#include <stdlib.h>

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

/* ---- inactive and null, alone ---- */

static void inactive_requests_count_as_complete(void)
{
    int x = 0, *all = malloc((size_t)world_size * sizeof *all), flag = 0, index = 0, n = 0,
        indices[2];
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status s, two[2];

    PERSISTENT(Allgather)(&x, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    CHECK(MPI_Wait(&r[0], &s) == MPI_SUCCESS &&
          mpi_test_is_empty(&s)); /* hangs natively on MPICH 4.0.2 */
    CHECK(MPI_Test(&r[0], &flag, &s) == MPI_SUCCESS && flag && mpi_test_is_empty(&s));
    CHECK(MPI_Waitall(2, r, two) == MPI_SUCCESS && mpi_test_is_empty(&two[0]) &&
          mpi_test_is_empty(&two[1]));
    CHECK(MPI_Testall(2, r, &flag, two) == MPI_SUCCESS && flag);
    CHECK(MPI_Waitany(2, r, &index, &s) == MPI_SUCCESS && index == MPI_UNDEFINED &&
          mpi_test_is_empty(&s));
    CHECK(MPI_Testany(2, r, &index, &flag, &s) == MPI_SUCCESS && flag && index == MPI_UNDEFINED);
    CHECK(MPI_Waitsome(2, r, &n, indices, two) == MPI_SUCCESS && n == MPI_UNDEFINED);
    CHECK(MPI_Testsome(2, r, &n, indices, two) == MPI_SUCCESS && n == MPI_UNDEFINED);
    CHECK(MPI_Request_get_status(r[0], &flag, &s) == MPI_SUCCESS && flag && mpi_test_is_empty(&s));
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

#if MPI_VERSION >= 5
#define TO_INTEGER(r)   MPI_Request_toint(r)
#define FROM_INTEGER(n) MPI_Request_fromint(n)
#else
#define TO_INTEGER(r)   MPI_Request_c2f(r)
#define FROM_INTEGER(n) MPI_Request_f2c(n)
#endif

/* A handle goes to Fortran, or to another language, and back. */
static void handles_as_integers_are_the_same_request(void)
{
    int x = world_rank, *all = malloc((size_t)world_size * sizeof *all);
    MPI_Request r, native, again;

    PERSISTENT(Allgather)(&x, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    MPI_Recv_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &native);
    CHECK(FROM_INTEGER(TO_INTEGER(r)) == r);
    CHECK(FROM_INTEGER(TO_INTEGER(native)) == native);
    CHECK(FROM_INTEGER(TO_INTEGER(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
#ifndef TUTTI_MPI_ABI
    CHECK(MPI_Request_f2c(MPI_Request_c2f(r)) == r);
#endif
    again = FROM_INTEGER(TO_INTEGER(r));
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
    CHECK(count == 3 && r[1] == MPI_REQUEST_NULL && mpi_test_is_empty(&s[0]));
    MPI_Request_free(&r[0]);
    free(all);
}

/* ---- errors ---- */

static int query_and_fail(void *state, MPI_Status *status)
{
    query(state, status);
    return MPI_ERR_NO_SPACE;
}

static void start_with_one_that_fails(MPI_Request r[3], int *x)
{
    static int elements = 1;

    MPI_Grequest_start(query_and_fail, nothing, no_cancel, &elements, &r[1]);
    MPI_Grequest_complete(r[1]);
    MPI_Isend(x, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_SELF, &r[2]);
    MPI_Start(&r[0]);
}

static void the_error_of_one_request_is_its_own(void)
{
    int x = world_rank, *all = malloc((size_t)world_size * sizeof *all), n, indices[3], seen = 0;
    MPI_Request r[3];
    MPI_Status s[3];
    /* natively, too, MPI_Waitsome says MPI_ERR_IN_STATUS, and there is no error in any */
    bool loses_errors = mpi_test_is(MPI_FAMILY_MPICH, MPI_VERSION_NUMBER(4, 2, 1));

    PERSISTENT(Allgather)(&x, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    start_with_one_that_fails(r, &x);
    for (int i = 0; i < 3; i++)
        s[i].MPI_ERROR = -1;
    CHECK_CLASS(MPI_Waitall(3, r, s), MPI_ERR_IN_STATUS);
    CHECK(s[0].MPI_ERROR == MPI_SUCCESS && s[2].MPI_ERROR == MPI_SUCCESS);
    CHECK(s[1].MPI_ERROR > MPI_SUCCESS); /* MPICH makes another class of it */
    start_with_one_that_fails(r, &x);
    while (seen < 3) {
        int error = MPI_Waitsome(3, r, &n, indices, s);
        for (int k = 0; error && k < n && !loses_errors; k++)
            CHECK((s[k].MPI_ERROR > MPI_SUCCESS) == (indices[k] == 1));
        CHECK(n > 0);
        seen += n > 0 ? n : 3;
    }
    for (int i = 0; i < world_size; i++)
        CHECK(all[i] == i);
    MPI_Request_free(&r[0]);
    free(all);
}

/* How often a way of completing them has written an error, though there is none. */
static int errors_written(int way, MPI_Request r[2])
{
    enum { NONE = -77 };
    int written = 0, flag = 0, n, index, indices[2];
    MPI_Status s[2];

    MPI_Startall(2, r);
    for (int left = 2; left > 0; left -= n) {
        s[0].MPI_ERROR = s[1].MPI_ERROR = NONE;
        n = 1;
        if (way == 0) {
            MPI_Wait(&r[left - 1], s);
        } else if (way == 1) {
            while (!flag)
                MPI_Test(&r[left - 1], &flag, s);
            flag = 0;
        } else if (way == 2) {
            MPI_Waitany(2, r, &index, s);
        } else if (way == 3) {
            MPI_Waitsome(2, r, &n, indices, s);
        } else if (way == 4) {
            while (!flag)
                MPI_Testall(2, r, &flag, s);
            n = 2;
        } else {
            MPI_Waitall(2, r, s);
            n = 2;
        }
        written += (s[0].MPI_ERROR != NONE) + (s[1].MPI_ERROR != NONE);
    }
    return written;
}

/* MPI_ERROR is written with MPI_ERR_IN_STATUS alone. */
static void errors_that_are_none_are_not_written(void)
{
    int x = world_rank, *all = malloc(2 * (size_t)world_size * sizeof *all);
    MPI_Request r[2];

    for (int i = 0; i < 2; i++)
        PERSISTENT(Allgather)
    (&x, 1, MPI_INT, all + i * world_size, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[i]);
    for (int way = 0; way < 6; way++)
        CHECK(errors_written(way, r) == 0);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    free(all);
}

/* The other rank sends more than this one takes: an error of ours beside a native request without
 * one. */
static void the_error_of_a_collective_is_its_own(void)
{
    int mine[2] = {1, 2}, all[4], me = world_rank, other = 1 - me;
    int counts[2] = {1, 1}, displs[2] = {0, 2};
    MPI_Request r[2];
    MPI_Status s[2];

    if (world_size != 2)
        return;
    counts[me] = 2;
    PERSISTENT(Allgatherv)
    (mine, 2, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    for (int some = 0; some < 2; some++) {
        MPI_Isend(mine, 1, MPI_INT, MPI_PROC_NULL, other, MPI_COMM_SELF, &r[1]);
        MPI_Start(&r[0]);
        s[0].MPI_ERROR = s[1].MPI_ERROR = -1;
        if (some) {
            int n, indices[2], left = 2;
            while (left > 0) {
                int error = MPI_Waitsome(2, r, &n, indices, s);
                for (int k = 0; error && k < n; k++)
                    CHECK((s[k].MPI_ERROR > MPI_SUCCESS) == (indices[k] == 0));
                left -= n > 0 ? n : 2;
            }
        } else {
            CHECK_CLASS(MPI_Waitall(2, r, s), MPI_ERR_IN_STATUS);
            CHECK(mpi_test_class(s[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
            CHECK(s[1].MPI_ERROR == MPI_SUCCESS);
        }
    }
    MPI_Request_free(&r[0]);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(testall_completes_nothing_while_a_message_is_open),
        MPI_TEST(inactive_requests_count_as_complete),
        MPI_TEST(misuse_is_refused_and_harmless),
        MPI_TEST(handles_as_integers_are_the_same_request),
        MPI_TEST(generalized_requests_of_the_program_mix_with_ours),
        MPI_TEST(the_error_of_one_request_is_its_own),
        MPI_TEST(the_error_of_a_collective_is_its_own),
        MPI_TEST(errors_that_are_none_are_not_written),
    };

    return mpi_test_main(argc, argv, "plain_rules", tests, sizeof tests / sizeof *tests);
}
