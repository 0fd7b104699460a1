/* SPDX-License-Identifier: BSD-3-Clause */
/* mpix_mixed.c - a program that calls collectives by their MPI names and by Tutti's, with the same
 * arguments and in one order on all ranks: under libtutti_mpi.so the first may be left to the MPI,
 * or not, and no rank may go by what it still remembers of the second. Prints `right`.
 *
 * Ranks differ in what they have lying about: some keep operations under way, and some come late.
 */
#define _DEFAULT_SOURCE /* usleep, rand_r */
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>
#include <unistd.h>

enum { STEPS = 300, MOST = 20000 };

static int rank, p, wrong;
static int mine[MOST], all[MOST], many[MOST], other[MOST];

static void check(const int *found, int n, int expected)
{
    for (int i = 0; i < n; i++)
        wrong += found[i] != expected;
}

static void allreduce(int n, int ours)
{
    if (ours)
        MPIX_Allreduce_auto(mine, all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Allreduce(mine, all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(all, n, p * (p + 1) / 2);
}

static void bcast(int n, int ours, int root)
{
    for (int i = 0; i < n; i++)
        all[i] = rank == root ? root + 7 : -1;
    if (ours)
        MPIX_Bcast_auto(all, n, MPI_INT, root, MPI_COMM_WORLD);
    else
        MPI_Bcast(all, n, MPI_INT, root, MPI_COMM_WORLD);
    check(all, n, root + 7);
}

static void allgather(int n, int ours)
{
    if (ours)
        MPIX_Allgather_auto(mine, n / p, MPI_INT, many, n / p, MPI_INT, MPI_COMM_WORLD);
    else
        MPI_Allgather(mine, n / p, MPI_INT, many, n / p, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < p; r++)
        check(many + r * (n / p), n / p, r + 1);
}

/* Not in place: MPICH 4.0's own crashes there above 2 KiB if the root is not rank 0. */
static void reduce(int n, int ours, int root)
{
    if (ours)
        MPIX_Reduce_auto(mine, all, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    else
        MPI_Reduce(mine, all, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root)
        check(all, n, p * (p + 1) / 2);
}

static void step(int what, int n, int ours, int root)
{
    switch (what) {
    case 0:
        allreduce(n, ours);
        break;
    case 1:
        bcast(n, ours, root);
        break;
    case 2:
        allgather(n, ours);
        break;
    case 3:
        reduce(n, ours, root);
        break;
    default:
        if (ours)
            MPIX_Barrier_auto(MPI_COMM_WORLD);
        else
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 1, 1, 40, 1000, MOST};
    unsigned seed = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = 0; i < MOST; i++)
        mine[i] = rank + 1;
    for (int i = 0; i < STEPS; i++) {
        MPI_Request r = MPI_REQUEST_NULL;
        int x = rand_r(&seed), n = sizes[x % 6];
        if (x / 6 % 3 == 0) /* takes an exec that lies idle, and gives it back later or sooner */
            MPIX_Iallreduce_auto(mine, other, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
        if (rank % 2)
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        if (x / 18 % 16 == rank)
            usleep(1000);
        step(x / 288 % 5, n, x / 1440 % 3 == 0, x / 4320 % p);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        puts(wrong ? "wrong" : "right");
    MPI_Finalize();
    return wrong != 0;
}
