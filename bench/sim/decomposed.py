# SPDX-License-Identifier: BSD-3-Clause
"""Section IV of the multi-lane paper: lane and hierarchical forms of all collectives beside flat ones, and its claims."""

from dataclasses import replace

import plot
from machines import HYDRA, VSC3
from simulation import Job

INT = 4
LANES = "lane:step,hierarchical:step"
# What SimGrid has of the libraries: their rules, and the algorithms that these name. Its Open MPI chooses otherwise than the
# paper's; these are its rules (4.0, coll_tuned_decision_fixed.c): SimGrid's forms or ours, by count.
LIBRARIES = {"MPICH": "mpich", "MVAPICH2": "mvapich2", "Intel MPI": "impi"}
OPEN_MPI = {"bcast": {1152: "ompi_split_bintree", 11520: "ompi_split_bintree", 115200: "chain:57", 1152000: "chain:128"},
            "allreduce": {1152: "recursive_doubling", 11520: "ring", 1152000: "ring"},
            "allgather": {1: "bruck:step", 100: "neighbor_exchange", 10000: "neighbor_exchange"}}
ONE_RAIL = ", one rail"
INSIDE = ", one node"  # what bcast lane does there
MEDIUM = 115200
NODES = {"hydra": (12, 36), "vsc3": (25, 100)}  # --quick, --full
VARIED_NODES = 6  # of hydra, with --sensitivity
# Collective -> flat forms of ours, and counts of ints: first, last, factor.
VECTORS = {"bcast": ("binomial,scatter_allgather:bruck", 1152, 1152000, 10),
           "allreduce": ("recursive_doubling,rabenseifner", 1152, 1152000, 10),
           "reduce": ("binomial,rabenseifner", 1152, 115200, 10),
           "scan": ("recursive_doubling,hand", 1152, 1152000, 10),
           "exscan": ("doubling_123,hand", 1152, 115200, 10)}
BLOCKS = {"gather": ("binomial,linear", 1, 1000, 10), "scatter": ("binomial,linear", 1, 1000, 10),
          "reduce_scatter_block": ("circulant,recursive_doubling", 2, 2000, 10)}
UNFOLDED = ("reduce", "exscan", "gather")  # folded scratch needs a receive buffer on every rank; smaller counts for it


def sizes(name, machine):
    _, first, last, factor = (VECTORS | BLOCKS)[name]
    if name in VECTORS and machine is VSC3:
        first, last = first // 72, last * 10 // 72  # 16 to 160000, as in the paper
    return "-m", f"{first * INT}:{last * INT}", "--factor", str(factor)


def job(o, machine, name, what, *arguments, more="", library="", options=(), nodes=None):
    """A call on this machine, its rails as given or one; `more` and the library become part of the label."""
    count = nodes or NODES[machine.name][0 if o.quick else 1]
    panel = f"{name}, {machine.name}{more}" + (f"; {library}" if library else "")
    fold = () if name in UNFOLDED else ("--fold", "1")
    return Job(o.vary(machine), count * machine.cores, count, "block-scatter",
               (name + ("" if what == "native" else "_init"), "-a", what, "-i", "1", "-x", "0", "-M", "8G", *fold, *arguments),
               panel=panel, options=options)


def native(o, machine, name, library, *arguments, **more):
    return job(o, machine, name, "native", *arguments, library=library,
               options=(f"--cfg=smpi/{name}:{LIBRARIES[library]}",), **more)


def open_mpi(o, name, counts, machine=HYDRA, **more):
    """What Open MPI 4.0 takes for these counts."""
    result = []
    for c in counts:
        form, size = OPEN_MPI[name][c], ("-m", f"{c * INT}:{c * INT}")
        if form.startswith("ompi"):
            result.append(job(o, machine, name, "native", *size, library="Open MPI", options=(f"--cfg=smpi/{name}:{form}",), **more))
        else:
            result.append(job(o, machine, name, form, *size, library="Open MPI", **more))
    return result


def both(o, machine):
    """Every collective on a machine; allgather and alltoall are in lane.py."""
    return [job(o, machine, name, f"{LANES},{flat[0]}", *sizes(name, machine)) for name, flat in (VECTORS | BLOCKS).items()]


def libraries(o):
    """What the figures compare with."""
    large, small = ("-m", f"{INT}:{10000 * INT}", "--factor", "100"), ("-m", f"{INT}:{100 * INT}", "--factor", "10")
    result = [native(o, HYDRA, "allreduce", name, *sizes("allreduce", HYDRA)) for name in ("MPICH", "MVAPICH2")]
    result += [native(o, VSC3, "bcast", "Intel MPI", *sizes("bcast", VSC3)),
               native(o, VSC3, "allgather", "Intel MPI", *small),
               job(o, VSC3, "allgather", f"{LANES},bruck:step", *small),
               job(o, HYDRA, "allgather", f"{LANES},bruck:step", *large)]
    for name, counts in OPEN_MPI.items():
        result += open_mpi(o, name, counts)
    return result


def variations(o):
    """One rail for both sockets; blocks that go on while others are on their way; the whole machine."""
    single, calls = replace(HYDRA, rails=1), ("bcast", "allreduce", "scan")
    medium = ("-m", f"{MEDIUM * INT}:{MEDIUM * INT}")
    result = [job(o, single, name, LANES, *medium, more=ONE_RAIL) for name in calls]
    result += [*open_mpi(o, "bcast", (MEDIUM,), single, more=ONE_RAIL), native(o, single, "allreduce", "MPICH", *medium, more=ONE_RAIL)]
    part = ("-m", f"{MEDIUM * INT // HYDRA.cores}:{MEDIUM * INT // HYDRA.cores}")
    result += [job(o, HYDRA, "bcast", "lane:block,hierarchical:block", *medium),
               job(o, HYDRA, "scatter", "binomial", *part, more=INSIDE, nodes=1),
               job(o, HYDRA, "allgather", "bruck:step", *part, more=INSIDE, nodes=1)]
    if o.quick:
        result += [job(o, HYDRA, name, LANES, *medium, nodes=36) for name in calls]
        result += [*open_mpi(o, "bcast", (MEDIUM,), nodes=36), native(o, HYDRA, "allreduce", "MPICH", *medium, nodes=36)]
        result.append(job(o, HYDRA, "scan", "hand", *medium, nodes=36))
    return result


def varied(o):
    """What the claims about hydra need, at few nodes and counts: for --sensitivity."""
    def ints(first, last, factor):
        return "-m", f"{first * INT}:{last * INT}", "--factor", str(factor)

    some, every, few = ints(1152, MEDIUM, 100), ints(1152, MEDIUM, 10), {"nodes": VARIED_NODES}
    return [job(o, HYDRA, "bcast", LANES, *some, **few), *open_mpi(o, "bcast", (1152, MEDIUM), **few),
            job(o, HYDRA, "allgather", LANES, *ints(100, 100, 10), **few), *open_mpi(o, "allgather", (100,), **few),
            job(o, HYDRA, "scan", LANES + ",hand", *some, **few),
            job(o, HYDRA, "allreduce", LANES, *every, **few), *open_mpi(o, "allreduce", (11520,), **few),
            native(o, HYDRA, "allreduce", "MPICH", *some, **few), native(o, HYDRA, "allreduce", "MVAPICH2", *every, **few)]


def jobs(o):
    if o.sensitivity:
        return varied(o)
    return both(o, HYDRA) + both(o, VSC3) + libraries(o) + variations(o)


# ---- what came out ----

def shown(algorithm):
    return "chain" if algorithm == "hand" else algorithm.replace(":step", "")


def measured(rows):
    """Rows of this module, with the libraries' names for algorithms."""
    result = []
    for r in plot.from_csv(rows):
        panel, _, library = r["label"].partition("; ")
        result.append(dict(r, label=panel, algorithm=library or shown(r["algorithm"])))
    return result


def panels(rows):
    """(label, ranks) -> count -> algorithm -> us"""
    result = {}
    for r in measured(rows):
        cell = result.setdefault((r["label"], r["ranks"]), {}).setdefault(r["size"] // INT, {})
        cell[r["algorithm"]] = r["median"]
    return result


def widest(found, label):
    """(ranks, counts) of the panel of most counts that lane forms are in."""
    mine = [(p, counts) for (name, p), counts in found.items() if name == label and any("lane" in t for t in counts.values())]
    return max(mine, key=lambda panel: len(panel[1]), default=(0, {}))


def figure(found, label):
    return widest(found, label)[1]


def whole(found, label):
    """The panel of all nodes of hydra, which --quick has for one count."""
    return found.get((label, HYDRA.nodes * HYDRA.cores), {})


def ratios(found, label, above, below, counts):
    """Times of one over times of the other, for these counts or all; of all nodes where both were simulated there."""
    mine, all_nodes = figure(found, label), whole(found, label)
    cells = {c: all_nodes[c] if {above, below} <= all_nodes.get(c, {}).keys() else t for c, t in mine.items()}
    return [t[above] / t[below] for c, t in sorted(cells.items()) if (not counts or c in counts) and {above, below} <= t.keys()]


class Claim:
    """The paper's number for time of `above` / time of `below`; it holds within a factor of two. number None: above one.
    least: there is no highest."""

    def __init__(self, where, text, label, above, below, counts, number=None, least=False):
        self.where, self.text, self.label, self.above, self.below = where, text, label, above, below
        self.counts, self.number, self.least = counts, number, least

    def value(self, found):
        return ratios(found, self.label, self.above, self.below, self.counts)

    def holds(self, values):
        low = self.number[0] / 2 if self.number else 1
        high = 2 * self.number[1] if self.number and not self.least else float("inf")
        return all(low < v < high for v in values)


CLAIMS = [
    Claim("5a", "lane is better from c = 1152 on", "bcast, hydra", "Open MPI", "lane", ()),
    Claim("5a", "more than 20 at c = 115200", "bcast, hydra", "Open MPI", "lane", (115200,), (20, 20), True),
    Claim("5a", "about 3 at large c", "bcast, hydra", "Open MPI", "lane", (1152000,), (3, 3)),
    Claim("5a", "hierarchical is better than Open MPI", "bcast, hydra", "Open MPI", "hierarchical", ()),
    Claim("5a", "lane is better than hierarchical", "bcast, hydra", "hierarchical", "lane", ()),
    Claim("6a", "lane is better from c = 1600 on", "bcast, vsc3", "Intel MPI", "lane", (1600, 16000, 160000)),
    Claim("6a", "more than 7 at c = 160000", "bcast, vsc3", "Intel MPI", "lane", (160000,), (7, 7), True),
    Claim("5b", "more than 3 at c = 100", "allgather, hydra", "Open MPI", "lane", (100,), (3, 3), True),
    Claim("5b", "lane is better than hierarchical at c = 100", "allgather, hydra", "hierarchical", "lane", (100,)),
    Claim("5b", "1/3 at c = 10000", "allgather, hydra", "Open MPI", "lane", (10000,), (1 / 3, 1 / 3)),
    Claim("6b", "lane is better", "allgather, vsc3", "Intel MPI", "lane", ()),
    Claim("6b", "almost 3 at c = 100", "allgather, vsc3", "Intel MPI", "lane", (100,), (3, 3)),
    Claim("5c", "10 to 20", "scan, hydra", "chain", "lane", (), (10, 20)),
    Claim("5c", "10 to 20, hierarchical", "scan, hydra", "chain", "hierarchical", (), (10, 20)),
    Claim("6c", "3 and more", "scan, vsc3", "recursive_doubling", "lane", (), (3, 3), True),
    Claim("6c", "3 and more, hierarchical", "scan, vsc3", "recursive_doubling", "hierarchical", (), (3, 3), True),
    Claim("7a", "Open MPI has a severe problem at c = 11520 (here: 5 and more)", "allreduce, hydra", "Open MPI", "lane", (11520,),
          (10, 10), True),
    Claim("7a", "Open MPI is better at c = 1152000", "allreduce, hydra", "lane", "Open MPI", (1152000,)),
    Claim("7b", "2 at c = 1152 and 115200", "allreduce, hydra", "MVAPICH2", "lane", (1152, 115200), (2, 2)),
    Claim("7b", "1 at c = 11520 and 1152000", "allreduce, hydra", "MVAPICH2", "lane", (11520, 1152000), (1, 1)),
    Claim("7c", "about 2", "allreduce, hydra", "MPICH", "lane", (), (2, 2)),
    Claim("7c", "MPICH as hierarchical", "allreduce, hydra", "MPICH", "hierarchical", (), (1, 1)),
]


def range_text(values):
    low, high = min(values), max(values)
    return f"{low:.2g}" if f"{low:.2g}" == f"{high:.2g}" else f"{low:.2g} to {high:.2g}"


def claims(rows):
    """[(claim, our values, does it hold?)] of what was simulated"""
    found = panels(rows)
    values = [(c, c.value(found)) for c in CLAIMS]
    return [(c, v, c.holds(v)) for c, v in values if v]


def claims_table(rows):
    found = panels(rows)
    nodes = [widest(found, f"bcast, {m.name}")[0] // m.cores for m in (HYDRA, VSC3)]
    text = ["What the paper says of its figures 5 to 7, ratios of times; a number of the paper holds here within a factor of two, "
            f"`better` from 1 on. Simulated on {nodes[0]} nodes of hydra and {nodes[1]} of vsc3, and on all {HYDRA.nodes} of hydra where "
            f"both were simulated there (c = {MEDIUM}):",
            "", "| figure | call | time of | / time of | paper | ours | holds |", "|---|---|---|---|---|--:|---|"]
    return text + [f"| {c.where} | {c.label} | {c.above} | {c.below} | {c.text} | {range_text(v)} | {'yes' if ok else 'no'} |"
                   for c, v, ok in claims(rows)] + [""]


def varied_table(rows):
    """rows: of each set of constants, first as they are. Which claims get another verdict with other constants?"""
    verdicts = {}  # claim -> constants -> (values, does it hold?)
    for name, mine in rows.items():
        for c, v, ok in claims(mine):
            verdicts.setdefault(c, {})[name] = v, ok
    (base, *others), changed = (name for name in rows if any(name in cells for cells in verdicts.values())), {}
    for c, cells in verdicts.items():
        changed[c] = [name for name in others if cells[name][1] != cells[base][1]]
    kept = sum(not names for names in changed.values())
    text = [f"Claims of figures 5 to 7 on {VARIED_NODES} nodes of hydra, at one to three counts: {kept} of {len(changed)} keep their "
            f"verdict in all {len(others)} changes. Verdicts may differ from those of the table above, which is of more ranks "
            "(chains, rings and trees are shorter here) and more counts.", "",
            "| figure | call | time of | / time of | paper | constants as they are | holds | with others | another verdict |",
            "|---|---|---|---|---|--:|---|--:|---|"]
    for c, cells in verdicts.items():
        values, ok = cells[base]
        every = [x for name in others for x in cells[name][0]]
        text.append(f"| {c.where} | {c.label} | {c.above} | {c.below} | {c.text} | {range_text(values)} | {'yes' if ok else 'no'} | "
                    f"{range_text(every)} | {', '.join(f'{n} ({range_text(cells[n][0])})' for n in changed[c]) or 'none'} |")
    return text


def forms(name):
    """Our flat forms of a collective, as they are shown."""
    return [shown(a) for a in (VECTORS | BLOCKS)[name][0].split(",")]


def times_table(rows):
    found = panels(rows)
    text = ["All forms of ours, us; in brackets what the second flat form takes:", "",
            "| call | c, ints | lane | hierarchical | flat | fastest flat / lane | / hierarchical |", "|---|--:|--:|--:|---|--:|--:|"]
    for name in VECTORS | BLOCKS:
        for machine in NODES:
            for c, t in sorted(figure(found, f"{name}, {machine}").items()):
                flat = sorted((t[a], a) for a in forms(name) if a in t)
                others = "".join(f" ({a} {us:.0f})" for us, a in flat[1:])
                text.append(f"| {name}, {machine} | {c} | {t['lane']:.1f} | {t['hierarchical']:.1f} | {flat[0][1]} {flat[0][0]:.1f}"
                            f"{others} | {flat[0][0] / t['lane']:.2f} | {flat[0][0] / t['hierarchical']:.2f} |")
    return text + [""]


def variations_table(rows):
    found, c = panels(rows), MEDIUM
    text = [f"c = {c} on hydra, us: one rail for both sockets, blocks that go on while others are on their way, all 36 nodes:", "",
            "| call | | as above | one rail | block form | 36 nodes |", "|---|---|--:|--:|--:|--:|"]
    for name in ("bcast", "allreduce", "scan"):
        label = f"{name}, hydra"
        usual = figure(found, label).get(c, {})
        single = figure(found, label + ONE_RAIL).get(c, {})
        everywhere = whole(found, label).get(c, {})
        for a in ("lane", "hierarchical", "chain", "Open MPI", "MPICH"):
            if a in usual and (a in single or a in everywhere):
                us = [t.get(k) for t, k in ((usual, a), (single, a), (usual, a + ":block"), (everywhere, a))]
                text.append(f"| {name} | {a} | " + " | ".join(f"{x:.1f}" if x else "-" for x in us) + " |")
    return text + [""]


def pictures(o, rows):
    """Like the paper's figures 5, 6 and 7."""
    mine, found, lines = measured(rows), panels(rows), []
    keep = {"lane", "hierarchical", "Open MPI", "MPICH", "MVAPICH2", "Intel MPI", "chain", "recursive_doubling", "binomial"}
    for picture, labels, title in (
            ("hydra", ("bcast, hydra", "allgather, hydra", "scan, hydra"), "Collectives by lanes on hydra, the paper's figure 5"),
            ("vsc3", ("bcast, vsc3", "allgather, vsc3", "scan, vsc3"), "Collectives by lanes on vsc3, the paper's figure 6"),
            ("allreduce", ("allreduce, hydra",), "Allreduce by lanes on hydra, the paper's figure 7")):
        part = [r for label in labels for r in mine if r["label"] == label and r["ranks"] == widest(found, label)[0]
                and r["algorithm"] in keep]
        plot.lines(part, o.picture(picture), f"{title} (simulated)", unit="bytes of a vector or block")
        lines.append(o.image(picture, title))
    return lines


def reading(rows):
    """What the numbers say, in words."""
    found = panels(rows)

    def one(label, above, below, *counts):
        return max(ratios(found, label, above, below, counts), default=float("nan"))

    rails = [abs(figure(found, name + ", hydra" + ONE_RAIL)[MEDIUM]["lane"] / figure(found, name + ", hydra")[MEDIUM]["lane"] - 1)
             for name in ("bcast", "allreduce", "scan")]
    bcast = figure(found, "bcast, hydra")[MEDIUM]
    scatter, allgather = (found[f"{name}, hydra{INSIDE}", HYDRA.cores][MEDIUM // HYDRA.cores][form]
                          for name, form in (("scatter", "binomial"), ("allgather", "bruck")))
    said = READING.format(c=MEDIUM, all=HYDRA.nodes * HYDRA.cores, ranks=widest(found, "allreduce, hydra")[0],
                          chain=one("bcast, hydra", "Open MPI", "lane", MEDIUM), ring=one("allreduce, hydra", "Open MPI", "lane", 11520),
                          equal=one("allreduce, hydra", "MPICH", "lane", 1152), rails=100 * max(rails), scatter=scatter,
                          allgather=allgather, bcast=bcast["lane"], block=bcast["lane"] / bcast["lane:block"])
    return [said, ""]


READING = """Two of the defects that the paper finds are algorithms: for c = {c} Open MPI's bcast is a chain through all {all} ranks, whose latency alone
makes it {chain:.1f} times as long as `lane` (of the more than 20 of the paper), and for c = 11520 its allreduce is a ring, here of {ranks}
ranks, {ring:.0f} times as long. Against MPICH's allreduce `lane` gains with the size; at c = 1152 both are level ({equal:.2f}).

The second rail is not why lanes gain here: with one rail for both sockets, of the same 100 Gb/s, `lane` takes at most {rails:.0f} %
longer for c = {c}. Of bcast's {bcast:.0f} us {scatter:.0f} go into the scatter in the root's node and {allgather:.0f} into the allgather in each, which
the paper names as what limits the gain (its section III). What lanes save are bytes between nodes, and that one rank of a
node moves or reduces all of them. In the block form, where parts go on while others are on their way, bcast is {block:.1f} times
as fast."""


def report(o, rows):
    return [*claims_table(rows), *reading(rows), *pictures(o, rows), "", *times_table(rows), *variations_table(rows)]
