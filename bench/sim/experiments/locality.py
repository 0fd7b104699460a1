"""Locality-aware Bruck: 8 bytes a rank, regions are nodes (figures 7, 9 and 10)."""

import math

import plot
from machines import QUARTZ
from simulation import Job

TITLE = "Locality-aware Bruck against Bruck, hierarchical and multi-lane allgather"
PAPER = "Bienz, Gautam, Kharel: A Locality-Aware Bruck Allgather, figures 7, 9 and 10"

SIZE = 8
ALGORITHMS = "bruck:step,locality_bruck:step,hierarchical,lane:bruck+step"
# Ranks of a node -> numbers of nodes; powers of it as in the paper, and some between.
NODES = {4: (4, 16, 64, 256), 8: (8, 32, 64), 16: (4, 16, 64), 32: (8, 32)}
FULL = {8: (128, 256), 16: (128, 256), 32: (64, 128)}


def panel(per):
    return f"{per} ranks a node"


def jobs(o):
    result = []
    for per, nodes in NODES.items():
        for n in nodes + (() if o.quick or o.sensitivity else FULL.get(per, ())):
            if o.sensitivity and n * per > 512:
                continue
            result.append(Job(o.vary(QUARTZ), n * per, n, "block",
                              ("allgather_init", "-i", "1", "-x", "0", "-c", "-m", f"{SIZE}:{SIZE}", "-a", ALGORITHMS),
                              panel=panel(per)))
    return result


def modelled(per, p):
    """Equations 3 and 4, in us. (4) as its text has it: log2(q) local messages in each of log_q(r) + 1 gathers; the
    printed formula leaves log2(q) out."""
    m = QUARTZ
    alpha, beta = 2 * m.hop + 2 * m.overhead, 8 / m.nic
    alpha_l, beta_l = m.local + 2 * m.overhead, 1 / m.pair
    b, regions = SIZE * p, p / per
    steps = math.log(regions, per)
    flat = math.log2(p) * alpha + (b - 1) * beta
    local = steps * alpha + b / per * beta + math.log2(per) * (steps + 1) * alpha_l + (b - 1) * beta_l
    return 1e6 * flat, 1e6 * local


def gains(rows):
    """(ranks of a node, ranks) -> time of Bruck / time of the locality-aware one."""
    result = {}
    for label in plot.panels_of(rows):
        for (p, _), cell in plot.cells_of(r for r in rows if r["label"] == label).items():
            t = {r["algorithm"].split(":")[0]: r["median"] for r in cell}
            result[(int(label.split()[0]), p)] = (t["bruck"] / t["locality_bruck"], cell[0]["algorithm"], t)
    return result


def verdict(rows):
    g = gains(plot.from_csv(rows))
    largest = {per: g[max(k for k in g if k[0] == per)][0] for per in sorted({k[0] for k in g})}
    best = sum(v[1].startswith("locality") for v in g.values())
    facts = {f"Bruck / locality-aware at the most ranks, {per} a node": v for per, v in largest.items()}
    facts["locality-aware is fastest of all four"] = f"in {best} of {len(g)}"
    wins = all(v > 1 for v in largest.values())
    # claims: better than Bruck, and the more so the more ranks a node has; often best of all
    if wins and largest[max(largest)] > largest[min(largest)] and 2 * best >= len(g):
        return "reproduced", facts
    return ("in part" if wins else "not reproduced"), facts


def report(o, rows):
    rows = plot.from_csv(rows)
    more = {label: {"bruck:step": [], "locality_bruck:step": []} for label in plot.panels_of(rows)}
    text = ["| ranks a node | ranks | Bruck, us | locality-aware | hierarchical | lane | Bruck / locality-aware | modelled (3) / (4) |",
            "|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for (per, p), (gain, _, t) in sorted(gains(rows).items()):
        flat, local = modelled(per, p)
        more[panel(per)]["bruck:step"].append((p, flat))
        more[panel(per)]["locality_bruck:step"].append((p, local))
        text.append(f"| {per} | {p} | {t['bruck']:.2f} | {t['locality_bruck']:.2f} | {t['hierarchical']:.2f} | "
                    f"{t['lane']:.2f} | {gain:.2f} | {flat / local:.2f} |")
    plot.lines(rows, o.picture("times"), "Allgather of 8 bytes a rank on quartz (simulated; dotted: equations 3, 4)",
               by="ranks", more=more)
    return "\n".join(text + ["", o.image("times", "Times"), "", WHY])


WHY = """The paper's figures 9 and 10 have no numbers in its text; its claims are that the locality-aware algorithm improves over
Bruck, the more so the more ranks a node has, and often over hierarchical and multi-lane. Figure 10's Lassen has the same
pattern with sockets as regions and is not simulated apart. The lane algorithm uses Bruck in both phases. Equation 3
takes all of Bruck's messages for non-local ones, which holds for the rank that sends most of those. All runs verified."""
