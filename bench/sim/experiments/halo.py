# SPDX-License-Identifier: BSD-3-Clause
"""Halo exchanges of a stencil, of algebraic multigrid hierarchies and of a mesh, by persistent neighbor_alltoallv."""

import functools
import statistics
from collections import Counter
from dataclasses import dataclass

import patterns
import plot
from machines import LASSEN, QUARTZ
from simulation import ROOT, Job

TITLE = "Halo exchanges: linear, partner, node and auto on patterns of real solvers"
PAPER = "Bienz, Gropp, Olson: Reducing communication in algebraic multigrid with multi-step node aware communication (the forms); " \
    "the goals of auto are ours"

LINEAR = "linear"
FORMS = (LINEAR, "partner", "node", "node:2", "node:4", "node:8")
SHOWN = (*FORMS, "auto")
HAND = 64  # ranks up to which also by hand
PLACES = ((QUARTZ, 16), (QUARTZ, 32), (LASSEN, 16))
# At most so many messages share a link at a time, others wait: a quarter of the simulator's time, nearly the same results (NOTES)
LIMIT = ("--cfg=maxmin/concurrency-limit:64",)
STENCIL = 40  # values of a rank along each axis
WIDE, SHORT = 20, 1024  # many neighbors: more than so many; short messages: fewer bytes
MEDIAN, WORST = 0.5, 1.05  # auto / linear on such levels, and on all


@functools.cache
def pattern(name):
    kind, ranks = name.split("-")
    return patterns.named(f"stencil:{ranks}:{STENCIL}" if kind == "stencil" else f"{ROOT}/bench/halo/patterns/{name}.xz")


def grid(o):
    """Pattern, machine, ranks a node."""
    if o.sensitivity:
        return [(name, QUARTZ, 16) for name in ("laplace27-64", "mesh-64")]
    kinds = ("stencil", "laplace7", "laplace27", "mesh")
    result = [(f"{kind}-{ranks}", *place) for ranks in (64, 256) for kind in kinds for place in PLACES
              if ranks == 64 or place[1] == 16 or not o.quick]
    return result + [("laplace27-1024", *place) for place in (() if o.quick else PLACES)]


def jobs(o):
    """One for each level: SimGrid looks at all messages that a rank has ever sent when it sends one more."""
    result = []
    for name, machine, per in grid(o):
        p = pattern(name)
        for number, level in enumerate(p.levels):
            if level.sends:
                text = patterns.text(patterns.Pattern(p.title, p.ranks, [level]))
                ways = SHOWN + (("hand",) if p.ranks <= HAND else ())
                result.append(Job(o.vary(machine), p.ranks, p.ranks // per, "block", ("halo", "-i", "1", "-a", ",".join(ways), "pattern"),
                                  panel=f"{name}, {machine.name}, {per} a node, level {number}", options=LIMIT, files=(("pattern", text),)))
    return result


# ---- what came out ----

@dataclass
class Cell:
    """One level of a pattern on a machine."""
    label: str
    level: int
    times: dict  # way -> microseconds
    took: str  # by auto
    init: float  # of auto
    neighbors: float  # of a rank that sends, median
    bytes: float  # of a message, median
    away: patterns.Leaving

    @property
    def wide(self):
        return self.neighbors > WIDE and self.bytes < SHORT

    @property
    def best(self):
        return min(FORMS, key=self.times.get)

    def ratio(self, way):
        return self.times[way] / self.times[LINEAR]


@functools.cache
def counted(name, level, per):
    """Neighbors, bytes, what leaves the nodes."""
    level = pattern(name).levels[level]
    messages = level.messages()
    neighbors = Counter(source for source, _ in messages).values()
    return statistics.median(neighbors), patterns.BYTES * statistics.median(messages.values()), patterns.leaving(level, per)


def cells(rows):
    found = {}
    for row in rows:
        found.setdefault(row["label"], {})[row["algorithm"]] = row
    result = []
    for label, ways in found.items():
        name, _, per, level = label.split(", ")
        level = int(level.split()[1])
        result.append(Cell(label.rpartition(",")[0], level, {way: float(row["median_us"]) for way, row in ways.items()},
                           ways["auto"]["took"], float(ways["auto"]["init_us"]), *counted(name, level, int(per.split()[0]))))
    return result


def groups(found):
    """label -> cells; levels of one hierarchy on one machine."""
    result = {}
    for c in found:
        result.setdefault(c.label, []).append(c)
    return result


def hierarchies_of(found):
    """The groups with all of several levels."""
    return {label: some for label, some in groups(found).items()
            if len(some) == sum(bool(level.sends) for level in pattern(label.split(",")[0]).levels) > 1}


def whole(some, time):
    """An exchange on each level: time of linear / time(cell)."""
    return sum(c.times[LINEAR] for c in some) / sum(map(time, some))


def by_auto(c):
    return c.times["auto"]


def by_best(c):
    return c.times[c.best]


def ranks_of(c):
    return int(c.label.split(",")[0].split("-")[1])


def verdict(rows):
    found = cells(rows)
    wide = [c for c in found if c.wide]
    median, worst = statistics.median(c.ratio("auto") for c in wide), max(found, key=lambda c: c.ratio("auto"))
    facts = {"goals": f"auto / linear at most {MEDIAN:g} in the median of levels with more than {WIDE} neighbors and messages below "
                      f"{plot.bytes_text(SHORT)}, at most {WORST:g} on all levels",
             f"levels; with more than {WIDE} neighbors and messages below {plot.bytes_text(SHORT)}": f"{len(found)}; {len(wide)}",
             "there auto / linear, median": median,
             "there the best form / linear, median": statistics.median(c.ratio(c.best) for c in wide)}
    for ranks in sorted({ranks_of(c) for c in wide}):
        some = [c for c in wide if ranks_of(c) == ranks]
        facts[f"of them with {ranks} ranks: number; auto, the best form, node / linear, medians"] = f"{len(some)}; " + ", ".join(
            f"{statistics.median(values):.2f}" for values in ([c.ratio("auto") for c in some], [c.ratio(c.best) for c in some],
                                                              [c.ratio("node") for c in some]))
    facts["auto / linear on all levels, highest"] = f"{worst.ratio('auto'):.2f} ({worst.label}, level {worst.level})"
    facts["auto / the best form on all levels, highest"] = max(by_auto(c) / by_best(c) for c in found)
    many = hierarchies_of(found).values()
    for name, time in (("auto", by_auto), ("the best form of each", by_best)) if many else ():
        gains = [whole(some, time) for some in many]
        facts[f"an exchange on every level of a hierarchy, linear / {name}"] = f"{min(gains):.2f} to {max(gains):.2f}"
    good = median <= MEDIAN and worst.ratio("auto") <= WORST
    return "the goals are met" if good else "the goals are not met", facts


# ---- the page ----

def bold(text, yes):
    return f"**{text}**" if yes else text


def table(some):
    ways = [way for way in (*FORMS[1:], "auto", "hand") if way in some[0].times]
    text = ["| level | neighbors | bytes | leaving: linear | node | linear, us | " + " | ".join(ways) + " | auto took |",
            "|--:|--:|--:|--:|--:|--:|" + "--:|" * len(ways) + "---|"]
    for c in some:
        numbers = [bold(f"{c.ratio(way):.2f}", way == c.best) for way in ways]
        text.append(f"| {c.level}{' *' if c.wide else ''} | {c.neighbors:.0f} | {c.bytes:.0f} | {c.away.linear} | {c.away.node} | "
                    f"{bold(f'{c.times[LINEAR]:.1f}', c.best == LINEAR)} | {' | '.join(numbers)} | `{c.took}` |")
    return text + [""]


def hierarchies(found):
    text = ["| hierarchy | linear, us | " + " | ".join(f"linear / {way}" for way in (*FORMS[1:], "auto")) + " | linear / best |",
            "|---|--:|" + "--:|" * (len(FORMS) + 1)]
    for label, some in hierarchies_of(found).items():
        gains = [whole(some, lambda c, way=way: c.times[way]) for way in (*FORMS[1:], "auto")] + [whole(some, by_best)]
        text.append(f"| {label} | {sum(c.times[LINEAR] for c in some):.1f} | " + " | ".join(f"{g:.2f}" for g in gains) + " |")
    return text + [""]


def draw_ratios(found, name):
    """Form / linear against neighbors, a panel for each machine."""
    style = plot.styles((*FORMS[1:], "auto"))
    style["auto"] = dict(color="black", marker="_")
    places = list(dict.fromkeys(c.label.split(", ", 1)[1] for c in found))
    figure, axes = plot.plt.subplots(1, len(places), figsize=(1.5 + 4.2 * len(places), 4.4), squeeze=False, sharey=True,
                                     layout="constrained")
    for axis, place in zip(axes[0], places):
        mine = [c for c in found if c.label.endswith(place)]
        for way, look in style.items():
            axis.plot([c.neighbors for c in mine], [c.ratio(way) for c in mine], label=way, markersize=9 if way == "auto" else 5,
                      **dict(look, linestyle=""))
        axis.axhline(1, color="#888888", linewidth=0.8)
        axis.axvline(WIDE, color="#888888", linewidth=0.8, linestyle=":")
        axis.set_title(place)
        axis.set_yscale("log")
        plot.plain_decades(axis)
        axis.set_xlabel("neighbors of a rank, median")
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("time / time of linear")
    plot.legend(figure, axes[0][0].get_legend_handles_labels()[0])
    figure.suptitle("Each level of each pattern: forms beside linear (simulated)", fontsize="large")
    plot.save(figure, name)


def draw_levels(found, name):
    """Times against levels of the hierarchies with 256 ranks on Quartz, 16 a node."""
    some = {label: cs for label, cs in hierarchies_of(found).items() if "-256, quartz, 16" in label}
    style = plot.styles(FORMS)
    figure, axes = plot.plt.subplots(1, len(some), figsize=(1.5 + 4.2 * len(some), 4.4), squeeze=False, sharey=True,
                                     layout="constrained")
    for axis, (label, mine) in zip(axes[0], some.items()):
        for way, look in style.items():
            axis.plot([c.level for c in mine], [c.times[way] for c in mine], label=way, markersize=4, **look)
        axis.set_title(label)
        axis.set_yscale("log")
        plot.plain_decades(axis)
        axis.set_xlabel("level")
        axis.set_xticks([c.level for c in mine])
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("time of the slowest rank, us")
    plot.legend(figure, axes[0][0].get_legend_handles_labels()[0])
    figure.suptitle("Levels of BoomerAMG hierarchies (simulated)", fontsize="large")
    plot.save(figure, name)


def report(o, rows):
    found = cells(rows)
    draw_ratios(found, o.picture("ratios"))
    draw_levels(found, o.picture("levels"))
    text = [o.image("ratios", "Time of each form / time of linear"), o.image("levels", "Times by level"), "", PUBLISHED, "",
            *hierarchies(found), NOTES, "", "## All levels", "", TABLES, ""]
    for label, some in groups(found).items():
        text += [f"{label}: {pattern(label.split(',')[0]).title}", "", *table(some)]
    return "\n".join(text)


PUBLISHED = """Sums over the levels of a hierarchy: an exchange on each of them, as a product with each matrix needs it. Of the papers only the
abstracts were at hand. Collom, Li, Bienz (Optimizing irregular communication with neighborhood collectives and locality-aware
parallelism, 2023): products in a BoomerAMG solve are up to 1.32 times as fast. Bienz, Gropp, Olson (IJHPCA 34(4), 2020, and
Node aware sparse matrix-vector multiplication, 2019): fewer and smaller messages between nodes, better scaling; no figure.
What they compared with, and how much arithmetic is in their times, is not known here; in ours there is none. `best` takes the fastest
form on each level."""

NOTES = """What the columns mean, and what these times are:

- A start of a persistent neighbor_alltoallv of doubles, with blocks packed for each neighbor, on a distributed graph: from a
  common begin to the slowest rank's end. Every value that came was looked at.
- `hand` is MPI_Irecv and MPI_Isend for each neighbor, then a wait for all. SimGrid has no MPI_Neighbor_alltoallv, so there is no
  `native`. Nor has it distributed graphs: `bench/sim/graphs.c` stands in for the calls that make and ask them.
- A message costs its sender and its receiver some time of a processor, the same inside a node and between nodes. Otherwise a network
  card takes any number of messages a second in this model, and no receive is searched for in a list. So `linear` takes as long as the
  rank with the most neighbors has messages, and a form gains what it takes from that rank. On real machines both could make `linear`
  slower.
- Messages between ranks of one node stay direct in every form. With 64 ranks on two nodes they are 52 to 67 % of the messages of the
  busiest rank on the levels that count, so 0.5 of linear's time is out of reach there.
- With blocks packed one by one, no value is recognized as a duplicate, so bytes between nodes are those of `linear`
  ([halo-patterns.md](halo-patterns.md) counts what goes to a node more than once).
- The stencil has 40 x 40 x 40 values a rank; with 10 x 10 x 10 it is level 0 of `laplace27`.
- The init, with the exchange of lists inside nodes, is in the CSV (`init_us`), not in these times.
- To save real time, at most 64 messages share a link of SimGrid at once; others wait. Without that limit times of four of the
  patterns with 64 ranks were 0 to 2.7 % longer, 0.4 % shorter at most."""

TABLES = f"""Neighbors of a rank that sends, and bytes of a message: medians. Leaving: messages from node to node, by linear and by node. Then
times divided by the one of linear; bold: the fastest form, also if it is linear. *: a level that counts for the median, with
more than {WIDE} neighbors and messages below {plot.bytes_text(SHORT)}."""
