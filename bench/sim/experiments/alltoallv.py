"""Alltoallv of small blocks on many ranks: Bruck with a survey beside direct messages."""

import plot
from machines import QUARTZ
from simulation import Job

TITLE = "Alltoallv: bruck_radix after a survey, and direct messages"
PAPER = "Fan et al., TuNA, arXiv 2411.02581; a user's 8-byte alltoallv on 12,288 ranks takes 2.3 s natively (mpich issue 7601)"

ALGORITHMS = "bruck_radix:2,bruck_radix:4,bruck_radix:8,bruck_radix:32,linear,pairwise"


def jobs(o):
    result = []
    for p in (64,) if o.sensitivity else (64, 256, 1024):
        base = ("-i", "1", "-x", "0", "-a", ALGORITHMS)
        for form in ("alltoallv_init", "alltoallv"):
            result.append(Job(o.vary(QUARTZ), p, p // 8, "block", (form,) + base + ("-M", "8G", "-m", "8:512" if p < 1024 else "8:64", "--factor", "8"),
                              panel=form))
        if not o.sensitivity and p < 1024:
            result.append(Job(o.vary(QUARTZ), p, p // 8, "block", ("alltoallv_init",) + base + ("-c", "-m", "24:24"), panel="verified"))
    return result


def times(rows, form):
    rows = [r for r in plot.from_csv(rows) if r["label"] == form]
    return {key: {r["algorithm"]: r["median"] for r in cell} for key, cell in sorted(plot.cells_of(rows).items())}


def gain(t):
    return min(t["linear"], t["pairwise"]) / min(v for k, v in t.items() if k.startswith("bruck"))


def verdict(rows):
    facts = {}
    for form, name in (("alltoallv_init", "persistent"), ("alltoallv", "blocking")):
        cells = times(rows, form)
        facts |= {f"{name}, 8 B, {p} ranks: direct / Bruck": gain(t) for (p, n), t in cells.items() if n == 8}
    good = all(v > 1 for k, v in facts.items() if k.startswith("persistent"))
    return ("Bruck is faster for 8 bytes, when the sizes are known" if good else "Bruck is not always faster for 8 bytes"), facts


def report(o, rows):
    text = []
    for form, name in (("alltoallv_init", "Persistent: the survey was at the init"), ("alltoallv", "Blocking: a survey in each call")):
        cells = times(rows, form)
        names = ALGORITHMS.split(",")
        text += ["", f"{name}; times, us:", "", "| ranks | bytes | " + " | ".join(names) + " | direct / Bruck |", "|--:|--:|" + "--:|" * (len(names) + 1)]
        text += [f"| {p} | {n} | " + " | ".join(f"{1e6 * t[a]:.1f}" for a in names) + f" | {gain(t):.2f} |" for (p, n), t in cells.items()]
    mine = [r for r in plot.from_csv(rows) if r["label"] in ("alltoallv_init", "alltoallv")]
    plot.lines([dict(r, label=f"{r['label']}, {r['ranks']} ranks") for r in mine], o.picture("times"), "Alltoallv on quartz (simulated)")
    return "\n".join(text[1:] + ["", o.image("times", "Times"), "", WHY])


WHY = """All blocks have one length here, which no rank knows of the others. A survey sends the lengths along the way that the blocks will
take, 8 bytes for each."""
