# SPDX-License-Identifier: BSD-3-Clause
"""What Open MPI and MPICH choose, by ranks and bytes: (algorithm of ours, its words), or None where it has no counterpart here.

Open MPI 4.0, coll_tuned_decision_fixed.c; MPICH 4.0, limits of its variables MPIR_CVAR_*, without regard to nodes. Bytes are
those of a block, or of the vector.
"""


def power_of_two(p):
    return p & (p - 1) == 0


def pieces(n, each):
    return max(1, -(-n // each))


def open_mpi_allgather(p, n):
    if p * n < 50000:
        return "recursive_doubling" if power_of_two(p) else "bruck"
    return "ring" if p % 2 else "neighbor_exchange"


def mpich_allgather(p, n):
    if p * n < 524288 and power_of_two(p):
        return "recursive_doubling"
    return "bruck" if p * n < 81920 else "ring"


def open_mpi_bcast(p, n):
    """A pipeline is a chain of ranks."""
    if n < 2048:
        return "binomial"
    if n < 370728:  # in pieces of 1 KiB: many of them take long to simulate
        return "ompi_split_bintree" if n < 16384 else None
    if p < 1.6134e-6 * n + 2.1102:
        return f"chain:{pieces(n, 128 << 10)}"
    if p < 13:
        return None  # split binary in pieces of 8 KiB
    each = 64 if p < 2.3679e-6 * n + 1.1787 else 16 if p < 3.2118e-6 * n + 8.7936 else 8
    return f"chain:{pieces(n, each << 10)}"


def mpich_bcast(p, n):
    if n < 12288 or p < 8:
        return "binomial"
    return "scatter_allgather:bruck" if n < 524288 and power_of_two(p) else "scatter_allgather:ring"


def open_mpi_allreduce(p, n):
    """Of doubles. From 1 MiB for each rank on it would cut the ring into segments."""
    return "recursive_doubling" if n < 10000 or n // 8 <= p else "ring"


def mpich_allreduce(p, n):
    return "recursive_doubling" if n <= 2048 or n // 8 < p else "rabenseifner"


def open_mpi_reduce(p, n):
    """Binary trees have no counterpart."""
    if p < 8 and n < 20480:
        return "binomial" if n >= 512 else None
    if n < 2048 or p > 0.6016 / 1024 * n + 1.3496:
        return None
    if p > 0.0410 / 1024 * n + 9.7128:
        return f"chain:{pieces(n, 1 << 10)}"
    return f"chain:{pieces(n, (32 if p > 0.0033 / 1024 * n + 1.6761 else 64) << 10)}"


def mpich_reduce(p, n):
    return "binomial" if n <= 2048 or n // 8 < p else "rabenseifner"


def open_mpi_alltoall(p, n):
    """Open MPI begins all messages at once: too many for the simulator, so 32 at a time, as MPICH."""
    return "bruck" if n < 200 and p > 12 else "linear:32" if n < 3000 else "pairwise"


def mpich_alltoall(p, n):
    return "bruck" if n <= 256 and p >= 8 else "linear:32" if n <= 32768 else "pairwise"


RULES = {
    "Open MPI": {"allgather": open_mpi_allgather, "bcast": open_mpi_bcast, "allreduce": open_mpi_allreduce,
                 "reduce": open_mpi_reduce, "alltoall": open_mpi_alltoall},
    "MPICH": {"allgather": mpich_allgather, "bcast": mpich_bcast, "allreduce": mpich_allreduce, "reduce": mpich_reduce,
              "alltoall": mpich_alltoall},
}
SIMGRID = ("ompi_split_bintree",)  # algorithms of these that are SimGrid's own


def is_one(algorithm, chosen):
    """Is it what a rule names? One message for several blocks, or one for each, is all the same: the better one counts."""
    words = algorithm.replace(":", ",").split(",")
    return chosen is not None and set(chosen.replace(":", ",").split(",")) <= set(words) and \
        words[0] == chosen.split(":")[0]
