/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_app.c - an MPI program that knows nothing of Tutti and prints what it computes: the output
 * with libtutti_mpi.so must be the native one. For check_interpose.
 *
 * A small spectral-like loop with calls that Tutti covers, blocking and non-blocking, and many that
 * it does not.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 24, STEPS = 20 };

static double sum_of(const double *x, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum = sum * 1.0000001 + x[i];
    return sum;
}

/* The root takes what all have, and gives it back in other portions. What is combined does not
 * depend on the order. */
static void over_the_root(int k, int p, int rank, double *mine, double *all, const int *counts,
                          const int *displs)
{
    int root = k % p, size = 0, before = 0, sizes[64];
    double most = 0;

    MPI_Gather(mine, N, MPI_DOUBLE, all, N, MPI_DOUBLE, root, MPI_COMM_WORLD);
    MPI_Scatterv(all, counts, displs, MPI_DOUBLE, mine, counts[rank], MPI_DOUBLE, root,
                 MPI_COMM_WORLD);
    for (int i = 0; i < p; i++)
        sizes[i] = i == root ? 1 : counts[i];
    MPI_Scatterv(all, sizes, displs, MPI_DOUBLE, mine, sizes[rank], MPI_DOUBLE, root,
                 MPI_COMM_WORLD);
    MPI_Reduce(mine, &most, 1, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD);
    for (int i = 0; i < p; i++)
        sizes[i] = counts[(i + rank) % p];
    MPI_Reduce_scatter_block(sizes, &size, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(&size, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mine[0] += (most + (rank ? before : 0)) / 1e6;
}

static void step(int k, int p, int rank, double *mine, double *all, double *other)
{
    int counts[64], displs[64], right = (rank + 1) % p, left = (rank + p - 1) % p, total = 0;
    double edge = 0, norm = 0;
    MPI_Request r[3];

    for (int i = 0; i < p; i++) {
        counts[i] = 1 + (i + k) % N;
        displs[i] = total;
        total += counts[i];
    }
    MPI_Iallgather(mine, N, MPI_DOUBLE, all, N, MPI_DOUBLE, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&edge, 1, MPI_DOUBLE, left, k, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(&mine[N - 1], 1, MPI_DOUBLE, right, k, MPI_COMM_WORLD, &r[2]);
    MPI_Allgatherv(mine, counts[rank], MPI_DOUBLE, other, counts, displs, MPI_DOUBLE,
                   MPI_COMM_WORLD);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    norm = sum_of(all, N * p) + sum_of(other, total);
    MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        mine[i] = 0.5 * mine[i] + 0.25 * (i ? mine[i - 1] : edge) + norm / (1e6 + i);
    MPI_Allgather(mine, N, MPI_DOUBLE, all, N, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(all, 1, MPI_DOUBLE, other, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Bcast(&other[p], 1, MPI_DOUBLE, k % p, MPI_COMM_WORLD);
    over_the_root(k, p, rank, mine, all, counts, displs);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %.17g %.17g %.17g\n", k, norm, sum_of(all, N * p), sum_of(other, p));
}

int main(int argc, char **argv)
{
    int p, rank;
    double mine[N], *all, *other;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    all = calloc((size_t)(N * p), sizeof *all);
    other = calloc((size_t)(N * p + 1), sizeof *other);
    for (int i = 0; i < N; i++)
        mine[i] = 1.0 / (1 + i + rank * N);
    for (int k = 0; k < STEPS; k++)
        step(k, p, rank, mine, all, other);
    free(all);
    free(other);
    MPI_Finalize();
    return 0;
}
