# SPDX-License-Identifier: BSD-3-Clause
"""What Open MPI and MPICH would choose in each cell of the Sparbit experiment, beside our best and our auto."""

import functools
import statistics

import plot
import rules
from experiments import sparbit
from machines import CERVINO, YAHOO
from simulation import Job

TITLE = "Allgather: the choices of Open MPI and MPICH beside ours"
PAPER = "Decision rules: Open MPI 4.0.3 (coll/tuned, fixed rules), MPICH 4.0 (its size limits); machines: Sparbit paper"

TEXTBOOK = "bruck:step,recursive_doubling:step,ring,neighbor_exchange"
OURS = "sparbit:step,locality_bruck:step,hierarchical:step,lane:bruck+step,lane:ring+step,reorder_ring"
CHECKED = {"bruck:step": "bruck", "recursive_doubling:step": "rdb", "ring": "NTSLR", "neighbor_exchange": "ompi_neighborexchange"}
CHECK = "check "


def jobs(o):
    result = []
    for original in (YAHOO, CERVINO):
        machine = o.vary(original)
        ranks = [p for p in sparbit.ranks(o, original) if p < 200] if o.quick else sparbit.ranks(o, original)
        for p in (24, 104, 64) if o.sensitivity else ranks:
            for mapping in ("sequential", "cyclic"):
                nodes = min(machine.nodes, p if mapping == "cyclic" else -(-p // machine.cores))
                base = ("allgather_init", "-i", "1", "-x", "0", "-a", f"{TEXTBOOK},{OURS},auto")
                result.append(Job(machine, p, nodes, mapping, base + ("-M", "4G", "--fold", "1", "-m", "1:1M", "--factor",
                                                                      "16" if o.sensitivity else "4" if o.quick else "2")))
                if not o.sensitivity and p <= 64:
                    result.append(Job(machine, p, nodes, mapping, base + ("-c", "-m", "7:7"), panel=f"verified {mapping}"))
    for ours, theirs in CHECKED.items():
        if not o.sensitivity:
            result.append(Job(YAHOO, 64, 8, "sequential", ("allgather", "-i", "1", "-x", "1", "-m", "64:64k", "--factor", "32",
                                                           "-a", f"native,{ours}"), panel=CHECK + ours,
                              options=(f"--cfg=smpi/allgather:{theirs}",)))
    return result


def best_of_ours(times, p, n):
    return min(v for k, v in times.items() if k != "auto")


def measured(rows):
    rows = plot.from_csv(rows)
    return [r for r in rows if not r["label"].startswith((CHECK, "verified"))]


def ratios(rows, above, below):
    """Of all cells of all panels."""
    result = []
    for label in plot.panels_of(rows):
        for (p, n), cell in plot.cells_of(r for r in rows if r["label"] == label).items():
            t = {r["algorithm"]: r["median"] for r in cell}
            a, b = above(t, p, n), below(t, p, n)
            if a and b:
                result.append(a / b)
    return result


def chosen(rule, t, p, n):
    name = rule(p, n)
    return t.get(f"{name}:step" if f"{name}:step" in TEXTBOOK else name)


RULES = {name: functools.partial(chosen, of["allgather"]) for name, of in rules.RULES.items()}


def auto(t, p, n):
    return t.get("auto")


def best_of_all(t, p, n):
    return min(t.values())


def worst(rows):
    """Cells in which a rule's choice, or the best, is more than a tenth faster than auto."""
    text = ["", "Where auto takes more than 1.1 times the best:", "", "| cluster, mapping | ranks | block | auto took | the best | times |",
            "|---|--:|--:|---|---|--:|"]
    for label in plot.panels_of(rows):
        for (p, n), cell in sorted(plot.cells_of(r for r in rows if r["label"] == label).items()):
            best, mine = cell[0], [r for r in cell if r["algorithm"] == "auto"]
            if mine and mine[0]["median"] > 1.1 * best["median"]:
                text.append(f"| {label} | {p} | {plot.bytes_text(n)} | {mine[0]['took']} | {best['algorithm']} | "
                            f"{mine[0]['median'] / best['median']:.2f} |")
    return text


def verdict(rows):
    rows = measured(rows)
    facts = {}
    for name, rule in RULES.items():
        facts[f"{name} / our best, median"] = statistics.median(ratios(rows, rule, best_of_ours))
        facts[f"{name} / our auto, median"] = statistics.median(ratios(rows, rule, auto))
        x = ratios(rows, rule, auto)
        facts[f"auto slower than {name} by more than 5 %, % of cells"] = 100 * sum(r < 1 / 1.05 for r in x) / len(x)
    x = ratios(rows, auto, best_of_all)
    facts["auto within 10 % of the best, % of cells"] = 100 * sum(r <= 1.1 for r in x) / len(x)
    good = all(facts[f"{n} / our auto, median"] >= 1 for n in RULES)
    return ("our auto is better in the median" if good else "our auto is worse in the median"), facts


def report(o, rows):
    mine = measured(rows)
    text = ["Ratio of times, median [lowest, highest]; above 1 ours is faster:", "",
            "| cluster, mapping | rule | / our best | / our auto | cells where auto loses more than 5 % |",
            "|---|---|---|---|--:|"]
    for label in plot.panels_of(mine):
        some = [r for r in mine if r["label"] == label]
        for name, rule in RULES.items():
            b, a = ratios(some, rule, best_of_ours), ratios(some, rule, auto)
            lost = 100 * sum(x < 1 / 1.05 for x in a) / len(a)
            text.append(f"| {label} | {name} | {statistics.median(b):.2f} [{min(b):.2f}, {max(b):.2f}] | "
                        f"{statistics.median(a):.2f} [{min(a):.2f}, {max(a):.2f}] | {lost:.0f} % |")
    for name, rule in RULES.items():
        short = name.replace(" ", "").lower()
        plot.ratio(mine, o.picture(f"{short}-best"), f"{name}'s choice of allgather / best of ours (simulated)", rule, best_of_ours,
                   (f"{name}'s choice", "our best"))
        plot.ratio(mine, o.picture(f"{short}-auto"), f"{name}'s choice of allgather / our auto (simulated)", rule, auto,
                   (f"{name}'s choice", "our auto"))
        text += ["", o.image(f"{short}-best", f"{name} / best"), o.image(f"{short}-auto", f"{name} / auto")]
    text += worst(mine)
    checks = [r for r in plot.from_csv(rows) if r["label"].startswith(CHECK)]
    text += ["", "Our textbook forms against SimGrid's implementations (64 ranks, yahoo sequential), SimGrid / ours:", "",
             "| algorithm | SimGrid's | 64 B | 2 KiB | 64 KiB |", "|---|---|--:|--:|--:|"]
    for label in plot.panels_of(checks):
        name = label[len(CHECK):]
        cells = plot.cells_of(r for r in checks if r["label"] == label)
        x = []
        for key in sorted(cells):
            t = {r["algorithm"]: r["median"] for r in cells[key]}
            x.append(f"{t['native'] / t[name]:.2f}")
        text.append(f"| {name} | {CHECKED[name]} | " + " | ".join(x) + " |")
    return "\n".join(text + ["", WHY])


WHY = """The rules choose; the algorithm that they name is then Tutti's schedule of it. So the ratio compares choices, not
implementations.

- `our best` is the fastest in the cell of the four textbook algorithms and of sparbit, locality_bruck, hierarchical, lane
  and reorder_ring. `auto` is what the library takes by itself.
- The textbook algorithms take the same time as SimGrid's own, except neighbor exchange, where SimGrid's waits in each of
  its rounds. SimGrid's implementations end each round before the next starts; Tutti's do not."""
