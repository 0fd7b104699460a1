# SPDX-License-Identifier: BSD-3-Clause
"""Bcast by size and ranks: where the algorithms cross, and what the MPIs choose."""

import vectors

TITLE = "Bcast: where the algorithms cross, and the choices of Open MPI and MPICH"
PAPER = "Traeff, arXiv 2407.18004 (circulant); De Sensi et al., SC 2025 (bine); decision rules: Open MPI 4.0.3 (coll/tuned, fixed " \
        "rules), MPICH 4.0 (its size limits)"


def algorithms(p):
    power = p & (p - 1) == 0
    return ["binomial", "chain:32", "circulant:16", "circulant:64", "scatter_allgather:bruck", "scatter_allgather:ring",
            "auto"] + ["bine"] * power


def jobs(o):
    return vectors.jobs(o, "bcast", algorithms)


def open_mpi(p, n):
    """coll_tuned_decision_fixed.c of 4.0.x: between these limits it takes a split binary tree, which we have not, and above a
    pipeline along a chain, in pieces of 8 to 128 KiB."""
    if n < 2048:
        return "binomial"
    return "chain:32" if n >= 370728 else None


def mpich(p, n):
    """MPIR_CVAR_BCAST_SHORT_MSG_SIZE 12288, _LONG_MSG_SIZE 524288."""
    if n < 12288:
        return "binomial"
    return "scatter_allgather:bruck" if n < 524288 and p & (p - 1) == 0 else "scatter_allgather:ring"


RULES = {"Open MPI": open_mpi, "MPICH": mpich}


def verdict(rows):
    return vectors.verdict(rows, RULES)


def report(o, rows):
    return vectors.report(o, rows, RULES, "bcast", WHY)


WHY = """Persistent calls from rank 0. `bine` needs a power of two of ranks.

- For a power of two of ranks MPICH's allgather is recursive doubling, which sends as many messages and bytes as Tutti's Bruck.
- `scatter_allgather:ring` has 999 rounds on 1000 ranks and was simulated there for 2 MiB only, as the choice of `auto`; that
  cell's `best` is without it.
- A rule has no number where its choice was not simulated, or is an algorithm that Tutti does not have."""
