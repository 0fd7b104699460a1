# SPDX-License-Identifier: BSD-3-Clause
"""header.py - read tutti.h for its manual: sections, groups of calls with the comment before them, entry points.

A section begins with a comment `/* ---- Title ---`. A group is a comment and the declarations behind it. The entry points
of collectives (MPIX_Allgather_ring and its like), which come without comments, are kept apart.
"""
import dataclasses, re


@dataclasses.dataclass
class Call:
    name: str
    text: str  # the prototype


@dataclasses.dataclass
class Group:
    blocks: list          # of its comment
    calls: list
    types: str = ""       # a struct that goes with it, as it is written
    type_blocks: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Section:
    title: str
    blocks: list
    groups: list
    entries: list = dataclasses.field(default_factory=list)


def comment_lines(comment):
    body = re.sub(r"^/\*|\*/$", "", comment)
    return [re.sub(r"^ \* ?", "", line).rstrip() for line in body.strip().split("\n")]


def blocks_of(lines):
    """("p", text), ("item", tag, text), ("head", text): what the lines of a comment say."""
    blocks, entry = [], None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        item = re.match(r"^ {2,}(\S.*?)(?: {2,}|(?<=\)) )(\S.*)$", line)
        if not line.strip():
            entry = None
            blocks.append(("p", ""))
        elif line.startswith("---- "):
            title, _, rest = line[5:].partition(":")
            blocks += [("head", title.strip(" -")), ("p", rest.strip())]
            entry = None
        elif item and indent <= 4 and not (entry and indent > entry):
            entry = indent
            blocks.append(("item", item[1], item[2]))
        elif entry is not None and indent > entry:
            blocks[-1] = ("item", blocks[-1][1], blocks[-1][2] + " " + line.strip())
        elif blocks and blocks[-1][0] == "p" and blocks[-1][1]:
            blocks[-1] = ("p", blocks[-1][1] + " " + line.strip())
        else:
            entry = None
            blocks.append(("p", line.strip()))
    return [b for b in blocks if b[1]]


def prototypes(text):
    flat = [" ".join(p.split()) + ";" for p in text.split(";") if p.strip()]
    return [Call(re.match(r".*?(\w+)\(", p)[1], p) for p in flat]


def is_entry(call):
    """Of a collective, by one of its algorithms."""
    return "MPI_Comm comm" in call.text and call.name.startswith("MPIX_")


def read(path):
    """(blocks of the header's own comment, sections)"""
    text = re.sub(r"\A/\* SPDX-.*\n", "", open(path).read())
    intro = re.match(r"/\*.*?\*/", text, re.S)
    text = re.sub(r"^\s*#.*?[^\\]$", "", text[intro.end():], flags=re.M | re.S)
    token = re.compile(r"(?P<comment>^/\*.*?\*/)|(?P<type>^typedef struct \w+ \{.*?^\} \w+;)|(?P<opaque>^typedef [^{]*?;)"
                       r"|(?P<call>^(?:int|void) \w+\([^;]*\);)", re.M | re.S)
    sections, group, pending = [Section("", [], [])], None, None
    for match in token.finditer(text):
        section = sections[-1]
        if match["comment"]:
            lines = comment_lines(match["comment"])
            title = re.match(r"-{4} (.*?) -{4,}\s*$", lines[0])
            if title:
                sections.append(Section(title[1].capitalize(), blocks_of(lines[1:]), []))
                group = Group(sections[-1].blocks, [])
                sections[-1].groups.append(group)
            else:
                group = Group(blocks_of(lines), [])
                if pending:
                    group.types, group.type_blocks, pending = pending[0], pending[1], None
                section.groups.append(group)
        elif match["type"]:
            pending = (match["type"], group.blocks)
            section.groups.remove(group)
        elif match["call"]:
            for call in prototypes(match["call"]):
                (section.entries if is_entry(call) else group.calls).append(call)
    for section in sections:
        section.groups = [g for g in section.groups if g.calls]
    return blocks_of(comment_lines(intro[0])), [s for s in sections if s.groups or s.entries]


@dataclasses.dataclass
class Entry:
    call: Call
    collective: str
    algorithm: str
    kind: str  # blocking, non-blocking or persistent
    large: bool


def entry_of(call, collectives):
    """What MPIX_Iallgather_ring_c is, among collectives in small letters."""
    name, large = re.match(r"MPIX_(.*?)(_c)?$", call.name).groups()
    kind = "blocking"
    if name.endswith("_init"):
        name, kind = name[:-5], "persistent"
    elif "MPI_Request *request" in call.text:
        name, kind = name[1:], "non-blocking"
    name = name.lower()
    collective = max((c for c in collectives if name.startswith(c + "_")), key=len)
    return Entry(call, collective, name[len(collective) + 1:], kind, large is not None)
