/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_alone.c - legal calls on a communicator of one process that some MPI refuses or gets wrong.
 * Under libtutti_mpi.so they work, although most calls there are left to the MPI. */
#include "mpi/mpi_test.h"

enum { MOST = 64, UNTOUCHED = -1 };

static int from[MOST], to[MOST], none[1];
static MPI_Datatype type[1];
static MPI_Comm self;

/* The blocking and the non-blocking form of a call; a check after each. */
#define BOTH(right, Name, name, ...)                                                               \
    do {                                                                                           \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        mpi_test_context("%s", #name);                                                             \
        clear();                                                                                   \
        CHECK(MPI_##Name(__VA_ARGS__, self) == MPI_SUCCESS && (right));                            \
        mpi_test_context("%s, non-blocking", #name);                                               \
        clear();                                                                                   \
        CHECK(MPI_I##name(__VA_ARGS__, self, &request) == MPI_SUCCESS);                            \
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && (right));                    \
    } while (0)

static void clear(void)
{
    for (int i = 0; i < MOST; i++) {
        from[i] = i;
        to[i] = UNTOUCHED;
    }
}

static void nothing(const int *x)
{
    BOTH(true, Allgather, allgather, x, 0, MPI_INT, (void *)x, 0, MPI_INT);
    BOTH(true, Allgatherv, allgatherv, x, 0, MPI_INT, (void *)x, none, none, MPI_INT);
    BOTH(true, Alltoall, alltoall, x, 0, MPI_INT, (void *)x, 0, MPI_INT);
    BOTH(true, Alltoallv, alltoallv, x, none, none, MPI_INT, (void *)x, none, none, MPI_INT);
    BOTH(true, Alltoallw, alltoallw, x, none, none, type, (void *)x, none, none, type);
    BOTH(true, Gather, gather, x, 0, MPI_INT, (void *)x, 0, MPI_INT, 0);
    BOTH(true, Gatherv, gatherv, x, 0, MPI_INT, (void *)x, none, none, MPI_INT, 0);
    BOTH(true, Scatter, scatter, x, 0, MPI_INT, (void *)x, 0, MPI_INT, 0);
    BOTH(true, Scatterv, scatterv, x, none, none, MPI_INT, (void *)x, 0, MPI_INT, 0);
    BOTH(true, Bcast, bcast, (void *)x, 0, MPI_INT, 0);
    BOTH(true, Allreduce, allreduce, x, (void *)x, 0, MPI_INT, MPI_SUM);
    BOTH(true, Reduce, reduce, x, (void *)x, 0, MPI_INT, MPI_SUM, 0);
    BOTH(true, Reduce_scatter, reduce_scatter, x, (void *)x, none, MPI_INT, MPI_SUM);
    BOTH(true, Reduce_scatter_block, reduce_scatter_block, x, (void *)x, 0, MPI_INT, MPI_SUM);
    BOTH(true, Scan, scan, x, (void *)x, 0, MPI_INT, MPI_SUM);
    BOTH(true, Exscan, exscan, x, (void *)x, 0, MPI_INT, MPI_SUM);
}

static void no_data_needs_no_buffer(void)
{
    nothing(NULL);
}

static void no_data_may_have_one_address(void)
{
    nothing(from);
}

/* On the first rank. */
static void the_result_of_exscan_has_no_meaning(void)
{
    BOTH(true, Exscan, exscan, from, NULL, 2, MPI_INT, MPI_SUM);
    BOTH(from[1] == 1, Exscan, exscan, from, from, 2, MPI_INT, MPI_SUM);
    BOTH(to[0] == UNTOUCHED, Exscan, exscan, MPI_IN_PLACE, to, 2, MPI_INT, MPI_SUM);
}

static bool is_moved(int n, int first)
{
    bool right = true;

    for (int i = 0; i < MOST; i++)
        right &= to[i] == (i >= n && i < n + 2 ? first + i - n : UNTOUCHED);
    return right;
}

static void displacements_count(void)
{
    for (int k = -3; k <= 3; k += 3) {
        const int two[1] = {2}, at[1] = {k}, in_bytes[1] = {k * (int)sizeof(int)};
        int *x = from + 5, *y = to + 10;

        BOTH(is_moved(10 + k, 5), Allgatherv, allgatherv, x, 2, MPI_INT, y, two, at, MPI_INT);
        BOTH(is_moved(10 + k, 5 + k), Alltoallv, alltoallv, x, two, at, MPI_INT, y, two, at,
             MPI_INT);
        BOTH(is_moved(10 + k, 5 + k), Alltoallw, alltoallw, x, two, in_bytes, type, y, two,
             in_bytes, type);
        BOTH(is_moved(10 + k, 5), Gatherv, gatherv, x, 2, MPI_INT, y, two, at, MPI_INT, 0);
        BOTH(is_moved(10, 5 + k), Scatterv, scatterv, x, two, at, MPI_INT, y, 2, MPI_INT, 0);
    }
}

static void on_part_of_the_processes(void)
{
    MPI_Comm_split(MPI_COMM_WORLD, world_rank, 0, &self);
    no_data_needs_no_buffer();
    no_data_may_have_one_address();
    the_result_of_exscan_has_no_meaning();
    displacements_count();
    MPI_Comm_free(&self);
    self = MPI_COMM_SELF;
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(no_data_needs_no_buffer),  MPI_TEST(no_data_may_have_one_address),
        MPI_TEST(displacements_count),      MPI_TEST(the_result_of_exscan_has_no_meaning),
        MPI_TEST(on_part_of_the_processes),
    };

    self = MPI_COMM_SELF;
    type[0] = MPI_INT;
    return mpi_test_main(argc, argv, "plain_alone", tests, sizeof tests / sizeof *tests);
}
