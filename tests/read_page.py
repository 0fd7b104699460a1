# SPDX-License-Identifier: BSD-3-Clause
"""For check_html: reads what the browser made of the pages (*.dom), and compares it with CSV and JSON of the same run."""

import csv
import html.parser
import json
import re

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Page(html.parser.HTMLParser):
    """Tables by id, as lists of rows of texts; elements with their attributes; the text in all."""

    def __init__(self, name):
        super().__init__()
        self.tables, self.elements, self.text, self.open, self.row = {}, [], "", [], None
        with open(name, encoding="utf-8") as f:
            self.feed(f.read())
        self.close()
        assert not self.open, f"{name}: not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.elements.append((tag, of))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.rows = self.tables.setdefault(of["id"], [])
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data

    def count(self, tag, name):
        return sum(t == tag and name in of.get("class", "").split() for t, of in self.elements)


def close_to(text, value):
    return abs(float(text) - value) <= 0.0051


def nothing_outside(page, name):
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "use", "image"}, (name, tags)
    for tag, of in page.elements:
        assert not {"src", "href", "srcset"} & set(of), (name, tag, of)
    policy = [of["content"] for tag, of in page.elements if of.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"], policy
    with open(f"{name}.html", encoding="utf-8") as f:
        assert not re.search(r"url\(|@import", f.read()), name


def rows_of(name):
    with open(name, newline="", errors="replace") as f:
        return list(csv.DictReader(f))


def plot_heights(page, of):
    """Are marks of longer times higher? (y downwards)"""
    marks = [float(a["cy"]) for tag, a in page.elements if tag == "circle" and "cx" in a and a["r"] == "3" and a["cy"] != "5"]
    return marks[:len(of)]


def check_iallgather():
    page, measured = Page("page.dom"), rows_of("page.csv")
    names = ["native_i", "auto", "ring", "lane:ring,block"]
    sizes = ["8 B", "64 B", "512 B", "4 KiB"]
    for table, columns in (("times", names), ("overlaps", names), ("ratios", names[1:])):
        rows = page.tables[table]
        assert rows[0] == ["Size"] + columns and [r[0] for r in rows[1:]] == sizes, (table, rows)
    cell = {(r["size"], r["algorithm"]): r for r in measured}
    assert len(measured) == 16 and all(r["wrong"] == "0" for r in measured)
    for row, n in zip(page.tables["times"][1:], ("8", "64", "512", "4096")):
        for text, name in zip(row[1:], names):
            median, low, high = re.fullmatch(r"([\d.]+)\[([\d.]+), ([\d.]+)\]", text).groups()
            r = cell[n, name]
            assert close_to(median, float(r["median_us"])) and close_to(low, float(r["low_us"])) and close_to(high, float(r["high_us"]))
            assert 0 < float(low) <= float(median) <= float(high)
    for row, n in zip(page.tables["overlaps"][1:], ("8", "64", "512", "4096")):
        assert all(abs(float(t) - float(cell[n, name]["overlap_percent"])) < 0.051 for t, name in zip(row[1:], names))
    for row in page.tables["ratios"][1:]:
        assert all(0 < float(t.split("[")[0]) < 1e6 for t in row[1:])
    assert len(page.tables["all"]) == 17
    # two plots of four lines with four marks each, and their legends; bars of three at four sizes
    assert page.count("svg", "plot") == 3 and page.count("polyline", "line") == 8 and page.count("polygon", "band") == 4
    assert page.count("circle", "mark") == 2 * (16 + 4) and page.count("rect", "bar") == 12
    times = [float(r["median_us"]) for name in names for r in measured if r["algorithm"] == name]
    pairs = sorted(zip(times, plot_heights(page, times)))
    assert all(b[1] <= a[1] + 0.11 for a, b in zip(pairs, pairs[1:])), pairs
    for said in ('<script>document.title="bad"</script> & "x" \N{REPLACEMENT CHARACTER}', "on 2 ranks", "-m 8:4k", "lane:ring+block",
                 "data verified", "rank", "Where ranks are", "Tutti"):
        assert said in page.text, said
    assert re.search(r"(MPICH|Open MPI) \d+\.\d", page.text)


def check_barrier():
    page, measured = Page("barrier.dom"), rows_of("barrier.csv")
    head, row = page.tables["times"]
    assert head == ["Size", "native", "dissemination"] and row[0] == "-"
    assert all(close_to(t.split("[")[0], float(r["median_us"])) for t, r in zip(row[1:], measured))
    assert page.count("svg", "plot") == 1 and page.count("rect", "bar") == 1


def check_guidelines():
    page = Page("guidelines.dom")
    with open("guidelines.json", encoding="utf-8") as f:
        said = json.load(f)["guidelines"]
    violated = [g for g in said if g["violated"]]
    shown = page.tables["violations"][1:]
    assert len(shown) == len(violated) and len(page.tables["others"]) - 1 == len(said) - len(violated) > 0
    for row, g in zip(shown, violated):
        assert row[1:4] == [g["calls"], g["left"], g["right"]] and close_to(row[6].split("[")[0], g["factor"]), (row, g)
    assert page.count("rect", "bar") == min(len(violated), 200)


for name in ("page", "barrier", "guidelines"):
    nothing_outside(Page(f"{name}.dom"), name)
check_iallgather()
check_barrier()
check_guidelines()
