# SPDX-License-Identifier: BSD-3-Clause
"""Locality-aware Bruck: 8 bytes a rank, regions are nodes (figures 7, 9 and 10)."""

import math

import plot
from machines import LASSEN, QUARTZ
from simulation import Job

TITLE = "Locality-aware Bruck against Bruck, hierarchical and multi-lane allgather"
PAPER = "Bienz, Gautam, Kharel: A Locality-Aware Bruck Allgather, figures 7, 9 and 10"

SIZE = 8
ALGORITHMS = "bruck:step,locality_bruck:step,hierarchical,lane:bruck+step"
# Ranks of a node -> numbers of nodes; powers of it as in the paper, and some between.
NODES = {
    QUARTZ: {4: (4, 16, 64, 256), 8: (8, 32, 64), 16: (4, 16, 64), 32: (8, 32)},
    LASSEN: {4: (4, 16, 64), 8: (8, 32, 64), 16: (4, 16, 64)},
}
FULL = {QUARTZ: {8: (128, 256), 16: (128, 256), 32: (64, 128)}, LASSEN: {4: (128,), 8: (128,), 16: (128,)}}


def panel(machine, per):
    return f"{machine.name}, {per} ranks a node"


def jobs(o):
    result = []
    for machine, grid in NODES.items():
        for per, nodes in grid.items():
            for n in nodes + (() if o.quick or o.sensitivity else FULL[machine].get(per, ())):
                if o.sensitivity and machine is LASSEN:
                    continue
                result.append(Job(o.vary(machine), n * per, n, "block",
                                  ("allgather_init", "-i", "1", "-x", "0", "-c", "-m", f"{SIZE}:{SIZE}", "-a", ALGORITHMS),
                                  panel=panel(machine, per)))
    return result


def modelled(m, per, p):
    """Equations 3 and 4, in us. (4) as its text has it: log2(q) local messages in each of log_q(r) + 1 gathers; the
    printed formula leaves log2(q) out."""
    alpha, beta = 2 * m.hop + 2 * m.overhead, 8 / m.nic
    alpha_l, beta_l = m.local + 2 * m.overhead, 1 / m.pair
    b, regions = SIZE * p, p / per
    steps = math.log(regions, per)
    flat = math.log2(p) * alpha + (b - 1) * beta
    local = steps * alpha + b / per * beta + math.log2(per) * (steps + 1) * alpha_l + (b - 1) * beta_l
    return 1e6 * flat, 1e6 * local


def gains(rows):
    """(machine, ranks of a node, ranks) -> time of Bruck / of the locality-aware one, name of the fastest, times."""
    result = {}
    for machine, grid in NODES.items():
        for per in grid:
            cells = plot.cells_of(r for r in rows if r["label"] == panel(machine, per))
            for (p, _), cell in cells.items():
                t = {r["algorithm"].split(":")[0]: r["median"] for r in cell}
                result[(machine, per, p)] = (t["bruck"] / t["locality_bruck"], cell[0]["algorithm"], t)
    return result


def verdict(rows):
    g, facts, series, grows = gains(plot.from_csv(rows)), {}, [], True
    for machine in NODES:
        most = {per: p for m, per, p in sorted(g, key=lambda k: k[1:]) if m is machine}
        largest = [g[(machine, per, p)][0] for per, p in most.items()]
        if largest:
            facts[f"{machine.name}: Bruck / locality-aware at the most ranks, {', '.join(map(str, most))} a node"] = \
                ", ".join(f"{x:.2f}" for x in largest)
            grows = grows and largest == sorted(largest)
            series += largest
    best = sum(v[1].startswith("locality") for v in g.values())
    facts["locality-aware is fastest of all four"] = f"in {best} of {len(g)}"
    # better than Bruck, the more so the more ranks a node has; often best of all
    claims = [min(series) > 1, grows, 2 * best >= len(g)]
    facts["claims that hold"] = f"{sum(claims)} of {len(claims)}"
    return ("reproduced" if all(claims) else "in part" if any(claims) else "not reproduced"), facts


def report(o, rows):
    rows = plot.from_csv(rows)
    more = {label: {"bruck:step": [], "locality_bruck:step": []} for label in plot.panels_of(rows)}
    text = ["| cluster | ranks a node | ranks | Bruck, us | locality-aware | hierarchical | lane | Bruck / locality-aware | modelled (3) / (4) |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for (machine, per, p), (gain, _, t) in gains(rows).items():
        flat, local = modelled(machine, per, p)
        more[panel(machine, per)]["bruck:step"].append((p, flat))
        more[panel(machine, per)]["locality_bruck:step"].append((p, local))
        text.append(f"| {machine.name} | {per} | {p} | {t['bruck']:.2f} | {t['locality_bruck']:.2f} | {t['hierarchical']:.2f} | "
                    f"{t['lane']:.2f} | {gain:.2f} | {flat / local:.2f} |")
    text.append("")
    for machine in NODES:
        mine = [r for r in rows if r["label"].startswith(machine.name)]
        plot.lines(mine, o.picture(machine.name), f"Allgather of 8 bytes a rank on {machine.name} (simulated; dotted: equations 3, 4)",
                   by="ranks", more=more)
        text.append(o.image(machine.name, machine.name))
    return "\n".join(text + ["", WHY])


WHY = """Figures 9 and 10 have no numbers in the paper's text. Its claims are that the locality-aware algorithm improves over Bruck, the
more so the more ranks a node has, and often over hierarchical and multi-lane. Figure 9 is Quartz, figure 10 Lassen, of
which the paper uses one socket a node, as is done here.

Three claims are counted: better than Bruck with every number of ranks a node, at the most ranks; better the more ranks a node
has; fastest of the four at least half the time. The lane algorithm uses Bruck in both phases. Equation 3 takes all of
Bruck's messages for non-local ones, which holds for the rank that sends most of those. All runs were verified."""
