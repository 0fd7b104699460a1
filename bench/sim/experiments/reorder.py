# SPDX-License-Identifier: BSD-3-Clause
"""Rank reordering: four initial mappings, flat and hierarchical allgather (figures 3, 4 and 7); trees of other collectives."""

import re
import subprocess
from dataclasses import replace

import plot
from machines import GPC
from simulation import ROOT, Job

TITLE = "Reordered ranks: how much of a bad mapping's cost they take away"
PAPER = "Mirsadeghi, Afsahi: Topology-Aware Rank Reordering for MPI Collectives, figures 3, 4 and 7"

MAPPINGS = ("block-bunch", "block-scatter", "cyclic-bunch", "cyclic-scatter")
ORDERS = ("place", "initcomm", "endshuffle")
# Figure 3: highest improvement over the default, in per cent: up to 1 KiB (recursive doubling), above (ring).
PUBLISHED = {"block-bunch": ("67", "0"), "block-scatter": ("-", "50"), "cyclic-bunch": ("50", "78"),
             "cyclic-scatter": ("less than block-bunch", "78")}

BLOCKS = (16, 1024, 65536)  # bytes of a block, for which the phases of the hierarchical allgather are looked at
SLOW = 8  # how much slower the sockets of a node may be joined
PARTS = ("gather", "bcast")
TREES = ("bcast", "reduce", "gather")


def words(name):
    return ",".join(f"reorder_{name}:{order}" if name == "ring" else f"reorder_{name}:step+{order}" for order in ORDERS)


def jobs(o):
    result = []
    p = 512 if o.sensitivity else 1024 if o.quick else 4096
    ring = 256 if o.quick else 1024
    for mapping in MAPPINGS:
        small = ("allgather_init", "-i", "1", "-x", "0", "-m", "16:1k", "--factor", "4")
        large = ("allgather_init", "-i", "1", "-x", "0", "-m", "4k:256k", "--factor", "8", "-M", "4G", "--fold", "1")
        result.append(Job(o.vary(GPC), p, p // 8, mapping, small + ("--fold", "1", "-a", "recursive_doubling:step," +
                                                                  words("recursive_doubling")), panel=f"flat {mapping}"))
        result.append(Job(o.vary(GPC), ring, ring // 8, mapping, large + ("-a", "ring,reorder_ring:place"),
                          panel=f"flat {mapping}"))
        if mapping.startswith("block") and not o.sensitivity:
            for kind in ("linear", "binomial"):
                names = f"hierarchical:{kind}+step,reorder_hierarchical:{kind}+step"
                base = ("allgather_init", "-i", "1", "-x", "0", "-m", "16:64k", "--factor", "8", "-M", "4G", "--fold", "1")
                result.append(Job(o.vary(GPC), ring, ring // 8, mapping, base + ("-a", names),
                                  panel=f"hierarchical {kind} {mapping}"))
        if not o.sensitivity:  # with data that is looked at
            result.append(Job(o.vary(GPC), 128, 16, mapping, ("allgather_init", "-i", "1", "-x", "0", "-c", "-m", "7:7", "-a",
                                                            "all"), panel=f"verified {mapping}"))
    return result + ([] if o.sensitivity else phases() + trees())


def phases():
    """The phases of the hierarchical allgather of 256 ranks alone, in the order that is and in the heuristics'; and where the
    sockets of a node are joined more slowly than they are."""
    slow, result = replace(GPC, bus=GPC.bus / SLOW, bushop=GPC.bushop * SLOW), []
    base, names = ("-i", "1", "-x", "0", "-M", "4G", "-m"), ("-a", "binomial,reorder_binomial")

    def sizes(factor):  # of what a phase sends: so many blocks
        return f"{factor * BLOCKS[0]}:{factor * BLOCKS[-1]}", "--factor", str(BLOCKS[1] // BLOCKS[0])

    for machine, text in ((GPC, ""), (slow, ", slow bus")):
        for what, factor in (("gather", 1), ("bcast", 256)):
            result.append(Job(machine, 8, 1, "block-scatter", (f"{what}_init", *base, *sizes(factor), *names),
                              panel=f"part {what}{text}"))
    for nodes in (32, 128):
        leaders = ("allgather_init", *base, *sizes(8), "--fold", "1", "-a",
                   "bruck:step,reorder_bruck:step,recursive_doubling:step,reorder_recursive_doubling:step,"
                   "reorder_recursive_doubling:step+initcomm")
        result.append(Job(GPC, nodes, nodes, "block", leaders, panel=f"part leaders, {nodes} nodes"))
    whole = ("allgather_init", *base, *sizes(1), "--fold", "1", "-a", "hierarchical:binomial+step,reorder_hierarchical:binomial+step")
    return result + [Job(slow, 256, 32, "block-scatter", whole, panel="part all, slow bus")]


def trees():
    """256 ranks, the binomial tree as it is and in an order for it."""
    base = ("-i", "1", "-x", "0", "-a", "binomial,reorder_binomial", "-M", "4G", "-m")
    sizes = {"gather": ("16:16k", "--factor", "32")}
    return [Job(GPC, 256, 32, mapping, (f"{what}_init", *base, *sizes.get(what, ("1k:1M", "--factor", "32"))),
                panel=f"tree {what} {mapping}") for what in TREES for mapping in MAPPINGS]


def improvements(rows):
    """label -> {(size, reordered algorithm): per cent saved over the one without}"""
    result = {}
    for r in plot.from_csv(rows):
        result.setdefault(r["label"], {}).setdefault(r["size"], {})[r["algorithm"]] = r["median"]
    out = {}
    for label, sizes in result.items():
        if not label.startswith(("flat", "hierarchical")):
            continue
        for n, times in sizes.items():
            for name, t in times.items():
                if name.startswith("reorder_"):
                    base = next(v for k, v in times.items() if k.split(":")[0] == name.split(":")[0][len("reorder_"):])
                    out.setdefault(label, {})[n, name] = 100 * (base - t) / base
    return out


def highest(out, mapping, name, word="place"):
    values = [v for (n, a), v in out[f"flat {mapping}"].items() if a.startswith(f"reorder_{name}:") and a.endswith(word)]
    return max(values)


def verdict(rows):
    out = improvements(rows)
    facts = {}
    for m in MAPPINGS:
        facts[f"{m}, small, %"] = highest(out, m, "recursive_doubling")
        facts[f"{m}, large, %"] = highest(out, m, "ring")
    claims = [facts["block-bunch, small, %"] > 10, abs(facts["block-bunch, large, %"]) < 5,
              facts["cyclic-bunch, large, %"] > 30, facts["cyclic-scatter, large, %"] > 30,
              facts["block-scatter, large, %"] > 10]
    facts["claims that hold"] = f"{sum(claims)} of {len(claims)}"
    # of the hierarchical algorithms (up to 30 % in the paper) the tables tell: not with this bus and so few nodes
    return ("in part: flat yes, hierarchical no" if all(claims) else "in part" if any(claims) else "not reproduced"), facts


def overheads():
    """Figure 7b on this machine: time to find the orders."""
    program = ROOT / "build/mpich/bin/tutti-bench"
    if not program.exists():
        return "Figure 7b needs ./dev build mpich."
    text = subprocess.run([program, "reorder", "1024", "2048", "4096"], capture_output=True, text=True, check=True).stdout
    worst, scotch, p = {}, {}, None
    for line in text.splitlines():
        if m := re.match(r"(\d+) ranks:", line):
            p = int(m[1])
        elif len(f := line.split()) >= 5 and f[1] in MAPPINGS:
            worst[p] = max(worst.get(p, 0), float(f[4]))
            if len(f) >= 7:
                scotch[p] = max(scotch.get(p, 0), float(f[6]))
    lines = ["Figure 7b, measured on this machine with `tutti-bench reorder`: the slowest of all patterns and mappings, ms "
             "(paper: about 24 ms with 4096 ranks):", "", "| ranks | ours | Scotch |", "|--:|--:|--:|"]
    return "\n".join(lines + [f"| {n} | {worst[n]:.1f} | {scotch.get(n, 0):.0f} |" for n in sorted(worst)])


def times(rows, label):
    """bytes -> algorithm, without its form -> us"""
    return {n: {r["algorithm"].replace(",step", "").replace(":step", ""): r["median"] for r in cell}
            for (_, n), cell in sorted(plot.cells_of(r for r in plot.from_csv(rows) if r["label"] == label).items())}


def saved(t, name, how=""):
    """Per cent by the order of reorder_NAME over NAME."""
    return 100 * (t[name] - t[f"reorder_{name}{how}"]) / t[name]


def phases_text(rows):
    """Why the hierarchical allgather gains less than in the paper: its phases alone."""
    plain, slow = ({what: times(rows, f"part {what}{text}") for what in PARTS} for text in ("", ", slow bus"))
    leaders = {nodes: times(rows, f"part leaders, {nodes} nodes") for nodes in (32, 128)}
    all_slow, whole = times(rows, "part all, slow bus"), times(rows, "hierarchical binomial block-scatter")
    text = ["Why so little? The phases of the hierarchical allgather alone (trees, block-scatter, 32 nodes of 8 ranks), us, and what an "
            "order for each phase saves, in per cent:", "",
            f"| bytes of a block | gather | leaders (Bruck) | broadcast | all | saved: gather | leaders | broadcast | broadcast, bus {SLOW} "
            f"times slower | all, bus {SLOW} times slower |", "|--:|" + "--:|" * 9]
    for n in BLOCKS:
        t = plain["gather"][n], leaders[32][8 * n], plain["bcast"][256 * n]
        text.append(f"| {n} | {t[0]['binomial']:.1f} | {t[1]['bruck']:.1f} | {t[2]['binomial']:.1f} | {whole[n]['hierarchical:binomial']:.1f} | "
                    f"{round(saved(t[0], 'binomial'))} | {round(saved(t[1], 'bruck'))} | {round(saved(t[2], 'binomial'))} | "
                    f"{round(saved(slow['bcast'][256 * n], 'binomial'))} | {round(saved(all_slow[n], 'hierarchical:binomial'))} |")
    text += ["", "The leaders alone, by the number of nodes (30 on a leaf switch), saved, in per cent:", "",
             "| nodes | bytes of a block | Bruck | recursive doubling | with initcomm |", "|--:|--:|--:|--:|--:|"]
    for nodes, sizes in leaders.items():
        text += [f"| {nodes} | {n // 8} | {round(saved(t, 'bruck'))} | {round(saved(t, 'recursive_doubling'))} | "
                 f"{round(saved(t, 'recursive_doubling', ',initcomm'))} |" for n, t in sizes.items()]
    n = BLOCKS[1]
    share = 100 * (plain["gather"][n]["binomial"] + plain["bcast"][256 * n]["binomial"]) / whole[n]["hierarchical:binomial"]
    return text + ["", PHASES.format(share=share, longer=-saved(plain["bcast"][256 * n], "binomial"), factor=SLOW,
                                     slow=saved(all_slow[n], "hierarchical:binomial"),
                                     few=saved(leaders[32][8 * n], "bruck"), many=saved(leaders[128][8 * n], "bruck"),
                                     doubling=saved(leaders[128][8 * n], "recursive_doubling", ",initcomm"))]


PHASES = """The reason is the model and the number of nodes more than the algorithm. The phases inside nodes are a visible share: {share:.0f} %
with blocks of 1 KiB. But in this model the distance between sockets costs next to nothing: a message moves 3 GB/s anywhere
inside a node, and the bus between sockets carries 11 GB/s each way, so four messages at a time just fill it.

The order takes 3 of the broadcast's 4 messages off the bus. The one that is left is the first, which half of the ranks wait
for, and the broadcast takes {longer:.0f} % longer. With a bus {factor} times slower and nothing else changed the whole allgather saves {slow:.0f} %
(paper: up to 30 %).

The paper's gain for the gather is not found: 4 of its 12 blocks go between the sockets, one from each odd rank, and the
heuristic finds no order with a smaller sum of blocks times distance, so the order stays (`tutti-plan gather reorder_binomial
-p 8 --regions 'node:8 package:2@cyclic' --all`).

With linear phases only the leaders can be reordered. 32 nodes are 30 on one switch and 2 on the other, and {few:.0f} % can be saved
there with blocks of 1 KiB; with 128 nodes {many:.0f} %, and {doubling:.0f} % with recursive doubling in an `initcomm` order, as the paper had
(up to 30 %, with 512 nodes). Blocks that keep their positions are apart in an order, and packing them is charged as a copy on
each side. That is why recursive doubling loses on 32 nodes, and gains less on 128."""


def trees_text(rows):
    text = ["`reorder_binomial`, 256 ranks: what the order for the tree saves over the ranks' own, in per cent (not in the paper):", "",
            "| call | mapping | small | medium | large |", "|---|---|--:|--:|--:|"]
    for what in TREES:
        for mapping in MAPPINGS:
            found = times(rows, f"tree {what} {mapping}")
            text.append(f"| {what} | {mapping} | " + " | ".join(f"{round(saved(t, 'binomial'))}" for t in found.values()) + " |")
    return text + ["", TREES_WHY]


TREES_WHY = """Small, medium and large are 1 KiB, 32 KiB and 1 MiB of a vector, 16, 512 and 16384 bytes of a gather's block. Trees of vectors
gain where ranks are dealt to nodes one by one, and have nothing to gain over block mappings. A gather of larger blocks loses,
although its order does what the heuristic promises:

- On block-bunch the sum of blocks times distance falls from 9344 to 7906 (`tutti-bench reorder 256`), and 324 blocks pass
  between nodes instead of 640 (`tutti-plan gather reorder_binomial -p 256 --regions 'node:8 package:4' --all`).
- But they go in 116 messages instead of 31. The largest, of 128, 64 and 32 blocks, are now inside the root's node, where a
  message moves more slowly (3 GB/s) than between nodes (4). The sum does not see who waits for whom."""


def report(o, rows):
    out = improvements(rows)
    text = ["Highest improvement over the algorithm in the ranks' own order, in per cent:", "",
            "| initial mapping | recursive doubling, up to 1 KiB | paper | initcomm | endshuffle | ring, above | paper |",
            "|---|--:|--:|--:|--:|--:|--:|"]
    for m in MAPPINGS:
        rd = [highest(out, m, "recursive_doubling", w) for w in ORDERS]
        text.append(f"| {m} | {rd[0]:.0f} | {PUBLISHED[m][0]} | {rd[1]:.0f} | {rd[2]:.0f} | {highest(out, m, 'ring'):.0f} | "
                    f"{PUBLISHED[m][1]} |")
    hierarchical = {k: v for k, v in out.items() if k.startswith("hierarchical")}
    text += ["", "Hierarchical (paper: up to 30 % with trees over block-scatter above 1 KiB, with linear phases up to 30 % below "
             "1 KiB):", "", "| phases, mapping | lowest, % | highest, % |", "|---|--:|--:|"]
    text += [f"| {k[13:]} | {min(v.values()):.1f} | {max(v.values()):.1f} |" for k, v in hierarchical.items()]
    flat = [dict(command="allgather_init", label=k[5:], ranks=0, size=n, algorithm=a, median=v, low=v, high=v, overlap=v)
            for k, cells in out.items() if k.startswith("flat") for (n, a), v in cells.items()]
    plot.lines(flat, o.picture("flat"), "Improvement by reordered ranks on gpc (simulated)", value="overlap",
               text="time saved over the same algorithm\nin the ranks' own order, %")
    return "\n".join(text + ["", *phases_text(rows), "", o.image("flat", "Improvement"), "", *trees_text(rows), "", overheads(), "", WHY])


WHY = """The reference is the same algorithm without reordering; the paper's is MVAPICH2's choice, which uses recursive doubling up to
1 KiB and the ring above. With `--quick` there are 1024 ranks for recursive doubling and 256 for ring and hierarchical, with
`--full` 4096 and 1024 (the ring of 4096 ranks would be 17 million messages).

Tutti's heuristics never take an order that costs more than the one there is. Processes do not disturb each other here, and
the tree's core does not block; the paper's congestion has more causes."""
