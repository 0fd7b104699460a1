#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A sparse matrix times a vector, whose halo travels under the product: what spmv_cg does in C, in short.

    mpirun -n 4 /usr/bin/python3 halo.py

x = x - A x / 8, twenty times, on a grid; A has 4 on its diagonal and -1 for the four points beside. Each rank has points
anywhere in the grid.
"""
import sys

import numpy as np
import tutti
from mpi4py import MPI

K = 40
comm = MPI.COMM_WORLD
grid = np.pad(np.arange(K * K).reshape(K, K), 1, constant_values=K * K)  # around it a point that is 0
beside = np.stack([grid[1 + i:K + 1 + i, 1 + j:K + 1 + j].ravel() for i, j in ((-1, 0), (1, 0), (0, -1), (0, 1))], axis=1)
owner = np.random.default_rng(1).integers(comm.size, size=K * K)
rows = np.flatnonzero(owner == comm.rank)
needed = np.setdiff1d(beside[rows], np.append(rows, K * K))

# a graph from those whose values I need to me; it tells me who needs mine, and they which
owners, counts = np.unique(owner[needed], return_counts=True)
graph = comm.Create_dist_graph(owners.tolist(), [1] * len(owners), [comm.rank] * len(owners), counts.tolist())
sources, destinations, _ = graph.Get_dist_neighbors()
wanted = [needed[owner[needed] == source] for source in sources]
messages = [graph.isend(one, source) for one, source in zip(wanted, sources)]
sent = [np.searchsorted(rows, graph.recv(source=destination)) for destination in destinations]
MPI.Request.Waitall(messages)

# x: my rows, the halo in the order in which it is received, the 0
n, index = len(rows), np.concatenate([rows, *wanted, [K * K]])
place = np.empty(K * K + 1, int)
place[index] = np.arange(len(index))
mine = place[beside[rows]]
whole = np.append(np.sin(np.arange(K * K)), 0)
x = np.append(whole[rows], np.zeros(len(index) - n))
pack = np.concatenate([np.empty(0, int), *sent])
packed, halo = np.zeros(len(pack)), x[n:-1]
with tutti.Neighbor_alltoallv_init(graph, [packed, [len(one) for one in sent]], [halo, [len(one) for one in wanted]]) as request:
    for _ in range(20):
        packed[:] = x[pack]
        request.start()
        y = 4 * x[:n] - np.where(mine < n, x[mine], 0).sum(axis=1)
        request.wait()
        y -= np.where(mine >= n, x[mine], 0).sum(axis=1)
        x[:n] -= y / 8
        whole[:-1] -= (4 * whole[:-1] - whole[beside].sum(axis=1)) / 8  # all of it here, to compare
if not np.allclose(x[:n], whole[rows], rtol=0, atol=1e-12):
    sys.exit("halo: wrong")
if comm.rank == 0:
    print("%d points, %d neighbors of rank 0: right" % (K * K, len(destinations)))
