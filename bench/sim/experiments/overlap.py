# SPDX-License-Identifier: BSD-3-Clause
"""How much of an allgather hides under a computation of equal length, with k progress calls."""

import statistics

import plot
from machines import QUARTZ
from simulation import Job

TITLE = "Overlap: allgather under a compute loop with k progress calls"
PAPER = "No paper: what Tutti is for. Overlap as OSU Micro-Benchmarks define it"

CALLS = (0, 1, 4, 16, 64)
NAMES = ("ring", "sparbit:step", "bruck:step", "lane:bruck+step")


def forms():
    for name in NAMES:
        base, colon, words = name.partition(":")
        yield from (f"{base}_init{colon}{words}", f"{base}_i{colon}{words}")


def jobs(o):
    machine = o.vary(QUARTZ)
    ranks = 32 if o.sensitivity else 64 if o.quick else 256
    result = []
    for k in CALLS:
        base = ("allgather_init", "-i", "1", "-x", "1", "--overlap", "-t", str(k), "-a", ",".join(forms()))
        sizes = ("-m", "256:1M", "--factor", "64" if o.sensitivity else "8", "--fold", "1")
        result.append(Job(machine, ranks, ranks // 8, "block", base + sizes, panel=f"{k} calls"))
    if not o.sensitivity:
        result.append(Job(machine, ranks, ranks // 8, "block", base + ("-m", "7:7", "-c"), panel="verified"))
    return result


def measured(rows):
    return [r for r in plot.from_csv(rows) if r["label"] != "verified"]


def verdict(rows):
    rows = measured(rows)
    most = {k: statistics.median(r["overlap"] for r in rows if r["label"] == f"{k} calls" and r["size"] >= 2048)
            for k in CALLS}
    grows = all(most[a] <= most[b] + 5 for a, b in zip(CALLS, CALLS[1:]))
    facts = {f"{k} calls, median overlap from 2 KiB on, %": v for k, v in most.items()}
    best = {k: max(r["overlap"] for r in rows if r["label"] == f"{k} calls") for k in CALLS}
    facts |= {f"highest with {k} calls, %": best[k] for k in (0, 64)}
    return ("overlap grows with the calls" if grows and most[64] > most[0] + 20 else "no clear gain by calls"), facts


def report(o, rows):
    rows = measured(rows)
    plot.lines(rows, o.picture("overlap"), "Overlap on quartz, 8 ranks a node (simulated)", value="overlap")
    names = list(dict.fromkeys(r["algorithm"] for r in rows))
    text = []
    for k in CALLS:
        some = [r for r in rows if r["label"] == f"{k} calls"]
        text += [f"{k} calls, overlap in %:", "", "| bytes of a block | " + " | ".join(names) + " |",
                 "|--:|" + "--:|" * len(names)]
        for (_, n), cell in sorted(plot.cells_of(some).items()):
            t = {r["algorithm"]: r["overlap"] for r in cell}
            text.append(f"| {n} | " + " | ".join(f"{t[a]:.0f}" for a in names) + " |")
        text.append("")
    return "\n".join(text + [o.image("overlap", "Overlap"), "", WHY])


WHY = """A progress call is tutti_progress() for persistent operations (`_init`), and MPI_Test besides for non-blocking ones (`_i`), because
SimGrid has no driver that would advance them in MPI_Test alone. Each test of a message costs 0.1 us of simulated time.

- What cannot hide is the processor's own work: the copies that messages of several blocks are charged with (sparbit and
  lane, more than half of their time), and the tests, which OSU's definition counts as well.
- Without a call only what the network does by itself can hide: messages whose receives are posted already.
- The MPI's own line is missing: with SimGrid's MPI_Iallgather (`native_i`) the simulation ends in a segmentation fault.
  [overlap-measured.md](overlap-measured.md) has measurements. Ranks do not disturb each other's processors here."""
