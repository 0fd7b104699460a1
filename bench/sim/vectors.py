# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of collectives on one vector have in common: which algorithm is fastest by size and ranks, where they
cross, and what MPICH and Open MPI choose."""

import statistics

import plot
from machines import QUARTZ
from simulation import Job

PANEL = "quartz"
RANKS = (64, 256, 1000)
SIZES = "8:2M"


def jobs(o, collective, algorithms):
    """algorithms(p): names; rings are left out on 1000 ranks, where each takes SimGrid minutes, but where auto takes one."""
    result = []
    for p in (64,) if o.sensitivity else RANKS:
        machine = o.vary(QUARTZ)
        base = (f"{collective}_init", "-i", "1", "-x", "0", "-M", "8G", "--fold", "1")
        names = ",".join(name for name in algorithms(p) if p < 1000 or "ring" not in name)
        result.append(Job(machine, p, -(-p // 8), "block", base + ("-m", SIZES, "--factor", "8", "-a", names), panel=PANEL))
        if not o.sensitivity and p < 1000:
            result.append(Job(machine, p, -(-p // 8), "block", (f"{collective}_init", "-i", "1", "-x", "0", "-c", "-m", "4096:4096",
                                                                "-a", names), panel="verified"))
    return result


def measured(rows):
    return [r for r in plot.from_csv(rows) if r["label"] == PANEL]


def times(rows):
    """(ranks, bytes) -> algorithm -> microseconds"""
    return {key: {r["algorithm"]: r["median"] for r in cell} for key, cell in sorted(plot.cells_of(measured(rows)).items())}


def fastest(t):
    return min((name for name in t if name != "auto"), key=t.get)


def crossings(rows):
    """ranks -> [(bytes from which it is fastest, algorithm)]"""
    result = {}
    for (p, n), t in times(rows).items():
        line = result.setdefault(p, [])
        if not line or line[-1][1] != fastest(t):
            line.append((n, fastest(t)))
    return result


def ratios(rows, rule):
    """Time of what a rule names / our best, / our auto: of the cells for which it names something that was simulated."""
    best, auto = [], []
    for (p, n), t in times(rows).items():
        name = rule(p, n)
        if name in t:
            best.append(t[name] / t[fastest(t)])
            if "auto" in t:
                auto.append(t[name] / t["auto"])
    return best, auto


def auto_lost(rows):
    """Time of our auto / our best, of all cells; below 1 where it takes what was not simulated alone."""
    return [t["auto"] / t[fastest(t)] for t in times(rows).values()]


def median(x):
    return statistics.median(x) if x else float("nan")


def verdict(rows, rules):
    facts = {f"{p} ranks": ", ".join(f"{name} from {plot.bytes_text(n)}" for n, name in line)
             for p, line in crossings(rows).items()}
    lost = auto_lost(rows)
    facts["our auto / our best, median"], facts["our auto / our best, highest"] = median(lost), max(lost)
    good = True
    for name, rule in rules.items():
        best, auto = ratios(rows, rule)
        facts[f"{name} / our best, median"] = median(best)
        facts[f"{name} / our auto, median"] = median(auto)
        good &= median(auto) > 0.99  # the same choice: equal but for the last digits
    return ("our auto is at least as good as both rules in the median" if good else
            "our auto is worse than a rule in the median"), facts


def table(rows):
    names = sorted(dict.fromkeys(r["algorithm"] for r in measured(rows)), key=lambda name: name == "auto")
    text = ["Times of the slowest rank, us; the fastest in bold:", "",
            "| ranks | bytes | " + " | ".join(names) + " | auto / best |", "|--:|--:|" + "--:|" * (len(names) + 1)]
    for (p, n), t in times(rows).items():
        cells = [f"**{t[a]:.1f}**" if a == fastest(t) else f"{t[a]:.1f}" if a in t else "" for a in names]
        text.append(f"| {p} | {plot.bytes_text(n)} | " + " | ".join(cells) + f" | {t['auto'] / t[fastest(t)]:.2f} |")
    return text


def rules_text(rows, rules):
    text = ["What the MPIs would choose, as our schedule of it; ratio of times, median [lowest, highest]; above 1 ours is faster:",
            "", "| rule | / our best | / our auto | cells | of them auto loses more than 5 % in |", "|---|---|---|--:|--:|"]
    for name, rule in rules.items():
        best, auto = ratios(rows, rule)
        lost = sum(x < 1 / 1.05 for x in auto)
        text.append(f"| {name} | {median(best):.2f} [{min(best):.2f}, {max(best):.2f}] | "
                    f"{median(auto):.2f} [{min(auto):.2f}, {max(auto):.2f}] | {len(best)} | {lost} |")
    return text


def pictures(o, rows, rules, title):
    """Of the fastest, of times, and of each rule against auto; returns the page's lines."""
    mine, unit = measured(rows), "bytes of the vector"
    others = [r for r in mine if r["algorithm"] != "auto"]  # whose line lies on theirs
    plot.heatmap(others, o.picture("best"), f"Fastest {title} on quartz, 8 ranks a node (simulated)", unit=unit)
    plot.lines([dict(r, label=f"{r['ranks']} ranks") for r in others], o.picture("times"),
               f"{title} on quartz, 8 ranks a node (simulated)", unit=unit)
    text = [o.image("best", "Fastest"), o.image("times", "Times")]
    for name, rule in rules.items():
        short = name.replace(" ", "").lower()
        plot.ratio(mine, o.picture(short), f"{title}: {name}'s choice / our auto (simulated)", lambda t, p, n: t.get(rule(p, n)),
                   lambda t, p, n: t.get("auto"), (f"{name}'s choice", "our auto"), unit=unit)
        text.append(o.image(short, f"{name} / auto"))
    return text


def report(o, rows, rules, title, why):
    return "\n".join([*table(rows), "", *rules_text(rows, rules), "", *pictures(o, rows, rules, title), "", why])
