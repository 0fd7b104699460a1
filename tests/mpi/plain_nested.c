/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_nested.c - the MPI calls a function of the program inside a collective, and that makes a
 * collective call: MPICH deletes the attributes of a communicator that was freed with an operation
 * under way in some later call, at other times on other ranks. Both calls are among those that
 * libtutti_mpi.so tries to see who is faster.
 */
#include "mpi/mpi_test.h"

enum { COMMS = 40, FIRST = 20, LENGTHS = 3, CALLS = 9, LONGEST = 1 << 12 };

static MPI_Comm inner;
static int in_callback;

static int sum_of_ones(MPI_Comm comm)
{
    int one = 1, sum = 0;

    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    return sum;
}

static int call_inside(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    in_callback += sum_of_ones(inner) == world_size;
    return MPI_SUCCESS;
}

static void call_outside(int round)
{
    static int mine[LONGEST], sum[LONGEST];

    for (int k = 1; k <= LENGTHS; k++)
        for (int i = 0; i < CALLS; i++) {
            int n = 1 << (3 * k + round % 3);
            for (int j = 0; j < n; j++)
                mine[j] = world_rank + i;
            CHECK(MPI_Allreduce(mine, sum, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
            CHECK(sum[n - 1] == world_size * (world_size - 1) / 2 + world_size * i);
        }
}

static void collectives_in_callbacks_inside_collectives(void)
{
    int keyval, one = 1;

    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &inner) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, call_inside, &keyval, NULL) == MPI_SUCCESS);
    for (int i = 0; i < FIRST; i++)
        CHECK(sum_of_ones(inner) == world_size);
    for (int round = 0; round < COMMS; round++) {
        int sum = 0;
        MPI_Request r = MPI_REQUEST_NULL;
        MPI_Comm comm;
        CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
        CHECK(MPI_Comm_set_attr(comm, keyval, NULL) == MPI_SUCCESS);
        for (int i = 0; i < 8; i++)
            sum_of_ones(comm);
        if (mpi_test_is(MPI_FAMILY_OPENMPI, 0)) /* natively it crashes (docs/limits.md) */
            sum = sum_of_ones(comm);
        else
            MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &r);
        CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
        call_outside(round);
        CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(sum == world_size);
        CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
    }
    CHECK(in_callback > 0);
    MPI_Comm_free_keyval(&keyval);
    CHECK(MPI_Comm_free(&inner) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(collectives_in_callbacks_inside_collectives),
    };

    return mpi_test_main(argc, argv, "nested", tests, sizeof tests / sizeof *tests);
}
