"""Allreduce by size and ranks: where the algorithms cross, and what the MPIs choose."""

import vectors

TITLE = "Allreduce: where the algorithms cross, and the choices of Open MPI and MPICH"
PAPER = "Traeff, arXiv 2410.14234 (circulant) and 2109.12626 (dual_root); De Sensi et al., SC 2025 (bine); decision rules: " \
        "Open MPI 4.0.3 (coll/tuned, fixed rules), MPICH 4.0 (its size limits)"


def algorithms(p):
    power = p & (p - 1) == 0
    return ["recursive_doubling", "rabenseifner", "circulant", "dual_root:16", "ring", "auto"] + ["bine"] * power


def jobs(o):
    return vectors.jobs(o, "allreduce", algorithms)


def open_mpi(p, n):
    """coll_tuned_decision_fixed.c of 4.0.x; from 1 MiB a rank on it would cut the ring into segments."""
    if n < 10000:
        return "recursive_doubling"
    return "ring" if n // 8 > p and p * (1 << 20) >= n else None


def mpich(p, n):
    """MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE 2048."""
    return "recursive_doubling" if n <= 2048 or n // 8 < p else "rabenseifner"


RULES = {"Open MPI": open_mpi, "MPICH": mpich}


def verdict(rows):
    return vectors.verdict(rows, RULES)


def report(o, rows):
    return vectors.report(o, rows, RULES, "allreduce", WHY)


WHY = """Persistent calls, sums of doubles; a reduction is charged as a copy of its bytes. `bine` exists for powers of two only.
`ring` was not simulated on 1000 ranks, where it has 1998 rounds."""
