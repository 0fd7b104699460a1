# SPDX-License-Identifier: BSD-3-Clause
"""Multi-lane: the two pattern benchmarks (figures 1-3), and all collectives by lanes (figures 5-7, see decomposed.py)."""

import decomposed
import plot
from machines import HYDRA, VSC3
from simulation import Job

TITLE = "Several lanes: do more processes of a node get more out of the network?"
PAPER = "Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, figures 1-3, 5-7"

INT = 4
PATTERN = "lane pattern, hydra"
MULTI = {"hydra": "multi-collective, hydra", "vsc3": "multi-collective, vsc3"}
GATHER = {"hydra": "allgather of all nodes, hydra", "vsc3": "allgather of all nodes, vsc3"}
EXCHANGE = {"hydra": "alltoall, hydra", "vsc3": "alltoall, vsc3"}


def job(o, machine, nodes, per, panel, *arguments):
    return Job(o.vary(machine), nodes * per, nodes, "block-scatter", arguments + ("-i", "1", "-x", "0"), panel=panel)


def jobs(o):
    k = "1,2,4,8,16,32"
    nodes = 12 if o.sensitivity else 36
    result = [
        # counts c of ints for each node, divided over k ranks; 100 exchanges without a barrier (10 with --quick)
        job(o, HYDRA, nodes, 32, PATTERN, "lane_pattern", "-a", k, "--batch", "10" if o.quick else "100", "-c", "-m",
            f"{1152 * INT}:{1152000 * INT}", "--factor", "10"),
        # c ints of each process in all: c / nodes in a block
        job(o, HYDRA, nodes, 32, MULTI["hydra"], "multi_collective", "-a", k, "--call", "pairwise_init", "-c", "-m",
            f"{1152 // nodes * INT}:{115200 // nodes * INT}", "--factor", "10"),
    ]
    if o.sensitivity:
        return result + decomposed.jobs(o)
    result += [
        job(o, HYDRA, 36, 32, MULTI["hydra"], "multi_collective", "-a", k, "--call", "pairwise_init", "--fold", "1",
            "-m", f"{1152000 // 36 * INT}:{1152000 // 36 * INT}"),
        job(o, VSC3, 100, 16, MULTI["vsc3"], "multi_collective", "-a", "1,2,4,8,16", "--call", "pairwise_init", "--fold",
            "1", "-m", f"{1600 // 100 * INT}:{160000 // 100 * INT}", "--factor", "10"),
        job(o, HYDRA, 36, 32, GATHER["hydra"], "allgather_init", "-a", "bruck:step,hierarchical:step,lane:bruck+step",
            "--fold", "1", "-M", "4G", "-m", f"{INT}:{10000 * INT}", "--factor", "10"),
        job(o, HYDRA, 36, 32, GATHER["hydra"], "allgather_init", "-a", "lane:ring+step" if o.quick else "ring,lane:ring+step",
            "--fold", "1", "-M", "4G", "-m", f"{100 * INT}:{10000 * INT}", "--factor", "10"),
        job(o, VSC3, 100, 16, GATHER["vsc3"], "allgather_init", "-a", "bruck:step,hierarchical:step,lane:bruck+step", "--fold",
            "1", "-M", "4G", "-m", f"{INT}:{1000 * INT}", "--factor", "10"),
    ]
    for machine in (HYDRA, VSC3):
        nodes, per = (36, 8) if o.quick else (machine.nodes, machine.cores)
        call = (o, machine, nodes, per, EXCHANGE[machine.name], "alltoall_init", "-a", "bruck,pairwise,hierarchical,lane")
        result += [job(*call, "--fold", "1", "-m", f"{INT}:{1000 * INT}", "--factor", "10")]
        if o.quick:  # with data that is looked at
            result += [job(*call, "-c", "-m", "28:28")]
    return result + decomposed.jobs(o)


def by_lanes(rows, label):
    """size -> {k: us}"""
    cells = plot.cells_of(r for r in rows if r["label"] == label)
    return {n: {int(r["algorithm"]): r["median"] for r in cell} for (_, n), cell in sorted(cells.items())}


def verdict(measured):
    rows = plot.from_csv(measured)
    pattern, multi = by_lanes(rows, PATTERN), by_lanes(rows, MULTI["hydra"])
    small, large = pattern[min(pattern)], pattern[max(pattern)]
    s, b = multi[min(multi)], multi[max(multi)]
    facts = {"large c: k = 1 / k = 2": large[1] / large[2], "k = 1 / k = 32": large[1] / large[32],
             "small c: k = 32 / k = 1": small[32] / small[1], "alltoalls at once, small c: k = 8 / k = 1": s[8] / s[1],
             "large c: k = 2 / k = 1": b[2] / b[1], "k = 32 / k = 1": b[32] / b[1]}
    claims = [large[1] / large[2] > 1.8, large[1] / large[32] > 2, small[32] / small[1] < 1.1, s[8] / s[1] < 1.2,
              b[2] / b[1] < 1.1, b[32] / b[1] < 16]
    figures = decomposed.claims(measured)
    facts["claims of figures 1 to 3 that hold"] = f"{sum(claims)} of {len(claims)}"
    if figures:
        facts["of figures 5 to 7"] = f"{sum(ok for *_, ok in figures)} of {len(figures)}"
    claims += [ok for *_, ok in figures]
    return ("reproduced" if all(claims) else "in part" if any(claims) else "not reproduced"), facts


def varied(rows):
    return decomposed.varied_table(rows)


def lanes_table(rows, label, what, ints):
    cells = by_lanes(rows, label)
    ks = sorted(next(iter(cells.values())))
    text = [f"{what}:", "", "| c, ints | " + " | ".join(f"k = {k}" for k in ks) + " |", "|--:|" + "--:|" * len(ks)]
    for n, t in cells.items():
        text.append(f"| {n // INT * ints} | " + " | ".join(f"{t[k] / t[1]:.2f}" if k in t else "-" for k in ks) + " |")
    return text + [""]


def times_table(rows, label, names, more=""):
    cells = plot.cells_of(r for r in rows if r["label"] == label)
    text = ["| ints of a block | " + " | ".join(names) + " |", "|--:|" + "--:|" * len(names)]
    for (_, n), cell in sorted(cells.items()):
        t = {r["algorithm"].replace(",", "+"): r["median"] for r in cell}
        text.append(f"| {n // INT} | " + " | ".join(f"{t[a]:.1f}" if a in t else "-" for a in names) + " |")
    return [f"{label}{more}, us:", ""] + text + [""]


def report(o, measured):
    rows = [r for r in plot.from_csv(measured) if r["size"] != 28]
    text = lanes_table(rows, PATTERN, "Lane pattern on hydra (36 x 32 ranks), time / time of one lane. Paper: level for small c, "
                       "almost 1/2 for k = 2 and less than 1/2 towards k = 32 for large c", 1)
    text += lanes_table(rows, MULTI["hydra"], "k alltoalls at once on hydra, time / time of one. Paper: level up to k = 8 for "
                        "c = 1152; for larger c two at no extra cost, below k/2 then", 36)
    text += lanes_table(rows, MULTI["vsc3"], "k alltoalls at once on vsc3 (100 x 16 ranks). Paper: level up to k = 8 for c = 1600, "
                        "k = 4 for c = 16000", 100)
    names = ("bruck:step", "ring", "hierarchical:step", "lane:bruck+step", "lane:ring+step")
    text += times_table(rows, GATHER["hydra"], names) + times_table(rows, GATHER["vsc3"], names)
    for label in EXCHANGE.values():
        ranks = max(r["ranks"] for r in rows if r["label"] == label)
        text += times_table(rows, label, ("bruck", "pairwise", "hierarchical", "lane"), f", {ranks} ranks")
    for name, label in (("pattern", PATTERN), ("multi", MULTI["hydra"])):
        mine = [dict(r, algorithm=f"k = {r['algorithm']}") for r in rows if r["label"] == label]
        plot.lines(mine, o.picture(name), f"k ranks of a node at once: {label} (simulated)", unit="bytes of a node" if name == "pattern" else None)
    gather = [r for r in rows if r["label"] in GATHER.values()]
    plot.lines(gather, o.picture("allgather"), "Allgather of all nodes by lanes (simulated)")
    text += [o.image("pattern", "Lane pattern"), o.image("multi", "Multi-collective"), o.image("allgather", "Allgather"), ""]
    return "\n".join(text + decomposed.report(o, measured) + [WHY])


WHY = """How it was simulated:

- Ranks are dealt to the two sockets of a node in turn, as in the paper; each socket has its own rail. The alltoall in the
  lanes is Tutti's pairwise exchange, where the paper had Open MPI's and Intel MPI's own.
- With `--quick` the collectives of figures 5 to 7 have 12 of hydra's 36 nodes and 25 of vsc3's 100, with all their cores. The
  flat ring of 1152 ranks (1.3 million messages) is left out, alltoall has 8 ranks on each of 36 nodes, and the pattern is
  repeated 10 instead of 100 times. The paper's largest counts are missing: c = 11520000 on hydra, 1600000 on vsc3.
- Constants were varied for figures 1 and 2, and on 6 nodes of hydra for figures 5 to 7 up to c = 115200; not for vsc3.

The libraries are not the paper's binaries:

- `Open MPI` is what the rules of its 4.0 name. For bcast it is SimGrid's split binary tree, from 371 kB on Tutti's `chain` in
  pieces of 8 KiB (128 pieces for c = 1152000, where there would be 563). For allreduce it is Tutti's `recursive_doubling` and
  `ring`, for allgather `bruck` and `neighbor_exchange`, for scan a chain of ranks (`chain`, which is `hand` of tutti-bench).
- `MPICH`, `MVAPICH2` and `Intel MPI` are SimGrid's versions of their rules and algorithms, Intel's of an older version than
  the paper's; for allreduce that one stops with an error, so figure 7d is missing.
- Their reductions take no time in SimGrid; Tutti's are charged as a copy of their bytes. Defects of the paper's libraries are
  not simulated, nor is the slow allgather with derived datatypes to which the paper traces the 1/3 of figure 5b.

What to keep in mind:

- Tutti's flat `rabenseifner` exchanges the largest parts with the farthest ranks, MPICH's with the nearest. On 12 nodes of 32,
  464 vectors pass between nodes with Tutti's, and 22 with `lane` (`tutti-plan allreduce NAME -p 384 --regions node:32 --all`).
  So the table of Tutti's forms shows a larger gain of `lane` than MPICH would see.
- In `gather` and `scatter` one rank sends or receives all bytes. Lanes cannot help it, and cost it the way inside its node."""
