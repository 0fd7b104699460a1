#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures from the CSV or JSON of tutti-bench (also .csv.gz, .csv.xz).

  plot.py heatmap FILE... -o NAME [--ours ALGORITHM]  which algorithm is fastest, by size and ranks; where ours is,
                                                      by how much (grey); hatched where intervals overlap
  plot.py ratio FILE... -o NAME --above A --below B   time of A / time of B, by size and ranks
  plot.py lines FILE... -o NAME [--by size|ranks]     times with intervals
  plot.py overlap FILE... -o NAME                     overlap in per cent, by size

NAME.png is written, or NAME itself if it ends in .png, .svg or .pdf. Each label of the files (tutti-bench --label) gets a
panel of its own; for lines each number of ranks, too, or each size. What the MPI itself does (native) is drawn in black.
"""

import argparse
import csv
import gzip
import io
import json
import lzma
import os
import sys
import zlib

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
    from PIL import Image  # matplotlib itself needs it
except ImportError as e:
    sys.exit(f"plot.py: needs matplotlib for {sys.executable} ({e}); on Debian: apt install python3-matplotlib, and /usr/bin/python3")

# Okabe and Ito: told apart with any kind of colour vision.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#8C6BB1"]
MARKERS = "osD^vP*X<>ph"
BLOCKS = "bytes of a block"
FACTORS = (1 / 3, 1 / 2, 2 / 3, 1, 1.5, 2, 3)  # ticks of ratios
LEAST, MOST = 0.15, 0.85  # greys of what is saved: 0 and 100 %
where = ""  # what was measured on, if the file does not say; bench/sim/run knows


class Nothing(Exception):
    """There is nothing to draw."""


# ---- data ----

def open_text(path):
    opened = {".gz": gzip.open, ".xz": lzma.open}.get(os.path.splitext(path)[1])
    return opened(path, "rt", newline="") if opened else open(path, newline="")


def parse(path):
    """Rows: command, mpi, host, label, ranks, size, algorithm, median, low, high (us), overlap (%)."""
    with open_text(path) as f:
        if not path.removesuffix(".gz").removesuffix(".xz").endswith(".json"):
            return from_csv(csv.DictReader(f))
        data = json.load(f)
    machine = data.get("machine", {})
    return [dict(command=data["command"], mpi=machine.get("mpi", ""), host=machine.get("host", ""), label=data["label"],
                 ranks=data["ranks"], size=r["size"], algorithm=r["algorithm"], median=1e6 * r["median"], low=1e6 * r["low"],
                 high=1e6 * r["high"], overlap=r.get("overlap"), took=r.get("took", ""))
            for r in data["results"] if r["applicable"]]


def read(path):
    try:
        return parse(path)
    except (AttributeError, EOFError, KeyError, TypeError, ValueError, csv.Error, gzip.BadGzipFile, lzma.LZMAError,
            zlib.error) as e:
        sys.exit(f"plot.py: {path}: this is no file of tutti-bench --csv or --json: {e!r}")


def from_csv(rows):
    return [dict(command=r["command"], mpi=r.get("mpi") or "", host=r.get("host") or "", label=r["label"], ranks=int(r["ranks"]),
                 size=int(r["size"]), algorithm=r["algorithm"], median=float(r["median_us"]), low=float(r["low_us"]),
                 high=float(r["high_us"]), overlap=float(r["overlap_percent"]) if r["overlap_percent"] else None,
                 took=r.get("took") or "")
            for r in rows if r["median_us"]]


def span(numbers):
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def facts(rows):
    """What was run, on what: operations, MPI, ranks, host."""
    def words(key):
        return [x for x in dict.fromkeys(r.get(key, "") for r in rows) if x]
    ranks = [r["ranks"] for r in rows if r.get("ranks")]
    count = [f"{span(ranks)} rank{'s' * (max(ranks) > 1)}"] if ranks else []
    commands = words("command")
    what = [", ".join(commands)] if len(commands) <= 4 else [f"{len(commands)} operations"]
    return "; ".join(filter(None, what + [", ".join(words("mpi")) or where] + count + [", ".join(f"host {h}" for h in words("host"))]))


def bytes_text(n):
    for unit in ("B", "KiB", "MiB"):
        if n < 1024 or unit == "MiB":
            return f"{n:.4g} {unit}"
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
    """PNG with few colours: a third of the bytes."""
    kind = os.path.splitext(name)[1][1:].lower()
    if kind in ("svg", "pdf"):
        figure.savefig(name, bbox_inches="tight", metadata={"Date" if kind == "svg" else "CreationDate": None})
    else:
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=130, bbox_inches="tight")
        few = Image.open(picture).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.save(name if kind == "png" else f"{name}.png", optimize=True)
    plt.close(figure)


def headline(figure, title, rows):
    figure.suptitle("\n".join(filter(None, (title, facts(rows)))), fontsize="large")


def legend(figure, handles, **more):
    figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=min(6, max(1, len(handles))),
                  frameon=False, **more)


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


def saved_colour(ours, axes, figure):
    """per cent -> grey, the darker the more; and its colour bar."""
    greys = plt.get_cmap("Greys")
    colours = matplotlib.colors.ListedColormap([greys(LEAST + (MOST - LEAST) * i / 255) for i in range(256)])
    bar = figure.colorbar(plt.cm.ScalarMappable(cmap=colours, norm=plt.Normalize(0, 100)), ax=list(axes), shrink=0.85)
    bar.set_label(f"time that {ours} saves\nover the second fastest, %")
    return lambda percent: colours(percent / 100)


def heatmap(rows, name, title, ours=None, unit=BLOCKS):
    """The fastest algorithm of each cell; grey: ours, the darker the more it saves."""
    if ours and not any(is_ours(r["algorithm"], ours) for r in rows):
        raise Nothing(f"no algorithm {ours}")
    labels = panels_of(rows)
    others = sorted({r["algorithm"] for r in rows if not is_ours(r["algorithm"], ours)})
    colours = {a: colour(i) for i, a in enumerate(others)}
    figure, axes = panel_figure(len(labels), unit)
    grey, seen, hatched = saved_colour(ours, axes, figure) if ours else None, set(), False
    for axis, label in zip(axes, labels):
        cells = cells_of(r for r in rows if r["label"] == label)
        xs, ys = grid_axes(axis, cells)
        axis.set_title(label)
        for (p, n), cell in cells.items():
            best = cell[0]["algorithm"]
            even = len(cell) > 1 and cell[0]["high"] >= cell[1]["low"] and cell[0]["high"] > cell[0]["low"]
            seen.add(best)
            hatched |= even
            square(axis, xs[p], ys[n], grey(gain(cell)) if is_ours(best, ours) else colours[best], "////" if even else None)
    handles = [Patch(facecolor=grey(50), label=f"{ours} (grey: what it saves)")] if ours else []
    handles += [Patch(facecolor=colours[a], label=a) for a in others if a in seen]
    if hatched:
        handles.append(Patch(facecolor="white", edgecolor="#444444", hatch="////", label="intervals overlap"))
    legend(figure, handles)
    headline(figure, title, rows)
    save(figure, name)


def ratio(rows, name, title, above, below, names, unit=BLOCKS):
    """Time of `above` over that of `below`. Both are functions of a cell's {algorithm: time}, ranks and size, which may
    return None. names: of the two; red: the second is faster, blue: the first."""
    labels = panels_of(rows)
    figure, axes = panel_figure(len(labels), unit)
    norm, colours, drawn = LogNorm(FACTORS[0], FACTORS[-1]), plt.get_cmap("RdBu_r"), 0
    for axis, label in zip(axes, labels):
        cells = cells_of(r for r in rows if r["label"] == label)
        xs, ys = grid_axes(axis, cells)
        axis.set_title(label)
        for (p, n), cell in cells.items():
            times = {r["algorithm"]: r["median"] for r in cell}
            a, b = above(times, p, n), below(times, p, n)
            if a and b:
                square(axis, xs[p], ys[n], colours(norm(a / b)))
                drawn += 1
    if not drawn:
        raise Nothing(f"no size and ranks with both {names[0]} and {names[1]}")
    bar = figure.colorbar(plt.cm.ScalarMappable(norm=norm, cmap=colours), ax=list(axes), shrink=0.85, extend="both")
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.set_ticks(FACTORS, labels=[f"{x:.2g}" for x in FACTORS])
    bar.set_label(f"time of {names[0]} /\ntime of {names[1]}")
    legend(figure, [Patch(facecolor=colours(0.85), label=f"{names[1]} is faster"),
                    Patch(facecolor=colours(0.15), label=f"{names[0]} is faster"),
                    Patch(facecolor=colours(0.5), edgecolor="#bbbbbb", label="as fast")])
    headline(figure, title, rows)
    save(figure, name)


def plain_decades(axis):
    """Numbers like 20, not powers of ten, on a logarithmic y axis; 2 and 5 of each decade if there are few."""
    low, high = axis.get_ylim()
    axis.yaxis.set_major_formatter(FuncFormatter(lambda t, _: f"{t:g}"))
    few = high < 1000 * low
    axis.yaxis.set_minor_formatter(FuncFormatter(lambda t, _: f"{t:g}" if few and f"{t:g}".strip("0.") in "25" else ""))


def colour(i):
    """The i-th colour, no two the same: COLOURS, then darker and lighter ones of them."""
    k = i // len(COLOURS)
    white, share = k % 2 == 0, 0.5 ** ((k + 1) // 2) if k else 0  # with white or black, and how much of it
    channels = (int(COLOURS[i % len(COLOURS)][n : n + 2], 16) for n in (1, 3, 5))
    return "#%02X%02X%02X" % tuple(round(c + share * ((255 * white) - c)) for c in channels)


def styles(names):
    """name -> colour, marker, line, no two the same: the MPI's own in black."""
    names = list(names)
    own = [name for name in names if name.startswith("native")]
    result = {name: dict(color=colour(i), marker=MARKERS[i % len(MARKERS)], linestyle="-")
              for i, name in enumerate(name for name in names if name not in own)}
    for i, name in enumerate(sorted(own)):  # native itself first
        result[name] = dict(color="#000000", marker="sx+1234|_"[i % 9], linestyle=("--", "-.")[min(i, 1)], linewidth=2)
    return {name: result[name] for name in names}


def x_axis(axis, rows, by, unit):
    """Ticks at what was measured, or at powers of two if that is much."""
    axis.set_xscale("log", base=2)
    values = sorted({r[by] for r in rows})
    if len(values) <= 12:
        axis.xaxis.set_major_locator(FixedLocator(values))
        axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda n, _: bytes_text(n) if by == "size" else f"{n:g}"))
    axis.set_xlabel(unit or (BLOCKS if by == "size" else by))
    axis.tick_params(axis="x", rotation=45)
    axis.grid(alpha=0.3)


def lines(rows, name, title, by="size", unit=None, value="median", more=None, text="overlap, % of the operation's time"):
    """Times (or overlap) against size or ranks; the band is the 95 % interval. more: {label: {name: [(x, y)]}},
    dotted, for modelled lines. text: of the vertical axis, if not times."""
    rows = [r for r in rows if r[value] is not None and r[by]]
    if not rows:
        raise Nothing("no overlap was measured" if value == "overlap" else "no sizes: a barrier has none")
    labels, style = panels_of(rows), styles(dict.fromkeys(r["algorithm"] for r in rows))
    figure, axes = plt.subplots(1, len(labels), figsize=(1.5 + 4.2 * len(labels), 4.4), squeeze=False, sharey=True,
                                layout="constrained")
    for axis, label in zip(axes[0], labels):
        mine = [r for r in rows if r["label"] == label]
        for algorithm, look in style.items():
            line = sorted((r for r in mine if r["algorithm"] == algorithm), key=lambda r: r[by])
            x = [r[by] for r in line]
            axis.plot(x, [r[value] for r in line], markersize=4, label=algorithm, **look)
            if value == "median":
                axis.fill_between(x, [r["low"] for r in line], [r["high"] for r in line], alpha=0.2, color=look["color"])
            dotted = (more or {}).get(label, {}).get(algorithm, [])
            axis.plot([p for p, _ in dotted], [t for _, t in dotted], linestyle=":", color=look["color"])
        axis.set_title(label)
        x_axis(axis, mine, by, unit)
        if value == "median":
            axis.set_yscale("log")
            plain_decades(axis)
    axes[0][0].set_ylabel("time of the slowest rank, us" if value == "median" else text)
    legend(figure, axes[0][0].get_legend_handles_labels()[0])
    headline(figure, title, rows)
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
    try:
        draw(parser, o)
    except Nothing as e:
        sys.exit(f"plot.py: nothing to draw: {e}")
    except (OSError, ValueError) as e:
        sys.exit(f"plot.py: {e}")


def draw(parser, o):
    rows = [r for f in o.files for r in read(f)]
    if not rows:
        raise Nothing("nothing was measured in these files")
    if o.kind == "heatmap":
        heatmap(rows, o.output, o.title or "Fastest algorithm", o.ours)
    elif o.kind == "ratio":
        if not (o.above and o.below):
            parser.error("ratio needs --above and --below")
        ratio(rows, o.output, o.title or f"Time of {o.above} / time of {o.below}", lambda t, p, n: t.get(o.above),
              lambda t, p, n: t.get(o.below), (o.above, o.below))
    else:
        overlap = o.kind == "overlap"
        lines(split_panels(rows, o.by), o.output, o.title or ("Overlap with computation" if overlap else "Time"), o.by,
              value="overlap" if overlap else "median")


if __name__ == "__main__":
    main()
