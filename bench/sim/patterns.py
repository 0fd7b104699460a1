#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""patterns.py FILE...: count what halo exchanges send between nodes, as tables of Markdown.

FILE, compressed or not, is made by bench/halo/make, from hypre; or is stencil:RANKS:BLOCK, a 27-point stencil on cubes of
BLOCK x BLOCK x BLOCK values for a grid of ranks, made here.

    # halo pattern 1: TITLE     is the first line; other lines that begin with # are comments
    ranks 64                    is the next one
    level 0 64000 438400        begins a level: its number from 0, the rows of the matrix, and its entries
    5 9 -4 1                    9 values of rank 5 go to ranks 1 and 6, and to no others
    5 1 1                       1 value goes to rank 6 alone

So the file says of each value to which ranks it goes, but not which row it is.

Forms: linear is one message for each pair of ranks, partner one for each rank and node it sends to, node one for each pair
of nodes. Node 0 has the first ranks, and so on.
"""

import itertools
import lzma
import statistics
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field

BYTES = 8  # of a value
NODE_SIZES = (16, 32)


@dataclass
class Level:
    rows: int
    entries: int
    sends: list = field(default_factory=list)  # (source, values, (destination, ...)), in the order of sources

    def messages(self):
        """(source, destination) -> values"""
        result = Counter()
        for source, values, destinations in self.sends:
            for destination in destinations:
                result[source, destination] += values
        return result


@dataclass
class Pattern:
    title: str
    ranks: int
    levels: list


@dataclass(frozen=True)
class Leaving:
    """What leaves the nodes."""
    linear: int  # messages of each form
    partner: int
    node: int
    values: int  # sent by linear
    once: int  # sent if no value goes to a node twice


def leaving(level, per_node):
    linear, partner, values, once = set(), set(), 0, 0
    for source, n, destinations in level.sends:
        home = source // per_node
        away = [d for d in destinations if d // per_node != home]
        nodes = {d // per_node for d in away}
        values += n * len(away)
        once += n * len(nodes)
        linear.update((source, d) for d in away)
        partner.update((source, node) for node in nodes)
    node = {(source // per_node, to) for source, to in partner}
    return Leaving(len(linear), len(partner), len(node), values, once)


def parse_line(words, ranks):
    """(source, values, destinations)"""
    source, values, *offsets = map(int, words)
    destinations = tuple(source + offset for offset in offsets)
    if values < 1 or not destinations:
        raise ValueError("no values, or no destinations")
    if source in destinations or not all(0 <= rank < ranks for rank in (source, *destinations)):
        raise ValueError("sends to itself, or a rank that is none")
    if list(destinations) != sorted(set(destinations)):
        raise ValueError("destinations not in ascending order")
    return source, values, destinations


def read(path):
    """The pattern of a file. ValueError with its name, line and reason if it is none."""
    opened = lzma.open if str(path).endswith(".xz") else open
    title, ranks, levels, number = "", 0, [], 0
    with opened(path, "rt") as file:
        try:
            for number, line in enumerate(file, 1):
                words = line.split()
                if number == 1:
                    start, colon, title = line.strip().partition(": ")
                    if start != "# halo pattern 1" or not colon:
                        raise ValueError("not a halo pattern")
                elif not words or words[0].startswith("#"):
                    continue
                elif not ranks:
                    ranks = int(words[1]) if words[0] == "ranks" and len(words) == 2 else 0
                    if ranks < 1:
                        raise ValueError("no number of ranks")
                elif words[0] == "level":
                    level, rows, entries = map(int, words[1:])
                    if level != len(levels):
                        raise ValueError(f"level {level} where level {len(levels)} begins")
                    levels.append(Level(rows, entries))
                else:
                    if not levels:
                        raise ValueError("no level")
                    levels[-1].sends.append(parse_line(words, ranks))
            if not levels:
                raise ValueError("no level")
        except (ValueError, EOFError, lzma.LZMAError) as error:
            raise ValueError(f"{path}:{number}: {error}") from None
    return Pattern(title, ranks, levels)


def grid_of(ranks):
    """Ranks in x, y and z: as near to a cube as powers of two allow, never more in y than in x."""
    bits = ranks.bit_length() - 1
    return tuple(1 << (bits + 2 - axis) // 3 for axis in range(3))


def stencil(ranks, block):
    """27 points on cubes of block^3 values; without neighbors across the surface. Ranks are numbered along x first."""
    grid = grid_of(ranks)
    level = Level(ranks * block**3, 0)
    for z, y, x in itertools.product(*map(range, reversed(grid))):
        sets = Counter()
        # the first and the last value of an axis have neighbors on other ranks
        for layers in itertools.product(_layers(block), repeat=3):
            reach = [[0, *(step for step in steps if 0 <= at + step < size)]
                     for (steps, _), at, size in zip(layers, (x, y, z), grid)]
            offsets = sorted(i + grid[0] * (j + grid[1] * k) for i, j, k in itertools.product(*reach))
            sets[tuple(offsets)] += layers[0][1] * layers[1][1] * layers[2][1]
        rank = x + grid[0] * (y + grid[1] * z)
        for offsets, values in sorted(sets.items()):
            destinations = tuple(rank + offset for offset in offsets if offset)
            if destinations and values:
                level.sends.append((rank, values, destinations))
    points = [3 * size * block - 2 for size in grid]
    level.entries = points[0] * points[1] * points[2]
    return Pattern(f"27-point stencil, {grid[0]} x {grid[1]} x {grid[2]} ranks of {block**3} values", ranks, [level])


def _layers(block):
    """(steps to other blocks, values) for the places of a value along one axis."""
    return [((-1, 1), 1)] if block == 1 else [((-1,), 1), ((), block - 2), ((1,), 1)]


def named(word):
    """The pattern that a word of the command line names."""
    if not word.startswith("stencil:"):
        return read(word)
    _, ranks, block = word.split(":")
    return stencil(int(ranks), int(block))


def text(pattern):
    """The pattern as a file."""
    lines = [f"# halo pattern 1: {pattern.title}", f"ranks {pattern.ranks}"]
    for number, level in enumerate(pattern.levels):
        lines.append(f"level {number} {level.rows} {level.entries}")
        lines += [" ".join(map(str, (source, values, *(d - source for d in destinations))))
                  for source, values, destinations in level.sends]
    return "\n".join(lines) + "\n"


def row(number, level):
    """One of the table."""
    messages = level.messages()
    neighbors = Counter(source for source, _ in messages).values()
    result = [number, level.rows, len(neighbors)]
    if not messages:
        return result + ["-"] * (3 + 4 * len(NODE_SIZES))
    result += [f"{statistics.median(neighbors):.0f}", max(neighbors)]
    result.append(f"{BYTES * statistics.median(messages.values()):.0f}")
    for per_node in NODE_SIZES:
        away = leaving(level, per_node)
        result += [away.linear, away.partner, away.node]
        result.append(f"{away.values / away.once:.2f}" if away.once else "-")
    return result


def table(pattern):
    head = ["level", "rows", "ranks", "median", "max", "bytes"]
    for per_node in NODE_SIZES:
        head += [f"{per_node}: linear", "partner", "node", "copies"]
    rows = [head, ["--:"] * len(head), *(row(i, level) for i, level in enumerate(pattern.levels))]
    return "\n".join(f"|{'|'.join(map(str, cells))}|" for cells in rows)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for word in sys.argv[1:]:
        try:
            pattern = named(word)
        except (OSError, ValueError) as error:
            sys.exit(f"patterns.py: {error}")
        print(f"### {pattern.title}\n\n{table(pattern)}\n")


if __name__ == "__main__":
    main()
