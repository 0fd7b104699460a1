# SPDX-License-Identifier: BSD-3-Clause
"""Every collective on 8 nodes of 8 ranks: flat forms beside lane and hierarchical ones, and what auto takes."""

import plot
from machines import QUARTZ
from simulation import Job

TITLE = "Nodes: flat, lane and hierarchical forms of every collective"
PAPER = "Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication (the forms); the limits of auto are ours"

LARGE, BLOCKS = "8:2M", "8:32k"
COLLECTIVES = {  # sizes, flat forms, those that look at nodes
    "allreduce": (LARGE, "recursive_doubling,bine,circulant,ring,rabenseifner,dual_root:16",
                  "hierarchical:recursive_doubling+step,hierarchical:circulant+step,lane:recursive_doubling+step,"
                  "lane:circulant+step,lane:circulant+block,lane:ring+block"),
    "bcast": (LARGE, "binomial,circulant,scatter_allgather,chain", "hierarchical:binomial+step,hierarchical:circulant+block,"
              "lane:binomial+step,lane:circulant+step,lane:circulant+block,reorder_binomial"),
    "reduce": (LARGE, "binomial,circulant,rabenseifner,chain", "hierarchical:binomial+step,lane:circulant+step,"
               "lane:binomial+step,lane:chain+block+8,reorder_binomial"),
    "scan": (LARGE, "recursive_doubling", "hierarchical:recursive_doubling+step,lane:recursive_doubling+step,"
             "lane:recursive_doubling+block+4"),
    "exscan": (LARGE, "recursive_doubling,doubling_123", "hierarchical:recursive_doubling+step,lane:recursive_doubling+step"),
    "reduce_scatter_block": (BLOCKS, "circulant,pairwise,recursive_doubling",
                             "hierarchical:circulant+step,lane:circulant+step,lane:pairwise+step"),
    "gather": (BLOCKS, "linear,binomial", "hierarchical:binomial+step,hierarchical:linear+step,lane:linear+step,reorder_binomial"),
    "scatter": (BLOCKS, "linear,binomial", "hierarchical:binomial+step,hierarchical:linear+step,lane:linear+step"),
}
MAPPINGS = ("block", "cyclic")


def jobs(o):
    result = []
    for name, (sizes, flat, nodes) in COLLECTIVES.items():
        for mapping in MAPPINGS[:1] if o.sensitivity else MAPPINGS:
            arguments = (f"{name}_init", "-i", "1", "-x", "0", "-M", "8G", "-m", sizes, "--factor", "8", "-a", f"{flat},{nodes},auto")
            result.append(Job(o.vary(QUARTZ), 64, 8, mapping, arguments, panel=f"{name}, {mapping}"))
    return result


def times(rows):
    """(label, bytes) -> algorithm -> microseconds"""
    return {(label, n): {r["algorithm"]: r["median"] for r in cell}
            for label in dict.fromkeys(r["label"] for r in rows)
            for (_, n), cell in sorted(plot.cells_of(r for r in rows if r["label"] == label).items())}


def looks_at_nodes(name):
    return name.startswith(("lane", "hierarchical", "reorder"))


def best(t, of_nodes):
    return min((t[a], a) for a in t if a != "auto" and looks_at_nodes(a) == of_nodes)


def verdict(rows):
    cells = times(plot.from_csv(rows))
    gains = {}
    for (label, n), t in cells.items():
        gains.setdefault(label, []).append(best(t, False)[0] / best(t, True)[0])
    lost = [t["auto"] / min(best(t, False)[0], best(t, True)[0]) for t in cells.values()]
    facts = {f"{label}: best flat / best form that uses nodes": f"{min(g):.2f} to {max(g):.2f}" for label, g in gains.items()}
    facts["auto / best, highest"] = max(lost)
    return f"auto / best at most {max(lost):.2f}", facts


def report(o, rows):
    cells = times(plot.from_csv(rows))
    text = []
    for label in dict.fromkeys(label for label, _ in cells):
        text += [f"{label}:", "", "| bytes | best flat form | us | best form that uses nodes | us | flat / nodes | auto / best |",
                 "|--:|---|--:|---|--:|--:|--:|"]
        for (which, n), t in cells.items():
            if which == label:
                (f, flat), (x, nodes) = best(t, False), best(t, True)
                text.append(f"| {plot.bytes_text(n)} | `{flat}` | {f:.1f} | `{nodes}` | {x:.1f} | {f / x:.2f} | {t['auto'] / min(f, x):.2f} |")
        text.append("")
    return "\n".join(text + [WHY])


WHY = """Persistent operations on 64 ranks on 8 nodes of quartz, in blocks and dealt out one by one; sums of doubles. Where ranks are
dealt out, scan and exscan have no form that uses nodes: they run the flat one. Other numbers of ranks were not simulated
here; nodes with several rails are in [lane.md](lane.md)."""
