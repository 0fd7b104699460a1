#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""k-means of random points, which are distributed; sums of the clusters are added up by persistent allreduces.

    mpirun -n 4 /usr/bin/python3 kmeans.py [points of a rank] [chunks]

    assign chunk 1 | assign chunk 2     | assign chunk 3     |
                   | allreduce of sums 1 | allreduce of sums 2 | ...

The points are assigned in chunks: the sums of one chunk are on their way while numpy works on the next. A thread of Tutti's
takes them on where MPI has MPI_THREAD_MULTIPLE, else calls of tutti.progress between the pieces of work.
"""
import sys

import numpy as np
import tutti
from mpi4py import MPI

CLUSTERS, DIMENSIONS, ITERATIONS = 8, 16, 10


def assign(points, centers, sums):
    """Add each point to its nearest center: sums[:, :-1] are coordinates, sums[:, -1] counts. Returns the inertia."""
    distances = ((points[:, None, :] - centers) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1)
    sums[:] = 0
    np.add.at(sums[:, :-1], nearest, points)
    sums[:, -1] = np.bincount(nearest, minlength=CLUSTERS)
    return distances.min(axis=1).sum()


def main():
    comm = MPI.COMM_WORLD
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    chunks = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    tutti.init()
    threaded = MPI.Query_thread() == MPI.THREAD_MULTIPLE
    if threaded:
        tutti.progress_thread_start()

    points = np.random.default_rng(comm.rank).normal(size=(n, DIMENSIONS)) + np.arange(n)[:, None] % CLUSTERS
    centers = points[:CLUSTERS].copy()
    comm.Bcast(centers)
    mine = np.zeros((chunks, CLUSTERS, DIMENSIONS + 1))
    total = np.zeros_like(mine)
    reduces = [tutti.Allreduce_init(comm, mine[i], total[i], op=MPI.SUM) for i in range(chunks)]
    before = np.inf
    for _ in range(ITERATIONS):
        inertia = 0.0
        for i, chunk in enumerate(np.array_split(points, chunks)):
            inertia += assign(chunk, centers, mine[i])
            reduces[i].start()
            if not threaded:
                tutti.progress()
        for request in reduces:
            request.wait()
        sums = total.sum(axis=0)
        centers = sums[:, :-1] / np.maximum(sums[:, -1:], 1)
        inertia = comm.allreduce(inertia)
        if inertia > before or int(sums[:, -1].sum()) != n * comm.size:
            sys.exit("kmeans: wrong")
        before = inertia
    stats = reduces[0].stats()
    for request in reduces:
        request.free()
    if threaded:
        tutti.progress_thread_stop()
    if comm.rank == 0:
        print("%d points in %d clusters: inertia %.6g after %d iterations; allreduce: %s, %.0f %% of its steps outside waits"
              % (n * comm.size, CLUSTERS, before, ITERATIONS, stats.algorithm, 100 * stats.overlapped))


main()
