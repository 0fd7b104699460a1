/* SPDX-License-Identifier: BSD-3-Clause */
/* alike.c - every rank is given another machine, other wisdom and other algorithms: all
 * must choose alike nevertheless, and what they choose must bring the right data.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { TEXT = 400 };

static int rank, p;

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The same line on all ranks. */
static void expect_alike(MPI_Comm comm, const char *call, char text[TEXT])
{
    char *all = malloc((size_t)p * TEXT);

    memset(text, 0, TEXT);
    if (!all || tutti_comm_explain(comm, call, text, TEXT) != MPI_SUCCESS)
        fail(call, "not explained");
    MPI_Allgather(text, TEXT, MPI_CHAR, all, TEXT, MPI_CHAR, comm);
    for (int r = 0; r < p; r++)
        if (strcmp(all + (size_t)r * TEXT, text) != 0)
            fail(text, all + (size_t)r * TEXT);
    free(all);
}

static void expect_sum(MPI_Comm comm, int n)
{
    int *mine = malloc((size_t)n * sizeof *mine), *sum = malloc((size_t)n * sizeof *sum);
    MPI_Request r;

    for (int i = 0; mine && i < n; i++)
        mine[i] = rank + i;
    if (!mine || !sum || MPIX_Iallreduce_auto(mine, sum, n, MPI_INT, MPI_SUM, comm, &r))
        fail("allreduce", "not started");
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        if (sum[i] != p * (p - 1) / 2 + p * i)
            fail("allreduce", "wrong data");
    free(mine);
    free(sum);
}

/* The first call, a sum, may have to choose before it knows what the others are given. */
static void expect_all(MPI_Comm comm, char last[TEXT])
{
    static const char *const calls[] = {"allgather", "allreduce", "bcast", "alltoall"};

    expect_sum(comm, 100);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int n = 1; n <= 1 << 20; n *= 16) {
            char call[64];
            snprintf(call, sizeof call, "%s %d", calls[i], n);
            expect_alike(comm, call, last);
            if (p > 2 && !strstr(last, "(the fastest by the estimate: "))
                fail(call, last);
        }
    for (int n = 1; n <= 1 << 16; n *= 16)
        expect_sum(comm, n);
}

int main(int argc, char **argv)
{
    char forwards[TEXT], backwards[TEXT];
    MPI_Comm turned;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (argc == 3 && strcmp(argv[1], "export") == 0)
        return tutti_wisdom_export(MPI_COMM_WORLD, argv[2]) || MPI_Finalize();
    setenv("TUTTI_CONSTANTS", rank == 0 ? "ethernet" : rank == 1 ? "fast" : "/no/such/file", 1);
    setenv("TUTTI_REGIONS", "node:2", 1);
    setenv("TUTTI_ALGORITHM_ALLREDUCE",
           rank == 0   ? "recursive_doubling"
           : rank == 1 ? "^recursive_doubling,ring,rabenseifner,lane,hierarchical,dual_root,"
                         "circulant,bine,two_tree"
                       : "^nonsense",
           1);
    if (rank > 1)
        setenv("TUTTI_ALGORITHM_ALLGATHER", rank == 2 ? "linear" : "^ring,bruck,sparbit", 1);
    if (argc == 3 && rank < 3) /* two files that differ, and none on the other ranks */
        setenv("TUTTI_WISDOM", argv[1 + rank % 2], 1);
    else
        setenv("TUTTI_WISDOM", "off", 1);
    expect_all(MPI_COMM_WORLD, forwards);
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank + p - 1) % p, &turned); /* rank 1 comes first */
    MPI_Comm_rank(turned, &rank);
    expect_all(turned, backwards);
    if (p > 2 && strcmp(forwards, backwards) == 0)
        fail("the constants do not count", forwards);
    MPI_Comm_free(&turned);
    MPI_Finalize();
    return 0;
}
