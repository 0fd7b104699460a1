# SPDX-License-Identifier: BSD-3-Clause
"""Alltoallv of small blocks on many ranks: Bruck with a size exchange beside direct messages."""

import plot
from machines import QUARTZ
from simulation import Job

TITLE = "Alltoallv: bruck_radix after a size exchange, and direct messages"
PAPER = "Fan et al., TuNA, arXiv 2411.02581; a user's 8-byte alltoallv on 12,288 ranks takes 2.3 s natively (mpich issue 7601)"

ALGORITHMS = ["bruck_radix:2", "bruck_radix:4", "bruck_radix:8", "bruck_radix:32", "linear", "pairwise"]


def jobs(o):
    """1024 ranks send a million direct messages in each call: there 8 bytes alone, persistent, by few algorithms."""
    result = []
    for p in (64,) if o.sensitivity else (64, 256):
        base = ("-i", "1", "-x", "0", "-a", ",".join(ALGORITHMS))
        for form in ("alltoallv_init", "alltoallv"):
            result.append(Job(o.vary(QUARTZ), p, p // 8, "block", (form,) + base + ("-M", "8G", "-m", "8:512", "--factor", "8"), panel=form))
        if not o.sensitivity and p == 64:
            result.append(Job(o.vary(QUARTZ), p, p // 8, "block", ("alltoallv_init",) + base + ("-c", "-m", "24:24"), panel="verified"))
    if not o.sensitivity:
        result += [Job(o.vary(QUARTZ), 1024, 128, "block", ("alltoallv_init", "-i", "1", "-x", "0", "-a", name, "-M", "8G", "-m", "8:8"),
                       panel="alltoallv_init") for name in ("bruck_radix:2", "bruck_radix:8", "pairwise")]
    return result


def measured(rows):
    return [r for r in plot.from_csv(rows) if r["label"] in ("alltoallv_init", "alltoallv")]


def times(rows, form):
    """(ranks, bytes) -> algorithm -> microseconds"""
    rows = [r for r in measured(rows) if r["label"] == form]
    return {key: {r["algorithm"]: r["median"] for r in cell} for key, cell in sorted(plot.cells_of(rows).items())}


def gain(t):
    return min(t.get("linear", t["pairwise"]), t["pairwise"]) / min(v for k, v in t.items() if k.startswith("bruck"))


def verdict(rows):
    facts = {}
    for form, name in (("alltoallv_init", "persistent"), ("alltoallv", "blocking")):
        cells = times(rows, form)
        facts |= {f"{name}, 8 B, {p} ranks: {'direct' if 'linear' in t else 'pairwise'} / Bruck": gain(t) for (p, n), t in cells.items() if n == 8}
    good = all(v > 1 for k, v in facts.items() if k.startswith("persistent"))
    return ("Bruck is faster for 8 bytes, when the sizes are known" if good else "Bruck is not always faster for 8 bytes"), facts


def table(cells):
    text = ["| ranks | bytes | " + " | ".join(ALGORITHMS) + " | direct / Bruck |", "|--:|--:|" + "--:|" * (len(ALGORITHMS) + 1)]
    for (p, n), t in cells.items():
        best = min(t, key=t.get)
        numbers = [f"**{t[a]:.1f}**" if a == best else f"{t[a]:.1f}" if a in t else "" for a in ALGORITHMS]
        text.append(f"| {p} | {plot.bytes_text(n)} | " + " | ".join(numbers) + f" | {gain(t):.2f}{'' if 'linear' in t else ' (pairwise)'} |")
    return text


def report(o, rows):
    text = []
    for form, name in (("alltoallv_init", "Persistent, with the size exchange in the init"), ("alltoallv", "Blocking, with a size exchange in each call")):
        text += [f"{name}; times of the slowest rank, us, the fastest in bold:", "", *table(times(rows, form)), ""]
        mine = [dict(r, label=f"{r['ranks']} ranks") for r in measured(rows) if r["label"] == form]
        plot.lines(mine, o.picture(form), f"{form} on quartz, 8 ranks a node (simulated)", unit="bytes for each rank")
    return "\n".join(text + [o.image("alltoallv_init", "Times, persistent"), o.image("alltoallv", "Times, blocking"), "", WHY])


WHY = """All blocks have one length here, but no rank knows the lengths of the others. A size exchange sends them along the way that
the blocks will take, 8 bytes for each.

- `linear` has up to 32 messages of a rank in flight, `pairwise` one.
- Each call of these on 1024 ranks is a million messages, so there only 8 bytes were simulated, with few algorithms. `linear`
  and `bruck_radix:32` were stopped after two minutes of a core, so the last column is pairwise / Bruck there."""
