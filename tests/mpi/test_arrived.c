/* SPDX-License-Identifier: BSD-3-Clause */
/* test_arrived.c - blocks of a persistent collective that may be used while the rest is under way.
 */
#include "mpi/hints.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

/* Around the ring the block of the rank before me comes although rank 0 has not begun. */
static void a_block_arrives_before_the_rest(void)
{
    int mine[N], *all = calloc((size_t)world_size * N, sizeof *all), flag = 0;
    MPI_Info info = info_of("tutti_algorithm", "ring");
    MPIX_Request r = MPIX_REQUEST_NULL;
    double begin;

    CHECK(MPIX_Allgather_auto_init(mine, N, MPI_INT, all, N, MPI_INT, MPI_COMM_WORLD, info, &r) ==
          MPI_SUCCESS);
    fill(mine, 1);
    if (world_rank == 0 && world_size > 2)
        MPI_Recv(NULL, 0, MPI_INT, 2, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPIX_Start(&r);
    if (world_rank == 2) {
        begin = MPI_Wtime();
        while (!flag && MPI_Wtime() - begin < 20)
            CHECK(tutti_block_arrived(r, 1, &flag) == MPI_SUCCESS);
        CHECK(flag && all[N] == 1000 + 10);
        CHECK(tutti_block_arrived(r, 0, &flag) == MPI_SUCCESS && !flag);
        CHECK(tutti_block_arrived(r, 2, &flag) == MPI_SUCCESS && flag);
        MPI_Send(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD);
    }
    CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(is_right(all, world_size, 1));
    MPIX_Request_free(&r);
    MPI_Info_free(&info);
    free(all);
}

static void a_block_may_be_read_when_it_has_arrived(void)
{
    static const char *const names[] = {"ring",
                                        "linear",
                                        "bruck",
                                        "lane:ring,block",
                                        "lane:ring,block,3",
                                        "reorder_ring",
                                        "hierarchical:block"};
    int mine[N], *all = malloc((size_t)world_size * N * sizeof *all), flag;
    bool *seen = malloc((size_t)world_size);

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        MPI_Info info = info_of("tutti_algorithm", names[k]);
        MPIX_Request r = MPIX_REQUEST_NULL;
        mpi_test_context("%s", names[k]);
        CHECK(MPIX_Allgather_auto_init(mine, N, MPI_INT, all, N, MPI_INT, MPI_COMM_WORLD, info,
                                       &r) == MPI_SUCCESS);
        CHECK(tutti_block_arrived(r, 0, &flag) == MPI_SUCCESS && flag);
        for (int turn = 0; turn < 4; turn++) {
            fill(mine, turn);
            memset(all, 0x55, (size_t)world_size * N * sizeof *all);
            memset(seen, 0, (size_t)world_size);
            MPI_Barrier(MPI_COMM_WORLD);
            if (world_rank == 0 && world_size > 1) /* starts when the others have asked once */
                MPI_Recv(NULL, 0, MPI_INT, world_size - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPIX_Start(&r);
            if (world_rank > 0) {
                CHECK(tutti_block_arrived(r, 0, &flag) == MPI_SUCCESS);
                if (world_rank == world_size - 1) {
                    CHECK(!flag);
                    MPI_Send(NULL, 0, MPI_INT, 0, 5, MPI_COMM_WORLD);
                }
            }
            for (int left = world_size; left > 0;)
                for (int b = 0; b < world_size; b++) {
                    if (seen[b])
                        continue;
                    CHECK(tutti_block_arrived(r, b, &flag) == MPI_SUCCESS);
                    if (!flag)
                        continue;
                    for (int i = 0; i < N; i++)
                        CHECK(all[b * N + i] == b * 1000 + turn * 10 + i);
                    seen[b] = true;
                    left--;
                }
            CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        CHECK_CLASS(tutti_block_arrived(r, world_size, &flag), MPI_ERR_RANK);
        CHECK_CLASS(tutti_block_arrived(r, -1, &flag), MPI_ERR_RANK);
        CHECK_CLASS(tutti_block_arrived(r, 0, NULL), MPI_ERR_ARG);
        MPIX_Request_free(&r);
        CHECK_CLASS(tutti_block_arrived(r, 0, &flag), MPI_ERR_REQUEST);
        MPI_Info_free(&info);
    }
    free(seen);
    free(all);
}

/* The others receive nothing. */
static void blocks_arrive_at_the_root(void)
{
    int mine[N], *all = malloc((size_t)world_size * N * sizeof *all), flag, root = world_size - 1;

    for (int binomial = 0; binomial < 2; binomial++) {
        MPI_Info info = info_of("tutti_algorithm", binomial ? "binomial" : "linear");
        MPIX_Request r = MPIX_REQUEST_NULL;
        mpi_test_context("%s", binomial ? "binomial" : "linear");
        CHECK(MPIX_Gather_auto_init(mine, N, MPI_INT, all, N, MPI_INT, root, MPI_COMM_WORLD, info,
                                    &r) == MPI_SUCCESS);
        for (int turn = 0; turn < 3; turn++) {
            fill(mine, turn);
            memset(all, 0x55, (size_t)world_size * N * sizeof *all);
            MPI_Barrier(MPI_COMM_WORLD);
            MPIX_Start(&r);
            for (int b = 0; b < world_size && world_rank == root; b++) {
                for (flag = 0; !flag;)
                    CHECK(tutti_block_arrived(r, b, &flag) == MPI_SUCCESS);
                for (int i = 0; i < N; i++)
                    CHECK(all[b * N + i] == b * 1000 + turn * 10 + i);
            }
            CHECK(MPIX_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        MPIX_Request_free(&r);
        MPI_Info_free(&info);
    }
    free(all);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(a_block_arrives_before_the_rest),
        MPI_TEST(a_block_may_be_read_when_it_has_arrived),
        MPI_TEST(blocks_arrive_at_the_root),
    };

    return mpi_test_main(argc, argv, "arrived", tests, sizeof tests / sizeof *tests);
}
