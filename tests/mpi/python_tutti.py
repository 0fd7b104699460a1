# SPDX-License-Identifier: BSD-3-Clause
"""python_tutti.py - the module tutti: types of numpy, every form of buffers, all collectives against mpi4py's own blocking
ones, requests that keep their buffers, errors. Prints "right" on rank 0."""
import gc
import sys

import numpy as np
import tutti
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
STARTS = 4
wrong = []


def check(right, what):
    if not right:
        wrong.append(what)
        print("rank %d: wrong: %s" % (rank, what), flush=True)


def raises(kind, what, function, *arguments, **more):
    try:
        function(*arguments, **more)
    except kind as error:
        return error
    check(False, what + ": no " + kind.__name__)
    return None


def compare(name, native, fill, buffers, more=(), comm=world, algorithm=None):
    """All forms of a collective; fill(start) writes what is sent; `native` does the same on other buffers"""
    for form in ("blocking", "nonblocking", "persistent"):
        ours, theirs = buffers(), buffers()
        request = None
        if form == "persistent":
            request = getattr(tutti, name + "_init")(comm, *ours, *more, algorithm=algorithm)
        for start in range(STARTS):
            for b in (ours, theirs):
                fill(b, start)
            native(*theirs)
            if form == "blocking":
                getattr(tutti, name)(comm, *ours, *more, algorithm=algorithm)
            elif form == "nonblocking":
                getattr(tutti, "I" + name.lower())(comm, *ours, *more, algorithm=algorithm).Wait()
            else:
                request.start()
                request.wait()
            same = all(np.array_equal(data(a), data(b)) for a, b in zip(ours, theirs))
            check(same, "%s %s, start %d" % (form, name, start))
        if request:
            request.free()


def data(spec):
    a = spec[0] if isinstance(spec, list) else spec
    return a if isinstance(a, np.ndarray) else np.zeros(0)


def fill(buffers, start):
    for i, b in enumerate(buffers):
        a = data(b)
        a[...] = 99 if i == len(buffers) - 1 and len(buffers) > 1 else 10 * start + rank + np.arange(a.size).reshape(a.shape)


def moves():
    counts = np.arange(1, size + 1)
    displs = np.cumsum(counts + 1) - counts - 1
    room = int((counts + 1).sum())
    for dtype in (np.float64, np.int8, np.uint32, np.int64, np.float32, np.complex128):
        compare("Allgather", world.Allgather, fill, lambda: (np.zeros(3, dtype), np.zeros((size, 3), dtype)))
    for algorithm in ("ring", "sparbit", "linear"):
        compare("Allgather", world.Allgather, fill, lambda: (np.zeros(5), np.zeros(5 * size)), algorithm=algorithm)
    compare("Allgatherv", world.Allgatherv, fill,
            lambda: (np.zeros(rank + 1), [np.zeros(room), counts, displs, MPI.DOUBLE]))
    compare("Alltoall", world.Alltoall, fill, lambda: ([np.zeros(2 * size), MPI.DOUBLE], [np.zeros(2 * size), 2, MPI.DOUBLE]))
    each = np.full(size, rank + 1)
    compare("Alltoallv", world.Alltoallv, fill,
            lambda: ([np.zeros(size * (rank + 1), np.int32), each], [np.zeros(room, np.int32), (counts, displs), MPI.INT]))
    types = [MPI.DOUBLE] * size
    bytes8 = [8 * i for i in range(size)]
    compare("Alltoallw", world.Alltoallw, fill,
            lambda: ([np.zeros(size), [1] * size, bytes8, types], [np.zeros(size), [1] * size, bytes8, types]))
    compare("Bcast", lambda b: world.Bcast(b, root=size - 1), fill, lambda: (np.zeros(1000),), (size - 1,))
    compare("Gather", lambda s, r: world.Gather(s, r, root=0), fill,
            lambda: (np.zeros(4), np.zeros(4 * size) if rank == 0 else None))
    compare("Gatherv", lambda s, r: world.Gatherv(s, r, root=0), fill,
            lambda: (np.zeros(rank + 1), [np.zeros(room), counts, displs, MPI.DOUBLE] if rank == 0 else None))
    compare("Scatter", lambda s, r: world.Scatter(s, r, root=0), fill,
            lambda: (np.zeros(4 * size) if rank == 0 else None, np.zeros(4)))
    compare("Scatterv", lambda s, r: world.Scatterv(s, r, root=0), fill,
            lambda: ([np.zeros(room), counts, displs, MPI.DOUBLE] if rank == 0 else None, np.zeros(rank + 1)))
    tutti.Barrier(world)
    tutti.Ibarrier(world, algorithm="dissemination").Wait()
    with tutti.Barrier_init(world) as barrier:
        barrier.start()


def reductions():
    two = lambda: (np.zeros(100), np.zeros(100))
    compare("Allreduce", lambda s, r: world.Allreduce(s, r, op=MPI.SUM), fill, two)
    compare("Allreduce", lambda s, r: world.Allreduce(s, r, op=MPI.MAX), fill, two, (MPI.MAX,), algorithm="recursive_doubling")
    compare("Reduce", lambda s, r: world.Reduce(s, r, op=MPI.SUM, root=0), fill,
            lambda: (np.zeros(100), np.zeros(100) if rank == 0 else None), (MPI.SUM, 0))
    compare("Scan", lambda s, r: world.Scan(s, r), fill, two)
    compare("Exscan", lambda s, r: world.Exscan(s, r), fill, two)
    compare("Reduce_scatter_block", lambda s, r: world.Reduce_scatter_block(s, r), fill,
            lambda: (np.zeros(5 * size), np.zeros(5)))
    counts = np.arange(1, size + 1)
    compare("Reduce_scatter", lambda s, r: world.Reduce_scatter(s, r, list(counts)), fill,
            lambda: (np.zeros(counts.sum()), np.zeros(rank + 1)), (counts,))

    def left(a, b, datatype):  # does not commute
        memoryview(b).cast("B")[:] = memoryview(a).cast("B")

    op = MPI.Op.Create(left, commute=False)
    result = np.zeros(1, np.int64)
    tutti.Iallreduce(world, np.array([rank]), result, op=op).Wait()
    check(result[0] == 0, "an operation of the program")
    op.Free()


def in_place():
    every = np.full(size, -1.0)
    with tutti.Allgather_init(world, MPI.IN_PLACE, every) as gather:
        for start in range(STARTS):
            every[:] = -1
            every[rank] = rank + start
            gather.start()
            gather.wait()
            check(np.array_equal(every, np.arange(size) + start), "an allgather in place")
    total = np.full(7, rank)
    tutti.Allreduce(world, MPI.IN_PLACE, total)
    check((total == size * (size - 1) // 2).all(), "an allreduce in place")
    block = np.full((size, 2), rank)
    tutti.Reduce_scatter_block(world, MPI.IN_PLACE, block)
    check((block[0] == size * (size - 1) // 2).all(), "a reduce_scatter_block in place")


def derived_types():
    column = MPI.DOUBLE.Create_vector(3, 1, 4)
    column.Commit()
    matrix = np.arange(12.0).reshape(3, 4) + 100 * rank
    columns = np.zeros((size, 3))
    request = tutti.Iallgather(world, [matrix, 1, column], [columns, 3, MPI.DOUBLE])
    column.Free()
    request.Wait()
    check(np.array_equal(columns[-1], [100 * (size - 1) + i for i in (0, 4, 8)]), "a column of a matrix")


def neighbors():
    ring = world.Create_cart([size], periods=[True])
    compare("Neighbor_allgather", ring.Neighbor_allgather, fill, lambda: (np.zeros(3), np.zeros((2, 3))), comm=ring)
    compare("Neighbor_alltoall", ring.Neighbor_alltoall, fill, lambda: (np.zeros((2, 3)), np.zeros((2, 3))), comm=ring)
    compare("Neighbor_alltoallv", ring.Neighbor_alltoallv, fill,
            lambda: ([np.zeros(4), [2, 2], [0, 2], MPI.DOUBLE], [np.zeros(4), [2, 2], [0, 2], MPI.DOUBLE]), comm=ring)
    ring.Free()
    beside = [(rank + distance) % size for distance in (-2, -1, 1, 2)]
    graph = world.Create_dist_graph_adjacent(beside, beside)
    for algorithm in (None, "linear", "partner", "node"):
        compare("Neighbor_alltoallv", graph.Neighbor_alltoallv, fill,
                lambda: ([np.zeros(3), [3] * 4, [0] * 4, MPI.DOUBLE], [np.zeros(12), [3] * 4, [0, 3, 6, 9], MPI.DOUBLE]),
                comm=graph, algorithm=algorithm)
    graph.Free()


def lives():
    """Buffers that nobody else holds any more"""
    received = np.zeros(50000 * size)
    request = tutti.Iallgather(world, np.full(50000, float(rank)), received)
    gather = tutti.Allgather_init(world, np.full(3, rank), mine := np.zeros(3 * size, int))
    gc.collect()
    junk = [np.full(n, -1.0) for n in (50000, 3) for _ in range(10)]
    MPI.Request.Waitall([request, gather.start_native()])
    check(np.array_equal(received[::50000], np.arange(size)), "a request keeps what it sends")
    check(np.array_equal(mine[::3], np.arange(size)), "a persistent request keeps what it sends")
    del junk, gather
    gc.collect()
    received[:] = -1
    tutti.Iallgather(world, np.full(50000, float(rank)), received)  # forgotten, but not its buffers
    gc.collect()
    junk = [np.full(50000, -1.0) for _ in range(10)]
    while received[50000 * (size - 1)] < 0 or received[0] < 0:
        tutti.progress()
    tutti.Barrier(world)
    check(received[-50000] == size - 1, "a forgotten request keeps what it sends")
    a = tutti.empty((10, 10))
    a[:] = rank
    tutti.Allreduce(world, MPI.IN_PLACE, a, op=MPI.MAX)
    check((a == size - 1).all(), "an array in shared memory")


def errors():
    a, b = np.zeros(4), np.zeros(4 * size)
    raises(ValueError, "a section", tutti.Iallgather, world, np.zeros(8)[::2], b)
    raises(ValueError, "a small array", tutti.Allgather, world, [a, 5, MPI.DOUBLE], b)
    raises(ValueError, "odd blocks", tutti.Allgather, world, a, np.zeros(4 * size, np.uint8)[:-1] if size > 1 else np.zeros((3, 2))[:, 0])
    raises(ValueError, "an unknown algorithm", tutti.Allgather, world, a, b, algorithm="ringg")
    raises(MPI.Exception, "an unknown algorithm of an init", tutti.Allgather_init, world, a, b, algorithm="ringg")
    for name in ("auto_init", "init", "ring_init", "r\0"):
        raises(ValueError, "another call for an algorithm", tutti.Iallgather, world, a, b, algorithm=name)
    raises(ValueError, "an init for an algorithm of barrier", tutti.Barrier, world, algorithm="init")
    each = [np.zeros(size), [1] * size, list(range(0, 8 * size, 8)), [MPI.DOUBLE] * size]
    raises(ValueError, "a block before the array", tutti.Allgatherv, world, a[:1],
           [np.zeros(9 * size)[4 * size:], [1] * size, [-1] * size, MPI.DOUBLE])
    raises(ValueError, "a block before the array, in bytes", tutti.Alltoallw, world, each, [each[0], each[1], [-8] * size, each[3]])
    backwards = MPI.DOUBLE.Create_resized(0, -8).Commit()
    raises(ValueError, "a type that goes backwards", tutti.Bcast, world, [a, 2, backwards])
    backwards.Free()
    for n in (size - 1, size + 1):
        raises(ValueError, "another number of types", tutti.Alltoallw, world, each, each[:3] + [[MPI.DOUBLE] * n])
    raises(ValueError, "no types", tutti.Alltoallw, world, each, each[:3])
    raises(TypeError, "counts with fractions", tutti.Allgatherv, world, a[:1], [b, [1.5] * size])
    raises(TypeError, "a count with a fraction", tutti.Bcast, world, [a, 1.5, MPI.DOUBLE])
    raises(ValueError, "a count of too many bits", tutti.Bcast, world, [a, 2 ** 70, MPI.DOUBLE])
    raises(ValueError, "a root of too many bits", tutti.Bcast, world, a, root=2 ** 32)
    raises(TypeError, "a sum of other elements", tutti.Allreduce, world, a, np.zeros(4, np.int64))
    for nothing in (None, []):
        raises(ValueError, "nothing to receive into", tutti.Allreduce, world, a, nothing)
        raises(ValueError, "nothing to send", tutti.Allgather, world, nothing, b)
    empty = MPI.DOUBLE.Create_contiguous(0).Commit()
    raises(ValueError, "a type of no bytes without a count", tutti.Bcast, world, [a, empty])
    tutti.Bcast(world, [a, 3, empty])
    empty.Free()
    error = raises(MPI.Exception, "no neighbors", tutti.Neighbor_allgather, world, a, b)
    check(error is not None and error.Get_error_class() == MPI.ERR_TOPOLOGY, "the class of no neighbors")
    raises(ValueError, "a NUL", tutti.explain, world, "allgather\0 8")
    raises(TypeError, "a type that MPI has not", tutti.Allgather, world, np.zeros(4, "U3"), b)
    raises(TypeError, "the other byte order", tutti.Allgather, world, np.zeros(4, ">f8"), b)
    b.flags.writeable = False
    raises(ValueError, "an array that is read-only", tutti.Allgather, world, a, b)
    error = raises(MPI.Exception, "a wrong root", tutti.Bcast, world, a, root=size)
    check(error is not None and error.Get_error_class() == MPI.ERR_ROOT, "the class of an error")
    with tutti.Allreduce_init(world, a, np.zeros(4)) as request:
        request.start()
        raises(MPI.Exception, "a second start", request.start)


def library():
    tutti.set_hints(world, algorithm="ring")
    check("ring" in tutti.explain(world, "allgather 1024"), "explain")
    tutti.set_hints(world)
    raises(TypeError, "a hint that there is not", tutti.set_hints, world, algoritm="ring")
    check(tutti.topology(world) != "" and len(tutti.progress_driver()) == 2 and tutti.__version__ == "%d.%d.%d" % tutti.version(), "texts")
    with tutti.Allgather_init(world, np.zeros(2), np.zeros(2 * size), algorithm="linear", stats=True) as gather:
        for _ in range(3):
            gather.start()
            while not gather.test():
                pass
        check(gather.block_arrived(0), "block_arrived")
        stats = gather.stats()
        check(stats.starts == 3 and stats.algorithm.startswith("linear") and stats.seconds > 0, "stats: %s" % (stats,))


def main():
    tutti.init()
    for part in (moves, reductions, in_place, derived_types, neighbors, lives, errors, library):
        part()
    if world.allreduce(len(wrong)):
        sys.exit(1)
    if rank == 0:
        print("right")


main()
