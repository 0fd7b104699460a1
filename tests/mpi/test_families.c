/* SPDX-License-Identifier: BSD-3-Clause */
/* test_families.c - the calls on persistent requests: MPIX_Start and Startall, Wait, Test and their
 * families, Start_native.
 */
#include "mpi/calls.h"

#include <stdlib.h>
#include <string.h>

enum { N = 8 }; /* requests */

typedef struct family {
    int mine[N], *all[N];
    MPIX_Request requests[N + 1]; /* the last one is null */
} family;

static void family_open(family *f)
{
    for (int i = 0; i < N; i++) {
        f->all[i] = calloc((size_t)world_size, sizeof(int));
        call_args a = calls_ints(&f->mine[i], 1, f->all[i], MPI_COMM_WORLD);
        CHECK(calls_init(calls_find(COLL_allgather, i, world_size), false, &a, MPI_INFO_NULL,
                         &f->requests[i]) == MPI_SUCCESS);
    }
    f->requests[N] = MPIX_REQUEST_NULL;
}

static void family_close(family *f)
{
    for (int i = 0; i < N; i++) {
        CHECK(MPIX_Request_free(&f->requests[i]) == MPI_SUCCESS);
        free(f->all[i]);
    }
}

static void family_fill(family *f, int round)
{
    for (int i = 0; i < N; i++) {
        f->mine[i] = world_rank + i * 1000 + round * 100000;
        memset(f->all[i], 0x7f, (size_t)world_size * sizeof(int));
    }
}

static void family_check(const family *f, int round)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < world_size; k++)
            CHECK(f->all[i][k] == k + i * 1000 + round * 100000);
}

static void complete_persistent(MPIX_Request r[], int way)
{
    int index = 0, flag = 0, n = 0, sum = 0, indices[N + 1];
    MPI_Status statuses[N + 1];

    switch (way % 8) {
    case 0:
        CHECK(MPIX_Waitall(N + 1, r, statuses) == MPI_SUCCESS);
        break;
    case 1:
        for (int i = N; i >= 0; i--)
            CHECK(MPIX_Wait(&r[i], &statuses[i]) == MPI_SUCCESS);
        break;
    case 2:
        for (; index != MPI_UNDEFINED; n++)
            CHECK(MPIX_Waitany(N + 1, r, &index, statuses) == MPI_SUCCESS);
        CHECK(n == N + 1);
        break;
    case 3:
        for (; n != MPI_UNDEFINED; sum += n > 0 ? n : 0)
            CHECK(MPIX_Waitsome(N + 1, r, &n, indices, statuses) == MPI_SUCCESS);
        CHECK(sum == N);
        break;
    case 4:
        while (!flag)
            CHECK(MPIX_Testall(N + 1, r, &flag, statuses) == MPI_SUCCESS);
        break;
    case 5:
        while (!flag || index != MPI_UNDEFINED)
            CHECK(MPIX_Testany(N + 1, r, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        break;
    case 6:
        while (n != MPI_UNDEFINED)
            CHECK(MPIX_Testsome(N + 1, r, &n, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        break;
    default:
        for (int i = 0; i <= N; i++)
            for (flag = 0; !flag;)
                CHECK(MPIX_Test(&r[i], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
}

/* Started one by one in an order of each rank's own, or all at once. */
static void persistent_requests_start_and_complete_in_any_order(void)
{
    family f;

    family_open(&f);
    for (int round = 0; round < 16; round++) {
        mpi_test_context("round %d", round);
        family_fill(&f, round);
        if (round % 3 == 0)
            CHECK(MPIX_Startall(N, f.requests) == MPI_SUCCESS);
        else
            for (int i = 0; i < N; i++)
                CHECK(MPIX_Start(&f.requests[(i * 3 + world_rank * 5) % N]) == MPI_SUCCESS);
        complete_persistent(f.requests, round < 8 ? round : round + world_rank);
        family_check(&f, round);
    }
    family_close(&f);
}

static void a_native_start_joins_native_requests(void)
{
    family f;
    MPI_Request native[N + 2];
    int left = (world_rank - 1 + world_size) % world_size, right = (world_rank + 1) % world_size;
    int in = -1, flag;

    family_open(&f);
    for (int round = 0; round < 4; round++) {
        family_fill(&f, round);
        for (int i = 0; i < N; i++)
            CHECK(MPIX_Start_native(&f.requests[(i + world_rank) % N], &native[i]) == MPI_SUCCESS);
        CHECK_CLASS(MPIX_Wait(&f.requests[0], MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        CHECK_CLASS(MPIX_Test(&f.requests[0], &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        CHECK_CLASS(MPIX_Request_free(&f.requests[0]), MPI_ERR_REQUEST);
        MPI_Irecv(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &native[N]);
        MPI_Isend(&world_rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &native[N + 1]);
        CHECK(MPI_Waitall(N + 2, native, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        family_check(&f, round);
        CHECK(in == left);
        family_fill(&f, round + 50); /* and the ordinary way again */
        CHECK(MPIX_Startall(N, f.requests) == MPI_SUCCESS);
        CHECK(MPIX_Waitall(N, f.requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        family_check(&f, round + 50);
    }
    family_close(&f);
}

static void null_and_inactive_requests_are_complete(void)
{
    MPIX_Request r[2] = {MPIX_REQUEST_NULL, MPIX_REQUEST_NULL};
    int *all = calloc((size_t)world_size, sizeof *all), flag = 0, index = 0, n = 0, indices[2];
    MPI_Status status = {0};

    MPIX_Allgather_ring_init(&world_rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD,
                             MPI_INFO_NULL, &r[1]);
    for (int i = 0; i < 2; i++) {
        CHECK(MPIX_Wait(&r[i], &status) == MPI_SUCCESS);
        CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
        CHECK(MPIX_Test(&r[i], &flag, &status) == MPI_SUCCESS && flag);
    }
    CHECK(MPIX_Waitall(2, r, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(MPIX_Waitany(2, r, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED);
    CHECK(MPIX_Waitsome(2, r, &n, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS &&
          n == MPI_UNDEFINED);
    CHECK(MPIX_Testall(2, r, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && flag);
    CHECK(MPIX_Testany(2, r, &index, &flag, &status) == MPI_SUCCESS && flag &&
          index == MPI_UNDEFINED);
    CHECK(MPIX_Waitall(0, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    MPIX_Request_free(&r[1]);
    free(all);
}

/* Init alone sends nothing that a later start could meet: rounds of start without any other
 * synchronization, one rank always ahead of the others. */
static void starts_of_one_request_do_not_mix(void)
{
    enum { WORDS = 3000 };
    int *mine = calloc(WORDS, sizeof *mine);
    int *all = malloc((size_t)world_size * WORDS * sizeof *all);
    MPIX_Request r;

    CHECK(MPIX_Allgather_auto_init(mine, WORDS, MPI_INT, all, WORDS, MPI_INT, MPI_COMM_WORLD,
                                   MPI_INFO_NULL, &r) == MPI_SUCCESS);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < WORDS; i++)
            mine[i] = world_rank * 1000 + round;
        CHECK(MPIX_Start(&r) == MPI_SUCCESS && MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int k = 0; k < world_size; k++)
            CHECK(all[k * WORDS] == k * 1000 + round &&
                  all[k * WORDS + WORDS - 1] == all[k * WORDS]);
    }
    MPIX_Request_free(&r);
    free(all);
    free(mine);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(persistent_requests_start_and_complete_in_any_order),
        MPI_TEST(a_native_start_joins_native_requests),
        MPI_TEST(null_and_inactive_requests_are_complete),
        MPI_TEST(starts_of_one_request_do_not_mix),
    };

    return mpi_test_main(argc, argv, "families", tests, sizeof tests / sizeof *tests);
}
