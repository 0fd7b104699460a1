# SPDX-License-Identifier: BSD-3-Clause
"""Does auto lose to what Open MPI and MPICH choose, and to the best of all algorithms? On the Sparbit paper's machines (allgather)
and the multi-lane paper's."""

import concurrent.futures
import functools
import os
import re
import zlib

import plot
import rules
from experiments import sparbit
from machines import CERVINO, HYDRA, VSC3, YAHOO
from planned import Call
from simulation import Job

TITLE = "Choices: auto beside Open MPI's, MPICH's, and the best of all algorithms"
PAPER = "Decision rules: Open MPI 4.0 (coll/tuned, fixed rules), MPICH 4.0 (its size limits); machines: Sparbit paper, multi-lane paper"

# Left out is what takes so many times as long by the estimate: of other algorithms; of those that send a message for each rank; of what
# the rules name, and of that again in a simulation of many ranks.
FAR, MANY_FAR, RULES_FAR, SIMULATED_FAR = 1.25, 1.1, 2.0, 1.3
FIRST, HOPELESS = 5, 4.0  # of the planner's list: so many by time are looked at; and none beyond
KEPT = 4  # so many are left beside auto's and the rules'
LOST, NEAR = 1.05, 1.10
INT = 4
PIECES = re.compile(",(4|16|64)$")  # what the planner tries more pieces of

# Looked at in every cell, whatever the planner says: what rules may name, and others.
NAMED = {"allgather": ("bruck:step", "recursive_doubling:step", "ring", "neighbor_exchange:step", "neighbor_exchange:block"),
         "bcast": ("binomial", "scatter_allgather:bruck,step", "scatter_allgather:ring,step"),
         "allreduce": ("recursive_doubling", "ring", "rabenseifner"), "reduce": ("binomial", "rabenseifner"),
         "alltoall": ("bruck", "linear:32", "pairwise")}
OTHERS = {"allgather": ("sparbit:step", "locality_bruck:step", "hierarchical:binomial,step", "lane:bruck,step,1", "lane:ring,step,1",
                        "reorder_ring:place"),
          "bcast": ("circulant:16", "lane:binomial,step,8", "lane:circulant,block,8", "lane:chain,block,8", "hierarchical:binomial,step,8"),
          "allreduce": ("circulant", "lane:recursive_doubling,step,1", "lane:rabenseifner,step,1", "lane:rabenseifner,block,1",
                        "lane:circulant,step,1", "hierarchical:recursive_doubling,step,8"),
          "reduce": ("circulant", "lane:binomial,step,1", "hierarchical:binomial,step,8", "hierarchical:chain,block,8"),
          "alltoall": ("lane:step,1", "hierarchical:linear")}
UNFOLDED = ("reduce",)
SAMPLE = 8  # one in so many of the other cells is simulated
ESTIMATED = ", estimate"  # after the label of rows that are no simulations

SPREADS = {"hydra": (6, 12), "vsc3": (10, 25)}  # nodes, all cores of each
HEAVY = {"alltoall": 2000000, "reduce": 400 * 115200}  # ranks times counts up to which they are looked at: all steps fit into memory
WHOLE, MANY = 61, 128  # ranks up to which every cell is simulated; and every number of ranks looked at
VECTORS = ("bcast", "allreduce", "reduce")
COUNTS = {"vector": (2, 128, 1152, 11520, 115200, 1152000), "block": (1, 10, 100, 1000, 10000)}  # ints


def sparbit_ranks(o, machine):
    """With --quick every fourth of the grid above MANY."""
    everything = sparbit.grid(sparbit.MOST[machine.name])
    few, many = [p for p in everything if p <= MANY], [p for p in everything if p > MANY]
    return few + (many[::4] if o.quick else many)


def sparbit_calls(o, machine):
    for p in sparbit_ranks(o, machine):
        for mapping in ("sequential", "cyclic"):
            nodes = min(machine.nodes, p if mapping == "cyclic" else -(-p // machine.cores))
            for e in range(0, 21, 2):
                yield Call(machine, p, nodes, mapping, "allgather", 1 << e)


def lane_calls(o, machine):
    for nodes in SPREADS[machine.name]:
        for mapping in ("block-scatter", "cyclic-scatter"):
            for collective in NAMED:
                p = nodes * machine.cores
                for c in COUNTS["vector" if collective in VECTORS else "block"]:
                    if collective not in HEAVY or p * c <= HEAVY[collective]:
                        yield Call(machine, p, nodes, mapping, collective, c * INT)


def calls(o):
    for machine in (YAHOO, CERVINO):
        yield from sparbit_calls(o, machine)
    for machine in (HYDRA, VSC3):
        yield from lane_calls(o, machine)


# ---- what is simulated ----

def messages(algorithm):
    """Does it send a message for each rank or block?"""
    words = algorithm.replace(":", ",").split(",")
    return words[0] in ("ring", "reorder_ring", "linear", "pairwise", "neighbor_exchange") or \
        words[0] not in ("lane", "hierarchical") and ("block" in words or "ring" in words)


def chosen_by(call):
    return {rule[call.collective](call.ranks, call.bytes) for rule in rules.RULES.values()} - {None}


def is_chosen(call, algorithm):
    return any(rules.is_one(algorithm, c) for c in chosen_by(call))


def is_slow(call, algorithm):
    """Does it take minutes to simulate? All messages of a node at a time, where sockets are told apart."""
    return call.machine.sockets > 1 and (algorithm == "linear:32" or algorithm.startswith("chain") or "block" in algorithm and (
        call.collective in ("allgather", "alltoall") or messages(algorithm)))


@functools.cache
def looked_at(call):
    """What auto takes, and {algorithm: estimate} of that and of what could be as good."""
    auto, listed = call.listed()
    usual = {a: us for a, (us, _) in listed.items() if not PIECES.search(a)}
    by_time, least = sorted(usual, key=usual.get), min(usual.values())
    pieces = [c for c in chosen_by(call) if c.startswith("chain")]
    wanted = dict.fromkeys([auto, *by_time[:FIRST], *list(usual)[:3], *pieces, *NAMED[call.collective], *OTHERS[call.collective]])
    found = {a: call.estimate(a) for a in wanted
             if a == auto or a in pieces or a in listed and listed[a][0] < HOPELESS * least}
    best = min(found.values())
    near = [a for a in sorted(found, key=found.get) if found[a] < (MANY_FAR if messages(a) else FAR) * best][:KEPT]
    return auto, {a: us for a, us in found.items() if a == auto or a in near or is_chosen(call, a) and us < RULES_FAR * found[auto]}


def sampled(call):
    return zlib.crc32(f"{label_of(call)} {call.ranks} {call.bytes}".encode()) % SAMPLE == 0


def simulated(call):
    """The algorithms that are; of many ranks only where auto loses by the estimate, and a sample of the others. None where the best by the
    estimate would take too long."""
    auto, found = looked_at(call)
    best = min(found, key=found.get)
    if best != auto and is_slow(call, best):
        return []
    if call.ranks <= WHOLE:
        return list(found)
    if found[auto] <= NEAR * found[best] and not sampled(call):
        return []
    return [a for a, us in found.items() if a in (auto, best) or is_chosen(call, a) and us < SIMULATED_FAR * found[auto] and
            not is_slow(call, a)]


def each(function, asked):
    """function of each, by all processors"""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, asked))


def label_of(call):
    return f"{call.collective}, {call.machine.name} {call.mapping}"


def job(call, names, native=""):
    fold = () if call.collective in UNFOLDED else ("--fold", "1")
    what = "native" if native else ",".join(a.replace(",", "+") for a in sorted(names))
    options = (f"--cfg=smpi/{call.collective}:{native}",) if native else ()
    return Job(call.machine, call.ranks, call.nodes, call.mapping,
               (call.collective + ("" if native else "_init"), "-i", "1", "-x", "0", "-a", what, "-M", "8G", *fold, "-m",
                f"{call.bytes}:{call.bytes}"), panel=label_of(call) + (f"; {native}" if native else ""), options=options)


def jobs_of(call, names):
    result = [job(call, names)] if names else []
    return result + [job(call, (), c) for c in chosen_by(call) if c in rules.SIMGRID and names]


def jobs(o):
    asked = list(calls(o))
    return [j for call, names in zip(asked, each(simulated, asked)) for j in jobs_of(call, names)]


COLUMNS = ("command", "label", "ranks", "size", "algorithm", "median_us", "low_us", "high_us", "overlap_percent", "took")


def estimated_rows(call, auto, found):
    """Of auto's choice, the best, and what a rule names if that is faster."""
    best = min(found, key=found.get)
    named = [a for a, us in found.items() if a in (auto, best) or is_chosen(call, a) and us < found[auto]]
    row = dict.fromkeys(COLUMNS, "") | {"command": "estimate", "label": label_of(call) + ESTIMATED, "ranks": str(call.ranks),
                                        "size": str(call.bytes)}
    return [row | {"algorithm": a, "median_us": f"{found[a]:.6g}", "low_us": "0", "high_us": "0"} for a in named] + \
        [row | {"algorithm": "auto", "median_us": f"{found[auto]:.6g}", "low_us": "0", "high_us": "0", "took": auto}]


def complete(o, rows):
    """And what auto takes: its times are those of the algorithm, which was simulated by name. And estimates."""
    asked, auto, estimated = list(calls(o)), {}, []
    for call, (name, found) in zip(asked, each(looked_at, asked)):
        auto[label_of(call), str(call.ranks), str(call.bytes)] = name
        estimated += estimated_rows(call, name, found)
    rows = [{k: r[k] for k in COLUMNS} for r in rows]
    return rows + [dict(r, algorithm="auto") for r in rows if auto.get((r["label"], r["ranks"], r["size"])) == r["took"]] + estimated


# ---- what came out ----

class Cell:
    """One call: what was simulated, or estimated, of it."""

    def __init__(self, label, ranks, size, times, took):
        self.label, self.ranks, self.size, self.took, self.auto = label, ranks, size, took, times["auto"]
        self.times = {a: us for a, us in times.items() if a != "auto"}
        self.best = min(self.times, key=self.times.get)
        self.lost = self.auto / self.times[self.best]
        self.near = self.lost <= NEAR

    @property
    def key(self):
        return self.label, self.ranks, self.size

    @property
    def group(self):
        return "Sparbit" if self.label.split()[1] in ("yahoo", "cervino") else "lanes"

    @property
    def many(self):
        return "all" if self.group == "lanes" else f"to {MANY}" if self.ranks <= MANY else f"above {MANY}"

    def ruled(self, name):
        """Auto's time / the one of what a rule names; 0: that takes far longer by the estimate, so it was left out; None: it names
        nothing that we have."""
        chosen = rules.RULES[name][self.label.split(",")[0]](self.ranks, self.size)
        them = [us for a, us in self.times.items() if rules.is_one(a, chosen)]
        return self.auto / min(them) if them else 0 if chosen else None

    def loses(self, name):
        return self.ruled(name) is not None and self.ruled(name) > LOST


def cells(rows, estimated):
    """key -> Cell; of plot.from_csv"""
    found, took = {}, {}
    for r in rows:
        label, _, native = r["label"].partition("; ")
        if label.endswith(ESTIMATED) == estimated:
            key = label.removesuffix(ESTIMATED), r["ranks"], r["size"]
            found.setdefault(key, {})[native or r["algorithm"]] = r["median"]
            if r["algorithm"] == "auto":
                took[key] = r["took"]
    return {key: Cell(*key, times, took[key]) for key, times in sorted(found.items()) if key in took}


def share(values):
    values = list(values)
    return 100 * sum(values) / len(values) if values else float("nan")


def lost_to(found, rule):
    """Per cent of the cells in which the rule names something."""
    return share(c.loses(rule) for c in found if c.ruled(rule) is not None)


def near(found):
    return share(c.near for c in found)


def both(rows):
    """Simulated cells, all cells by the estimate, and all: simulated where that was done."""
    rows = plot.from_csv(rows)
    there, guessed = cells(rows, False), cells(rows, True)
    return there, guessed, sorted((guessed | there).values(), key=lambda c: c.key)


GROUPS = {"Sparbit": "Sparbit paper's machines", "lanes": "multi-lane paper's"}


def verdict(rows):
    there, _, found = both(rows)
    facts, good = {}, True
    for (group, many), some in sorted(parts(found, lambda c: (c.group, c.many)).items()):
        name = GROUPS[group] + ("" if many == "all" else f", {many} ranks")
        facts[f"{name}: cells"], facts[f"{name}: of them simulated"] = len(some), sum(c.key in there for c in some)
        facts |= {f"{name}: auto loses more than 5 % to {rule}'s choice, % of cells": lost_to(some, rule) for rule in rules.RULES}
        facts[f"{name}: auto within 10 % of the best, % of cells"] = near(some)
        good &= all(lost_to(some, rule) <= 1 for rule in rules.RULES) and near(some) >= 90
    return "the goals are met" if good else "the goals are not met", facts


def parts(found, key):
    result = {}
    for c in found:
        result.setdefault(key(c), []).append(c)
    return result


def numbers(some):
    return " | ".join(f"{x:.1f}" for x in (*(lost_to(some, rule) for rule in rules.RULES), near(some))) + \
        f" | {max(c.lost for c in some):.2f}"


HEAD = " | auto loses more than 5 % to Open MPI's choice, % | to MPICH's, % | within 10 % of the best, % | worst |"


def groups_table(found, there):
    text = ["| machine, mapping, collective | ranks | cells | simulated" + HEAD, "|---|---|--:|--:|--:|--:|--:|--:|"]
    for (label, ranks), some in parts(found, lambda c: (c.label, c.many)).items():
        text.append(f"| {label} | {ranks} | {len(some)} | {sum(c.key in there for c in some)} | {numbers(some)} |")
    return text + [""]


def whole_table(there):
    some = [c for c in there.values() if c.ranks <= WHOLE]
    text = [f"Up to {WHOLE} ranks, where every cell was simulated:", "", "| machine, mapping | cells" + HEAD, "|---|--:|--:|--:|--:|--:|"]
    return text + [f"| {label} | {len(mine)} | {numbers(mine)} |" for label, mine in parts(some, lambda c: c.label).items()] + [""]


def agreement_table(there, guessed):
    pairs = [(guessed[key], c) for key, c in there.items() if key in guessed]
    text = ["Does the simulation say what the estimate says, where both were done?", "",
            "| | cells | loses by the estimate | by the simulation | by both |", "|---|--:|--:|--:|--:|"]
    questions = {"auto beyond 10 % of the best": lambda c: not c.near} | \
        {f"auto loses more than 5 % to {rule}'s choice": lambda c, rule=rule: c.loses(rule) for rule in rules.RULES}
    for name, ask in questions.items():
        said = [(ask(e), ask(c)) for e, c in pairs]
        text.append(f"| {name} | {len(said)} | {sum(e for e, _ in said)} | {sum(c for _, c in said)} | {sum(e and c for e, c in said)} |")
    text += ["", *more_ranks([(e, c) for e, c in pairs if c.ranks > WHOLE and c.group == "Sparbit"])]
    errors = sorted(e.times[a] / c.times[a] for e, c in pairs for a in e.times.keys() & c.times.keys())
    return text + ["", f"Estimate / simulation, {len(errors)} times: median {errors[len(errors) // 2]:.2f}, a hundredth below "
                   f"{errors[len(errors) // 100]:.2f}, a hundredth above {errors[-1 - len(errors) // 100]:.2f}.", ""]


def more_ranks(pairs):
    """What the cells above WHOLE ranks were chosen by, and what came out."""
    sampled, lost = [c for e, c in pairs if e.near], [c for e, c in pairs if not e.near]
    wrong = ", ".join(f"{c.label.split(', ')[1]} {c.ranks} ranks {plot.bytes_text(c.size)} ({c.lost:.2f} times {c.best})" for c in sampled if not c.near)
    return [f"Allgather above {WHOLE} ranks: of {len(sampled)} simulated cells that are within 10 % by the estimate {sum(c.near for c in sampled)} are "
            f"(not: {wrong or 'none'}); of {len(lost)} beyond it {sum(not c.near for c in lost)} are. So the shares of cells that "
            "were only estimated are too good rather than too bad."]


def weighted(found):
    """Of the whole of the Sparbit paper's grid: cells above MANY count as many times as they were thinned out."""
    some = [c for c in found if c.group == "Sparbit"]
    ranks = {m: sparbit.grid(sparbit.MOST[m]) for m in sparbit.MOST}
    weight = {m: sum(p > MANY for p in all_of) / max(1, len({c.ranks for c in some if c.ranks > MANY and c.label.split()[1] == m}))
              for m, all_of in ranks.items()}
    each = [(c, 1 if c.ranks <= MANY else weight[c.label.split()[1]]) for c in some]
    total = sum(w for _, w in each)
    share_of = {name: 100 * sum(w for c, w in each if ask(c)) / total for name, ask in (
        *((f"auto loses more than 5 % to {rule}", lambda c, rule=rule: c.loses(rule)) for rule in rules.RULES), ("within 10 % of the best", lambda c: c.near))}
    return ["Of all numbers of ranks of the Sparbit paper, those left out above 128 taken for like the ones between: " +
            "; ".join(f"{name}: {x:.1f} %" for name, x in share_of.items()) + ".", ""]


def span(values, text):
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"


def patterns_table(found):
    text = [f"Where auto takes more than {NEAR} times the best, by what it took (most frequent first) and what would have been best:", "",
            "| collective, machine | auto took | cells | ranks | bytes | times, median | worst | the best |", "|---|---|--:|---|---|--:|--:|---|"]
    lost = parts((c for c in found if not c.near), lambda c: (" ".join(c.label.split()[:2]), c.took))
    for (label, took), some in sorted(lost.items(), key=lambda part: -len(part[1])):
        times, best = sorted(c.lost for c in some), parts(some, lambda c: c.best)
        names = ", ".join(f"{a} ({len(best[a])})" for a in sorted(best, key=lambda a: -len(best[a]))[:4])
        text.append(f"| {label} | {took} | {len(some)} | {span({c.ranks for c in some}, str)} | "
                    f"{span({c.size for c in some}, plot.bytes_text)} | {times[len(times) // 2]:.2f} | {times[-1]:.2f} | {names} |")
    return text + [""]


def losses_table(found, there, most=40):
    worse = [c for c in found if any(c.loses(rule) for rule in rules.RULES)]
    worse.sort(key=lambda c: -max(c.ruled(rule) or 0 for rule in rules.RULES))
    text = [f"Cells where auto loses more than 5 % to a rule: {len(worse)}; the worst {min(most, len(worse))}:", "",
            "| collective, machine, mapping | ranks | bytes | rule | auto took | times as long | the best | simulated |",
            "|---|--:|--:|---|---|--:|---|---|"]
    for c in worse[:most]:
        which = [rule for rule in rules.RULES if c.loses(rule)]
        text.append(f"| {c.label} | {c.ranks} | {plot.bytes_text(c.size)} | {', '.join(which)} | {c.took} | "
                    f"{max(c.ruled(rule) for rule in which):.2f} | {c.best} | {'yes' if c.key in there else 'no'} |")
    return text + [""]


def picture(o, found):
    rows = [dict(label=c.label, ranks=c.ranks, size=c.size, algorithm=a, median=us) for c in found if c.group == "Sparbit"
            for a, us in (("auto", c.auto), ("best", c.times[c.best]))]
    plot.ratio(rows, o.picture("auto"), "Our auto of allgather / the best (simulated)", lambda t, p, n: t["auto"], lambda t, p, n: t["best"],
               ("our auto", "the best"))
    return [o.image("auto", "auto / best"), ""]


def report(o, rows):
    there, guessed, found = both(rows)
    return "\n".join([*groups_table(found, there), *weighted(found), *whole_table(there), *picture(o, found), *agreement_table(there, guessed),
                      *patterns_table(found), *losses_table(found, there), WHY])


WHY = f"""What was simulated, and what estimated:

- Goals: auto loses more than 5 % to Open MPI's or MPICH's choice in at most 1 % of the cells, and is within 10 % of the best of
  all algorithms in 90 %.
- The Sparbit paper's machines have every number of ranks of its grid up to {MANY}, with `--quick` every fourth above, and
  blocks of 1 B to 1 MiB, by a factor of 4. The multi-lane paper's have 6 and 12 of hydra's 36 nodes, 10 and 25 of vsc3's 100,
  with all cores, `block-scatter` and `cyclic-scatter` (ranks are dealt to the two sockets of a node in turn), and counts near
  the paper's and below.
- Up to {WHOLE} ranks every cell is simulated. Of more ranks, those in which auto is not within 10 % of the best by the estimate,
  and one in {SAMPLE} of the others, the cheapest first, as far as an hour of two shared processors went (column *simulated*).
- The other cells are estimates with all ranks executed (`tutti-plan ALGORITHM --time`); `auto` itself executes few.
- What is far slower is left out: {HOPELESS:g} times the fastest by the planner's list, {FAR:g} times the best by the estimate ({MANY_FAR:g} times
  for one message for each rank or block), except what a rule names, up to {RULES_FAR:g} times auto's time. With more ranks than
  {WHOLE} only auto's choice, the best by the estimate and a rule's choice are simulated, the last up to {SIMULATED_FAR:g} times. A
  rule's choice beyond that cannot beat auto's and counts as no loss.
- Numbers of pieces other than the usual one are left out where auto does not take them. On hydra and vsc3, direct messages of
  all ranks of a node at once are estimated.
- The page was put together from calls that were stopped, with changes between them. Up to 61 ranks, and on hydra and vsc3, more
  algorithms were simulated than is said here.

The rules choose; the algorithm that they name is Tutti's schedule of it, except `ompi_split_bintree`, which is SimGrid's, up to
16 KiB; above, Open MPI's bcast has no number up to 370 kB. Open MPI's linear alltoall is Tutti's, 32 messages at a time. Binary
trees of its reduce have no counterpart.

What auto takes is asked of `tutti-plan --why`, and the algorithm simulated by that name. Of 330 cells of [native](native.md), in
which every simulated rank plans for itself, 327 had the same choice. In three of yahoo, cyclic, on 24 ranks the reordered form
came out, because `tutti-plan` knows of no switches of several sizes.

Why auto loses (src/tune as of ca700c0). The estimate of all ranks would nearly always be right (the table of agreement). Auto's
own is not, because it is cut short: only as many candidates are executed as a bounded number of steps allows, and a closed form
that was not counts twice.

- From about 50 ranks on nodes that are not alike, or of algorithms with a message for each block, one or none is executed. So a
  mediocre one that was executed (`sparbit:step`, `lane:bruck,step`, `lane:linear,step`) beats better ones that were not
  (`lane:bruck,block`, `ring`).
- Or a closed form wins that is far too low: that of `reorder_bruck:block` says 3.3 ms for 56 ranks of yahoo with blocks of
  16 KiB, which take 40 ms. It is that of rank 0 and its node, which send little in the new order.

`bench/sim/losses` shows all this in minutes, without a simulation. With more steps (a build with another `WORK`, every seventh
cell; 264 and 31 cells, so that one is 0.4 and 3.2 %):

| steps | Sparbit's: loses to Open MPI, % | to MPICH, % | within 10 %, % | worst | multi-lane: loses to Open MPI, % | to MPICH, % | within 10 %, % | worst |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| as they are | 3.0 | 1.9 | 88.6 | 5.51 | 15.4 | 9.7 | 51.6 | 3.26 |
| times 2 | 1.1 | 0.8 | 93.9 | 1.56 | 15.4 | 12.9 | 51.6 | 3.26 |
| times 4 | 0.4 | 0.4 | 96.2 | 1.40 | 11.5 | 6.5 | 67.7 | 3.26 |
| times 16 | 0.0 | 0.0 | 99.6 | 1.10 | 3.8 | 3.2 | 83.9 | 1.61 |
"""
