/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_many_types.c - a derived type in very many calls that are alike, on several communicators
 * and outstanding at a time. MPICH 4.0 packs too little of contiguous types when there are more
 * than 770 derived ones in the process: so the library must not keep so many.
 */
#include "mpi/mpi_test.h"

#include <stdlib.h>

enum { LENGTHS = 200, COMMS = 8, CALLS = 60, BURSTS = 16, OF_ITS_OWN = 40, MOST = 2 * LENGTHS };

static MPI_Datatype pair;
static int *gathered;

static void fill(int *mine, int n, int turn)
{
    for (int i = 0; i < n; i++)
        mine[i] = 1000 * world_rank + i + turn;
}

static int wrong(const int *all, int n, int turn)
{
    int sum = 0;

    for (int i = 0; i < world_size * n; i++)
        sum += all[i] != 1000 * (i / n) + i % n + turn;
    return sum;
}

static void one_after_the_other(void)
{
    int mine[MOST];
    MPI_Comm dup[COMMS];
    MPI_Request r;

    for (int k = 0; k < COMMS; k++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup[k]);
        for (int i = 0; i < 3 * LENGTHS; i++) {
            int n = 1 + i % LENGTHS;
            fill(mine, 2 * n, i);
            MPI_Iallgather(mine, n, pair, gathered, 2 * n, MPI_INT, dup[k], &r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            mpi_test_context("communicator %d, call %d", k, i);
            CHECK(wrong(gathered, 2 * n, i) == 0);
        }
    }
    for (int k = 0; k < COMMS; k++)
        MPI_Comm_free(&dup[k]);
}

static void many_at_a_time(void)
{
    static int mine[CALLS][MOST];
    MPI_Request r[CALLS];

    for (int n = 1; n <= BURSTS; n++)
        for (int turn = 0; turn < 3; turn++) {
            int room = 2 * n * world_size;
            for (int i = 0; i < CALLS; i++) {
                fill(mine[i], 2 * n, i + turn);
                MPI_Iallgather(mine[i], n, pair, gathered + i * room, 2 * n, MPI_INT,
                               MPI_COMM_WORLD, &r[i]);
            }
            MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE);
            mpi_test_context("length %d, turn %d", n, turn);
            for (int i = 0; i < CALLS; i++)
                CHECK(wrong(gathered + i * room, 2 * n, i + turn) == 0);
        }
}

/* The library's types are none of the program's business. */
static void the_program_packs_its_own(void)
{
    const int two[2] = {3, 4};

    for (int i = 0; i < OF_ITS_OWN; i++) {
        MPI_Datatype own;
        int packed[2] = {0, 0}, at = 0;
        MPI_Type_contiguous(2, MPI_INT, &own);
        MPI_Type_commit(&own);
        CHECK(MPI_Pack(two, 1, own, packed, sizeof packed, &at, MPI_COMM_WORLD) == MPI_SUCCESS);
        CHECK(packed[0] == 3 && packed[1] == 4);
        MPI_Type_free(&own);
    }
}

static void begin(void)
{
    gathered = malloc((size_t)CALLS * MOST * (size_t)world_size * sizeof *gathered);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
}

static void end(void)
{
    MPI_Type_free(&pair);
    free(gathered);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(begin),
        MPI_TEST(one_after_the_other),
        MPI_TEST(many_at_a_time),
        MPI_TEST(the_program_packs_its_own),
        MPI_TEST(end),
    };

    return mpi_test_main(argc, argv, "plain_many_types", tests, sizeof tests / sizeof *tests);
}
