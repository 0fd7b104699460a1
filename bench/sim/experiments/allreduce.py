# SPDX-License-Identifier: BSD-3-Clause
"""Allreduce by size and ranks: where the algorithms cross, and what the MPIs choose."""

import plot
import vectors
from machines import QUARTZ
from simulation import Job

TITLE = "Allreduce: where the algorithms cross, and the choices of Open MPI and MPICH"
PAPER = "Traeff, arXiv 2410.14234 (circulant) and 2109.12626 (dual_root); De Sensi et al., SC 2025 (bine); decision rules: " \
        "Open MPI 4.0.3 (coll/tuned, fixed rules), MPICH 4.0 (its size limits)"


def algorithms(p):
    power = p & (p - 1) == 0
    return ["recursive_doubling", "rabenseifner", "circulant", "dual_root:16", "ring", "auto"] + ["bine"] * power


def jobs(o):
    return vectors.jobs(o, "allreduce", algorithms) + ([] if o.sensitivity else spreads(o))


def spreads(o):
    """125 ranks, 8 on a node and one on each: what sharing nodes costs."""
    names = ("-a", "rabenseifner,circulant", "-m", "32k:2M", "--factor", "8", "-i", "1", "-x", "0", "-M", "8G", "--fold", "1")
    return [Job(o.vary(QUARTZ), 125, -(-125 // n), "block", ("allreduce_init", *names), panel=f"{n} a node") for n in (1, 8)]


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


def spread_text(rows):
    cells = {}
    for r in plot.from_csv(rows):
        if r["label"].endswith(" a node"):
            cells.setdefault((r["label"], r["size"]), {})[r["algorithm"]] = r["median"]
    text = ["Ranks that share nodes, and ranks that do not: 125 ranks, us:", "", "| ranks | bytes | rabenseifner | circulant | circulant / rabenseifner |", "|---|--:|--:|--:|--:|"]
    for (label, n), t in cells.items():
        r, c = t["rabenseifner"], t["circulant"]
        text.append(f"| {label} | {plot.bytes_text(n)} | {r:.1f} | {c:.1f} | {c / r:.2f} |")
    return text


def report(o, rows):
    return "\n".join([vectors.report(o, rows, RULES, "allreduce", WHY), "", *spread_text(rows), "", NODES])


WHY = """Persistent calls, sums of doubles; a reduction is charged as a copy of its bytes. `bine` needs a power of two of ranks.
`ring` has 1998 rounds on 1000 ranks and was simulated there for 2 MiB only, as the choice of `auto`; that cell's `best` is
without it. The Open MPI rule has no number where its choice was not simulated."""

NODES = """`circulant` sends the fewest bytes in the fewest rounds on any number of ranks, and is faster there than `rabenseifner`,
which first folds the ranks onto a power of two. On 1000 ranks, though, that fold halves what leaves the nodes:

- All 488 pairs are inside nodes, so 1016 vectors pass between nodes, and 1989 with `circulant`
  (`tutti-plan allreduce NAME -p 1000 --regions node:8 --all`).
- The 125 nodes are on four switches, whose uplinks have half of the nodes' bandwidth, and the largest messages of both
  algorithms go farthest. With `circulant` 2 MiB take 4.6 ms on an uplink alone, of 5.1 ms; with `rabenseifner` 2.1 of 4.5.

So the cause is where the ranks are, not the schedule. `bine` starts with the nearest ranks, and is the fastest."""
