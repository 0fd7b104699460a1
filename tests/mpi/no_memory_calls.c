/* SPDX-License-Identifier: BSD-3-Clause */
/* no_memory_calls.c - see no_memory_calls.h. */
#include "mpi/no_memory_calls.h"

#include <string.h>

int *tested_from, *tested_to;
MPI_Datatype tested_holes;

static int sum_run(int n, MPI_Comm comm)
{
    return MPIX_Allreduce_auto(tested_from, tested_to, n, MPI_INT, MPI_SUM, comm);
}

static int sum_start(int n, MPI_Comm comm, MPI_Request *r)
{
    return MPIX_Iallreduce_auto(tested_from, tested_to, n, MPI_INT, MPI_SUM, comm, r);
}

static int sum_init(int n, MPI_Comm comm, MPI_Info info, MPIX_Request *r)
{
    return MPIX_Allreduce_auto_init(tested_from, tested_to, n, MPI_INT, MPI_SUM, comm, info, r);
}

static int sum_expected(int i, int n)
{
    (void)n;
    return 1000 * world_size * (world_size - 1) / 2 + world_size * i;
}

/* Packed, because of its holes. */
static int gather_run(int n, MPI_Comm comm)
{
    return MPIX_Allgather_auto(tested_from, n, tested_holes, tested_to, n, MPI_INT, comm);
}

static int gather_start(int n, MPI_Comm comm, MPI_Request *r)
{
    return MPIX_Iallgather_auto(tested_from, n, tested_holes, tested_to, n, MPI_INT, comm, r);
}

static int gather_init(int n, MPI_Comm comm, MPI_Info info, MPIX_Request *r)
{
    return MPIX_Allgather_auto_init(tested_from, n, tested_holes, tested_to, n, MPI_INT, comm, info,
                                    r);
}

static int gather_expected(int i, int n)
{
    return 1000 * (i / n) + 2 * (i % n);
}

/* What lane asks other ranks for is an operation of its own. */
static int counts[64], displs[64];

static void set_lists(int n)
{
    for (int r = 0; r < world_size; r++) {
        counts[r] = n;
        displs[r] = r * n;
    }
}

static int exchange_init(int n, MPI_Comm comm, MPI_Info info, MPIX_Request *r)
{
    set_lists(n);
    return MPIX_Alltoallv_bruck_radix_init(tested_from, counts, displs, MPI_INT, tested_to, counts,
                                           displs, MPI_INT, comm, info, r);
}

static int exchange_expected(int i, int n)
{
    return 1000 * (i / n) + world_rank * n + i % n;
}

/* On a complete graph. Blocks have items in common. */
static int halo_init(int n, MPI_Comm comm, MPI_Info info, MPIX_Request *r)
{
    static int common[64];

    set_lists(n);
    for (int i = 0; i < world_size; i++)
        common[i] = i;
    return MPIX_Neighbor_alltoallv_auto_init(tested_from, counts, common, MPI_INT, tested_to,
                                             counts, displs, MPI_INT, comm, info, r);
}

static int halo_expected(int i, int n)
{
    return 1000 * (i / n) + world_rank + i % n;
}

const tested_call tested_sum = {"allreduce", sum_run, sum_start, sum_init, sum_expected, 1},
                  tested_gather = {"allgather", gather_run,      gather_start,
                                   gather_init, gather_expected, 0},
                  tested_exchange = {"alltoallv", NULL, NULL, exchange_init, exchange_expected, 0},
                  tested_halo = {"neighbor_alltoallv", NULL, NULL, halo_init, halo_expected, 0};

void tested_fill(void)
{
    for (int i = 0; i < TESTED_MOST; i++)
        tested_from[i] = 1000 * world_rank + i;
    memset(tested_to, -1, TESTED_MOST * sizeof *tested_to);
}

void tested_check(const tested_call *c, int n)
{
    int all = n * (c->blocks ? c->blocks : world_size), wrong = 0;

    for (int i = 0; i < all; i++)
        wrong += tested_to[i] != c->expected(i, n);
    CHECK(wrong == 0);
    CHECK(tested_to[all] == -1);
}

void memory_runs_out(long n)
{
    allocations_left = world_rank == POOR_RANK ? n : -1;
    allocation_failed = false;
}

bool on_any_rank(bool here)
{
    int mine = here, any;

    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any;
}
