# SPDX-License-Identifier: BSD-3-Clause
"""The Bruck variants of alltoall by size and ranks: where they cross."""

import plot
from machines import QUARTZ
from simulation import Job

TITLE = "Alltoall: the Bruck variants, and where direct messages overtake them"
PAPER = "Oliviero, Peretto, Veneruso: Bruck variants of alltoall, sections II and III"

ALGORITHMS = "bruck,bruck_radix:4,bruck_radix:8,bruck_modified,bruck_zerocopy,linear:32,pairwise"
BRUCKS = ("bruck", "bruck_radix:4", "bruck_radix:8", "bruck_modified", "bruck_zerocopy")


def jobs(o):
    result = []
    for p in (8, 16, 32, 64, 128) + (() if o.quick else (256, 512)):
        if o.sensitivity and p > 64:
            continue
        base = ("alltoall_init", "-i", "1", "-x", "0", "-a", ALGORITHMS)
        result.append(Job(o.vary(QUARTZ), p, p // 8, "block", base + ("--fold", "1", "-m", "4:64k"), panel="quartz"))
        if not o.sensitivity:
            result.append(Job(o.vary(QUARTZ), p, p // 8, "block", base + ("-c", "-m", "28:28"), panel="verified"))
    return result


def crossings(rows):
    """ranks -> (largest block at which a Bruck variant is fastest, which one at the smallest block)"""
    result = {}
    for (p, n), cell in sorted(plot.cells_of(r for r in rows if r["label"] == "quartz").items()):
        brucks = result.setdefault(p, [0, ""])
        if cell[0]["algorithm"] in BRUCKS:
            brucks[0] = n
            brucks[1] = brucks[1] or cell[0]["algorithm"]
    return result


def verdict(rows):
    rows = plot.from_csv(rows)
    c = crossings(rows)
    cells = plot.cells_of(r for r in rows if r["label"] == "quartz")
    zero = [{r["algorithm"]: r["median"] for r in cells[p, 256]} for p in c]
    facts = {f"{p} ranks: a Bruck variant is fastest up to, bytes": n for p, (n, _) in c.items()}
    facts["bruck / bruck_zerocopy at 256 B, least"] = min(t["bruck"] / t["bruck_zerocopy"] for t in zero)
    holds = all(n > 0 for n, _ in c.values()) and facts["bruck / bruck_zerocopy at 256 B, least"] >= 1
    return ("the paper's expectation holds (it measured one laptop only)" if holds else "not as expected"), facts


def report(o, rows):
    rows = [r for r in plot.from_csv(rows) if r["label"] == "quartz"]
    plot.heatmap(rows, o.picture("best"), "Fastest alltoall on quartz, 8 ranks a node (simulated)")
    shown = [dict(r, label=f"{r['ranks']} ranks") for r in rows if r["ranks"] in (16, 64, 128)]
    plot.lines(shown, o.picture("times"), "Alltoall on quartz (simulated)")
    cells = plot.cells_of(rows)
    text = ["| ranks | fastest at 4 B | a Bruck variant is fastest up to, bytes | time of bruck / zerocopy at 256 B | / modified |",
            "|--:|---|--:|--:|--:|"]
    for p, (n, name) in crossings(rows).items():
        t = {r["algorithm"]: r["median"] for r in cells[p, 256]}
        text.append(f"| {p} | {name or cells[p, 4][0]['algorithm']} | {n or '-'} | {t['bruck'] / t['bruck_zerocopy']:.2f} | "
                    f"{t['bruck'] / t['bruck_modified']:.2f} |")
    return "\n".join(text + ["", o.image("best", "Fastest"), o.image("times", "Times"), "", WHY])


WHY = """The paper measured up to 8 processes on one laptop, where all variants lose against the MPI's own alltoall, and expects
otherwise on distributed machines. Its tables XI to XIII are repeated in [measurements.md](measurements.md). Here the
expectation is simulated: one node of 8 ranks, then more nodes of 8 ranks.

- Derived datatypes cost a copy on both sides here, as packing does, so `bruck_modified` and `bruck` differ by the rotations only.
- `linear:32` has 32 exchanges in flight. Their start-up costs the processor, but hardly the network: it overtakes the Bruck
  variants at 128 to 256 bytes, `pairwise` at 1 KiB."""
