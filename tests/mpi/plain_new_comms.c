/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_new_comms.c - communicators that are made, used a little, and freed. libtutti_mpi.so leaves
 * their first calls to the MPI, and must do so on all ranks, whatever comes between. */
#include "mpi/mpi_test.h"

#include <stdlib.h>

enum { CALLS = 12 };

/* The k-th call: of all kinds, of which some are never left to this MPI or that. */
static void call(MPI_Comm comm, int p, int me, int k, int *all)
{
    int mine = 100 * me + k, sum = 0, root = k % p, one = me == root ? mine : -1;

    switch (k % 6) {
    case 0:
        CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
        CHECK(sum == 100 * (p * (p - 1) / 2) + p * k);
        break;
    case 1:
        CHECK(MPI_Bcast(&one, 1, MPI_INT, root, comm) == MPI_SUCCESS);
        CHECK(one == 100 * root + k);
        break;
    case 2:
        CHECK(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm) == MPI_SUCCESS);
        for (int i = 0; i < p; i++)
            CHECK(all[i] == 100 * i + k);
        break;
    case 3:
        CHECK(MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, comm) == MPI_SUCCESS);
        for (int i = 0; i < p && me == root; i++)
            CHECK(all[i] == 100 * i + k);
        break;
    case 4:
        CHECK(MPI_Exscan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
        CHECK(me == 0 || sum == 100 * (me * (me - 1) / 2) + me * k);
        break;
    default:
        CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
    }
}

/* More than are left to the MPI, all open at a time, and completed last to first. */
static void a_row(MPI_Comm comm, int p)
{
    int mine[CALLS], sum[CALLS];
    MPI_Request r[CALLS];

    for (int k = 0; k < CALLS; k++) {
        mine[k] = k;
        CHECK(MPI_Iallreduce(&mine[k], &sum[k], 1, MPI_INT, MPI_SUM, comm, &r[k]) == MPI_SUCCESS);
    }
    for (int k = CALLS - 1; k >= 0; k--) {
        CHECK(MPI_Wait(&r[k], MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(sum[k] == p * k);
    }
}

/* Before the k-th call one or many that do not block, one on a duplicate, or nothing. */
static void something_else(MPI_Comm comm, int p, int what)
{
    int mine = p, sum = 0;
    MPI_Request r;
    MPI_Comm dup;

    if (what == 1) {
        CHECK(MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &r) == MPI_SUCCESS);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(sum == p * p);
    } else if (what == 2) {
        MPI_Comm_dup(comm, &dup);
        CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, dup) == MPI_SUCCESS);
        CHECK(sum == p * p);
        MPI_Comm_free(&dup);
    } else if (what == 3) {
        a_row(comm, p);
    }
}

static void use(MPI_Comm comm, int first, int calls, int what, int before)
{
    int p, me, *all;

    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    all = malloc((size_t)p * sizeof *all);
    for (int k = 0; k < calls; k++) {
        if (k == before)
            something_else(comm, p, what);
        call(comm, p, me, first + k, all);
    }
    free(all);
}

static void all_calls_are_right(void)
{
    for (int first = 0; first < 6; first++)
        for (int calls = 1; calls <= CALLS; calls += 3)
            for (int what = 0; what < 4; what++)
                for (int before = 0; before < calls; before += 4) {
                    MPI_Comm dup, half;
                    mpi_test_context("%d calls from %d, %d before %d", calls, first, what, before);
                    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
                    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
                    use(dup, first, calls, what, before);
                    use(half, first, calls, what, before);
                    MPI_Comm_free(&half);
                    MPI_Comm_free(&dup);
                }
}

/* Not in the order of their numbers, and with calls of the other between. */
static void two_in_turn(void)
{
    MPI_Comm a, b;

    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_dup(MPI_COMM_WORLD, &b);
    for (int k = 0; k < 2 * CALLS; k++) {
        use(k % 3 ? b : a, k, 1, 0, 0);
        use(MPI_COMM_WORLD, k, 1, 0, 0);
    }
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
}

/* What check_interpose counts: three of them do not block. */
static void ten_allreduces(void)
{
    MPI_Comm dup;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    for (int k = 0; k < 7; k++)
        use(dup, 0, 1, k < 3, 0);
    MPI_Comm_free(&dup);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(all_calls_are_right),
        MPI_TEST(two_in_turn),
        MPI_TEST(ten_allreduces),
    };

    return mpi_test_main(argc, argv, "plain_new_comms", tests, sizeof tests / sizeof *tests);
}
