#!/usr/bin/python3
"""Pictures from the CSV or JSON of tutti-bench.

  plot.py heatmap FILE... -o NAME [--ours ALGORITHM]  which algorithm is fastest, by size and ranks; where ours is,
                                                      by how much (grey); hatched where intervals overlap
  plot.py ratio FILE... -o NAME --above A --below B   time of A / time of B, by size and ranks
  plot.py lines FILE... -o NAME [--by size|ranks]     times with intervals
  plot.py overlap FILE... -o NAME                     overlap in per cent, by size

NAME.png and NAME.svg are written. Each label of the files (tutti-bench --label) gets a panel of its own; for lines each
number of ranks, too, or each size.
"""

import argparse
import csv
import json
import math
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import TwoSlopeNorm  # noqa: E402
from matplotlib.patches import Patch, Rectangle  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

# Okabe and Ito: told apart with any kind of colour vision.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#8C6BB1", "#7F7F7F",
           "#A6761D", "#1B9E77", "#E7298A", "#66A61E", "#6A3D9A", "#B15928", "#000000"]
MARKERS = "osD^vP*X<>ph"
BLOCKS = "bytes of a block"


# ---- data ----

def read(path):
    """Rows: label, ranks, size, algorithm, median, low, high (us), overlap (%)."""
    if path.endswith(".json"):
        with open(path) as f:
            data = json.load(f)
        return [dict(label=data["label"], ranks=data["ranks"], size=r["size"], algorithm=r["algorithm"],
                     median=1e6 * r["median"], low=1e6 * r["low"], high=1e6 * r["high"], overlap=r.get("overlap"),
                     took=r.get("took", ""))
                for r in data["results"] if r["applicable"]]
    with open(path, newline="") as f:
        return from_csv(csv.DictReader(f))


def from_csv(rows):
    return [dict(label=r["label"], ranks=int(r["ranks"]), size=int(r["size"]), algorithm=r["algorithm"],
                 median=float(r["median_us"]), low=float(r["low_us"]), high=float(r["high_us"]),
                 overlap=float(r["overlap_percent"]) if r["overlap_percent"] else None, took=r.get("took") or "")
            for r in rows if r["median_us"]]


def bytes_text(n):
    for unit in ("B", "KiB", "MiB"):
        if n < 1024 or unit == "MiB":
            return f"{n:g} {unit}"
        n /= 1024


def panels_of(rows):
    return list(dict.fromkeys(r["label"] for r in rows))


def cells_of(rows):
    """(ranks, size) -> rows, fastest first."""
    cells = {}
    for r in rows:
        cells.setdefault((r["ranks"], r["size"]), []).append(r)
    return {k: sorted(v, key=lambda r: r["median"]) for k, v in cells.items()}


def gain(cell):
    """Per cent that the fastest saves over the second."""
    return 100 * (cell[1]["median"] - cell[0]["median"]) / cell[1]["median"] if len(cell) > 1 else 0


def is_ours(name, ours):
    return ours is not None and name.split(":")[0] == ours


def split_panels(rows, by):
    """Lines by size have a panel for each number of ranks, lines by ranks one for each size."""
    other, unit = ("ranks", "{} ranks".format) if by == "size" else ("size", bytes_text)
    many = {label: len({r[other] for r in rows if r["label"] == label}) > 1 for label in panels_of(rows)}
    return [dict(r, label=", ".join(filter(None, (r["label"], unit(r[other]))))) if many[r["label"]] else r
            for r in sorted(rows, key=lambda r: r[other])]


# ---- drawing ----

def save(figure, name):
    for kind in ("png", "svg"):
        figure.savefig(f"{name}.{kind}", dpi=150, bbox_inches="tight", metadata={"Date": None} if kind == "svg" else None)
    plt.close(figure)


def grid_axes(axis, cells):
    """Ranks to the right, sizes upwards; returns their positions."""
    ranks, sizes = sorted({k[0] for k in cells}), sorted({k[1] for k in cells})
    axis.set_xlim(-0.5, len(ranks) - 0.5)
    axis.set_ylim(-0.5, len(sizes) - 0.5)
    step = max(1, len(ranks) // 16)
    axis.set_xticks(range(0, len(ranks), step), [str(p) for p in ranks[::step]], rotation=90 if len(ranks) > 12 else 0)
    each = 1 if len(sizes) <= 10 else 2
    axis.set_yticks(range(0, len(sizes), each), [bytes_text(n) for n in sizes[::each]])
    axis.set_xlabel("ranks")
    return {p: i for i, p in enumerate(ranks)}, {n: i for i, n in enumerate(sizes)}


def square(axis, x, y, colour, hatch=None):
    axis.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white" if hatch is None else "#444444",
                             linewidth=0.3, hatch=hatch))


def panel_figure(count, unit, height=4.6):
    figure, axes = plt.subplots(1, count, figsize=(1.8 + 5.4 * count, height), squeeze=False, layout="constrained")
    axes[0][0].set_ylabel(unit)
    return figure, axes[0]


def heatmap(rows, name, title, ours=None, unit=BLOCKS):
    """The fastest algorithm of each cell; grey: ours, the lighter the more it saves."""
    labels = panels_of(rows)
    others = sorted({r["algorithm"] for r in rows if not is_ours(r["algorithm"], ours)})
    colours = {a: COLOURS[i % len(COLOURS)] for i, a in enumerate(others)}
    figure, axes = panel_figure(len(labels), unit)
    greys, seen = plt.get_cmap("Greys_r"), set()
    for axis, label in zip(axes, labels):
        cells = cells_of(r for r in rows if r["label"] == label)
        xs, ys = grid_axes(axis, cells)
        axis.set_title(label)
        for (p, n), cell in cells.items():
            best = cell[0]["algorithm"]
            even = len(cell) > 1 and cell[0]["high"] >= cell[1]["low"] and cell[0]["high"] > cell[0]["low"]
            colour = greys(0.15 + 0.8 * gain(cell) / 100) if is_ours(best, ours) else colours[best]
            seen.add(best)
            square(axis, xs[p], ys[n], colour, "////" if even else None)
    handles = [Patch(facecolor=colours[a], label=a) for a in others if a in seen]
    figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=min(6, max(1, len(handles))), frameon=False)
    if ours:
        scale = plt.cm.ScalarMappable(cmap=greys.resampled(256), norm=plt.Normalize(-0.15 / 0.8 * 100, 0.85 / 0.8 * 100))
        bar = figure.colorbar(scale, ax=list(axes), shrink=0.85)
        bar.set_label(f"{ours}: time saved over the second best, %")
        bar.ax.set_ylim(0, 100)
    figure.suptitle(title)
    save(figure, name)


def ratio(rows, name, title, above, below, text, unit=BLOCKS):
    """Where the time of `above` over that of `below` is more (red) or less (blue) than one. Both are functions of a
    cell's {algorithm: time}, which may return None."""
    labels = panels_of(rows)
    figure, axes = panel_figure(len(labels), unit)
    norm, colours = TwoSlopeNorm(0, -1.5, 1.5), plt.get_cmap("RdBu_r")
    for axis, label in zip(axes, labels):
        cells = cells_of(r for r in rows if r["label"] == label)
        xs, ys = grid_axes(axis, cells)
        axis.set_title(label)
        for (p, n), cell in cells.items():
            times = {r["algorithm"]: r["median"] for r in cell}
            a, b = above(times, p, n), below(times, p, n)
            if a and b:
                square(axis, xs[p], ys[n], colours(norm(math.log2(a / b))))
    bar = figure.colorbar(plt.cm.ScalarMappable(norm=norm, cmap=colours), ax=list(axes), shrink=0.85, extend="both")
    bar.set_ticks([-1.5, -1, -0.5, 0, 0.5, 1, 1.5], labels=[f"{2 ** x:.2f}" for x in (-1.5, -1, -0.5, 0, 0.5, 1, 1.5)])
    bar.set_label(text)
    figure.suptitle(title)
    save(figure, name)


def plain_decades(axis):
    """Numbers like 20, not powers of ten, on a logarithmic y axis; 2 and 5 of each decade if there are few."""
    low, high = axis.get_ylim()
    axis.yaxis.set_major_formatter(FuncFormatter(lambda t, _: f"{t:g}"))
    few = high < 1000 * low
    axis.yaxis.set_minor_formatter(FuncFormatter(lambda t, _: f"{t:g}" if few and f"{t:g}".strip("0.") in "25" else ""))


def lines(rows, name, title, by="size", unit=None, value="median", more=None, text="overlap, %"):
    """Times (or overlap) against size or ranks; the band is the 95 % interval. more: {label: {name: [(x, y)]}},
    dotted, for modelled lines. text: of the vertical axis, if not times."""
    labels = panels_of(rows)
    figure, axes = plt.subplots(1, len(labels), figsize=(1.5 + 4.2 * len(labels), 4.4), squeeze=False, sharey=True,
                                layout="constrained")
    names = list(dict.fromkeys(r["algorithm"] for r in rows))
    for axis, label in zip(axes[0], labels):
        for i, algorithm in enumerate(names):
            line = sorted((r for r in rows if r["label"] == label and r["algorithm"] == algorithm
                           and r[value] is not None), key=lambda r: r[by])
            x, y = [r[by] for r in line], [r[value] for r in line]
            axis.plot(x, y, marker=MARKERS[i % len(MARKERS)], markersize=4, color=COLOURS[i % len(COLOURS)],
                      label=algorithm)
            if value == "median":
                axis.fill_between(x, [r["low"] for r in line], [r["high"] for r in line], alpha=0.2,
                                  color=COLOURS[i % len(COLOURS)])
            dotted = (more or {}).get(label, {}).get(algorithm, [])
            axis.plot([p for p, _ in dotted], [t for _, t in dotted], linestyle=":", color=COLOURS[i % len(COLOURS)])
        axis.set_title(label)
        axis.set_xscale("log", base=2)
        if by == "size":
            sizes = sorted({r["size"] for r in rows if r["label"] == label and r["size"]})
            if len(sizes) <= 10:
                axis.set_xticks(sizes)
            axis.xaxis.set_major_formatter(FuncFormatter(lambda n, _: bytes_text(n)))
        else:
            axis.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:g}"))
        axis.set_xlabel(unit or (BLOCKS if by == "size" else by))
        axis.tick_params(axis="x", rotation=45)
        axis.grid(alpha=0.3)
        if value == "median":
            axis.set_yscale("log")
            plain_decades(axis)
    axes[0][0].set_ylabel("time of the slowest rank, us" if value == "median" else text)
    handles, texts = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=min(6, len(handles)), frameon=False)
    figure.suptitle(title)
    save(figure, name)


# ---- command line ----

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("heatmap", "ratio", "lines", "overlap"))
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--output", required=True, metavar="NAME")
    parser.add_argument("--title", default="")
    parser.add_argument("--ours")
    parser.add_argument("--above")
    parser.add_argument("--below")
    parser.add_argument("--by", choices=("size", "ranks"), default="size")
    o = parser.parse_args()
    rows = [r for f in o.files for r in read(f)]
    if not rows:
        sys.exit("plot.py: nothing was measured in these files")
    if o.kind == "heatmap":
        heatmap(rows, o.output, o.title or "Fastest algorithm", o.ours)
    elif o.kind == "ratio":
        if not (o.above and o.below):
            parser.error("ratio needs --above and --below")
        ratio(rows, o.output, o.title or f"{o.above} / {o.below}", lambda t, p, n: t.get(o.above),
              lambda t, p, n: t.get(o.below), "ratio of times")
    else:
        lines(split_panels(rows, o.by), o.output, o.title or ("Overlap" if o.kind == "overlap" else "Times"), o.by,
              value="overlap" if o.kind == "overlap" else "median")


if __name__ == "__main__":
    main()
