/* SPDX-License-Identifier: BSD-3-Clause */
/* test_histories.c - ranks that have called other things before, on other communicators of the same
 * shape, choose alike all the same: what was decided once in a process counts for all of them.
 * plain_alike.c lets such ranks call.
 */
#include "mpi/mpi_test.h"

#include <stdio.h>
#include <string.h>
#include <tutti.h>

/* A communicator of these two ranks; of the others MPI_COMM_NULL. */
static MPI_Comm pair_of(int a, int b)
{
    bool mine = world_rank == a || world_rank == b;
    MPI_Comm pair;

    MPI_Comm_split(MPI_COMM_WORLD, mine ? 0 : MPI_UNDEFINED, world_rank, &pair);
    return pair;
}

enum { TEXT = 300, COLLECTIVES = 9, OCTAVES = 18 };

/* Is the answer the same on both? */
static void explain(MPI_Comm pair, const char *collective, long bytes)
{
    char call[100], mine[TEXT] = "", other[TEXT];
    int rank;

    mpi_test_context("%s of %ld bytes", collective, bytes);
    snprintf(call, sizeof call, "%s %ld", collective, bytes);
    CHECK(tutti_comm_explain(pair, call, mine, sizeof mine) == MPI_SUCCESS);
    MPI_Comm_rank(pair, &rank);
    MPI_Sendrecv(mine, TEXT, MPI_CHAR, 1 - rank, 0, other, TEXT, MPI_CHAR, 1 - rank, 0, pair,
                 MPI_STATUS_IGNORE);
    CHECK(strcmp(mine, other) == 0);
}

static const char *const collectives[COLLECTIVES] = {
    "allgather",      "alltoall", "bcast", "allreduce", "reduce", "reduce_scatter_block",
    "reduce_scatter", "gather",   "scan"};

/* Sizes on both sides of limits, in another order with each neighbor. */
static void choices_do_not_depend_on_earlier_ones(void)
{
    for (int a = 0; a < world_size; a++)
        for (int b = a + 1; b < world_size; b++) {
            MPI_Comm pair = pair_of(a, b);
            for (int k = 0; k < COLLECTIVES * OCTAVES * 3 && pair != MPI_COMM_NULL; k++) {
                long octave = 8L << k / 3 % OCTAVES;
                explain(pair, collectives[k / 3 / OCTAVES],
                        octave + (k + a + b) % 3 * (octave / 8));
            }
            if (pair != MPI_COMM_NULL)
                MPI_Comm_free(&pair);
        }
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(choices_do_not_depend_on_earlier_ones),
    };

    return mpi_test_main(argc, argv, "histories", tests, sizeof tests / sizeof *tests);
}
