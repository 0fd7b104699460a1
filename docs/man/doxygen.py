#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""doxygen.py HEADER ALGORITHMS OUTPUT: tutti.h with comments that Doxygen reads: a group of calls for each section, and
for each collective; the comment before several calls goes to all of them."""
import json, re, sys
import header


def plain(text):
    text = re.sub(r"([\\<>@#&*_\[\]~|])", r"\\\1", re.sub(r"`([^`]*)`", "\x01\\1\x02", text)) \
        if not re.fullmatch(r"\w+", text) else text
    text = re.sub(r"\\_", "_", text).replace("\\[", "[").replace("\\]", "]").replace("\\*", "*").replace("\\~", "~")
    return text.replace("\x01", "<tt>").replace("\x02", "</tt>").replace("*/", "* /").replace("::", ": :")


def markdown(blocks):
    out = []
    for block in blocks:
        if block[0] == "head":
            out += ["", f"<b>{plain(block[1])}</b>", ""]
        elif block[0] == "item":
            out.append(f"- <b>{plain(block[1])}</b>: {plain(block[2])}")
        else:
            out += ["", plain(block[1]), ""]
    return "\n".join(out)


def comment(text):
    return f"/** {text.strip()}\n */"


def linked(text, names):
    """Names of calls inside comments lead to them."""
    def link(match):
        return f'@ref {match[0]} "{match[0]}"' if match[0] in names else match[0]
    name = re.compile(r"(?<![\w.])(?:tutti_|MPIX_)\w+(?![\w.(])")

    def inside(comment):
        return comment[0] if "@copydoc" in comment[0] or "@ref" in comment[0] else name.sub(link, comment[0])
    return re.sub(r"/\*\*.*?\*/", inside, text, flags=re.S)


def main_page(intro, sections):
    links = "\n".join(f"- @ref {identifier(s.title)}" for s in sections)
    return comment(f"@mainpage Tutti\n{markdown(intro)}\n\nSections:\n\n{links}\n\n"
                   "Programs, variables of the environment and info keys: `man tutti`, `tutti-info --env`.")


def identifier(title):
    return "group_" + re.sub(r"\W+", "_", title.lower())


def struct(text, blocks):
    two = r"( +)([a-z ]+) (\w+), (\w+);(\s*/\*.*?\*/)"  # Doxygen gives a comment to one name only
    text = re.sub(two, r"\1\2 \3;\5\n\1\2 \4;\5", text, flags=re.S)
    body = re.sub(r";\s*/\* ?(.*?)\*/", lambda m: "; /**< " + plain(" ".join(m[1].split())) + " */", text, flags=re.S)
    return [comment(markdown(blocks)), body]


def groups_of(section):
    out = []
    for group in section.groups:
        if group.types:
            out += struct(group.types, group.type_blocks)
        own = group.blocks is section.blocks
        first = group.calls[0].name
        for call in group.calls:
            text = f"See the section {section.title}." if own else markdown(group.blocks)
            out += [comment(text if own or call.name == first else f"@copydoc {first}"), call.text]
    return out


def collectives_of(section, algorithms):
    names = sorted({c for a in algorithms for c in a["serves"]})
    entries = [header.entry_of(call, names) for call in section.entries]
    out = []
    for name in names:
        known = {a["name"]: a["summary"] for a in algorithms if name in a["serves"]}
        known["auto"] = "the algorithm that is expected to be the fastest"
        out.append(comment(f"@defgroup collective_{name} {name}\n@ingroup {identifier(section.title)}\n@{{"))
        for e in (e for e in entries if e.collective == name):
            size = ", large counts" if e.large else ""
            out += [comment(f"{name}, {e.kind}{size}; {e.algorithm}: {plain(known[e.algorithm])}."), e.call.text]
        out.append("/** @} */")
    return out


def main():
    path, algorithms, output = sys.argv[1:]
    intro, sections = header.read(path)
    opaque = re.search(r"/\*((?:(?!\*/).)*)\*/\n(typedef struct \w+ \*MPIX_Request;)", open(path).read(), re.S)
    names = {call.name for s in sections for g in s.groups for call in g.calls}
    lines = [main_page(intro, sections),
             comment("@file\nNon-blocking and persistent collectives on any MPI."),
             comment(" ".join(re.sub(r"\n \*", "\n", opaque[1]).split())), opaque[2]]
    for section in sections:
        name = identifier(section.title)
        lines += [comment(f"@defgroup {name} {section.title}\n{markdown(section.blocks)}"),
                  comment(f"@addtogroup {name}\n@{{")] + groups_of(section) + ["/** @} */"]
        if section.entries:
            lines += collectives_of(section, json.load(open(algorithms))["algorithms"])
    open(output, "w").write(linked("\n\n".join(lines), names) + "\n")


main()
