#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pages.py HEADER ALGORITHMS VERSION FOLDER: section 3 of the manual from tutti.h and `tutti-info --algorithms --json`.

A page for each group of calls and each collective; every other name is a link to its page.
"""
import datetime, json, os, re, sys, textwrap
import example, header

ORDER = ("blocking", "non-blocking", "persistent")


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text).replace("`", "\\(ga")
    lines = textwrap.wrap(text, 90, break_long_words=False, break_on_hyphens=False)
    return "\n".join(("\\&" + l if l[0] in ".'" else l) for l in lines)


def body(blocks):
    out = []
    for i, block in enumerate(blocks):
        if block[0] == "head":
            out.append(f".SS {roff(block[1])}")
        elif block[0] == "item":
            out.append(f".TP\n.B {roff(block[1])}\n{roff(block[2])}")
        else:
            follows = i and blocks[i - 1][0] != "head"
            out.append((".PP\n" if follows else "") + roff(block[1]))
    return out


def split_errors(blocks):
    """What the comment says, and what it says of errors."""
    said, errors = [], []
    for block in blocks:
        at = re.search(r"(?:^|(?<=[.)] ))(?:Errors: )?MPI_ERR_\w+", block[1]) if block[0] == "p" else None
        if not at:
            said.append(block)
            continue
        if block[1][:at.start()].strip():
            said.append(("p", block[1][:at.start()].strip()))
        errors.append(("p", re.sub(r"^Errors: ", "", block[1][at.start():])))
    return said, errors


def prototype(text):
    """Broken at commas, if it is long."""
    begin, arguments = re.match(r"(.*?\()(.*)", text).groups()
    tied = begin.replace(" ", "~") + ", ".join(a.replace(" ", "~") for a in arguments.split(", "))
    lines = textwrap.wrap(tied, 76, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines).replace("~", " ")


def synopsis(calls, types=""):
    lines = ["#include <tutti.h>", ""] + ([types, ""] if types else []) + [prototype(c.text) for c in calls]
    return [".SH SYNOPSIS", ".nf", "\n".join(lines).replace("\\", "\\e").replace("-", "\\-"), ".fi"]


def program(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f".nf\n{text}\n.fi"


def sentence(text):
    """With a capital, unless it begins with an argument, and with a full stop."""
    is_argument = re.match(r"(send|recv)buf\b", text)
    return (text if is_argument else text[:1].upper() + text[1:]) + "."


def first_sentence(blocks):
    text = next((b[1] for b in blocks if b[0] == "p" and not b[1].startswith("MPI_ERR")), "")
    text = re.split(r"(?<=[a-z)])[.:;?] ", text)[0].rstrip(".:;?")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


class Manual:
    def __init__(self, path, algorithms, version, folder):
        self.intro, self.sections = header.read(path)
        self.algorithms = json.load(open(algorithms))["algorithms"]
        self.version, self.folder = version, folder
        stamp = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
        self.date = datetime.datetime.fromtimestamp(stamp, datetime.timezone.utc).strftime("%Y-%m-%d")
        os.makedirs(folder, exist_ok=True)

    def write(self, name, what, names, parts):
        title = f'.TH {name} 3 {self.date} "Tutti {self.version}" "Tutti Manual"'
        shown = ", ".join(n.replace("-", "\\-") for n in names)
        text = "\n".join([title, ".SH NAME", f"{shown} \\- {roff(what)}"] + parts) + "\n"
        with open(f"{self.folder}/{name}.3", "w") as out:
            out.write(re.sub(r"\n\n+(?!\.)", "\n\n", text))
        for other in names:
            self.link(other, name)

    def link(self, name, to):
        if name != to:
            with open(f"{self.folder}/{name}.3", "w") as out:
                out.write(f".so man3/{to}.3\n")

    def errors(self, own):
        general = [b for b in self.intro if b[1].startswith("Errors.")]
        return [".SH ERRORS"] + body(own) + ([".PP"] if own else []) + body([("p", general[0][1][len("Errors. "):])])

    def group_page(self, section, group):
        said, errors = split_errors(group.blocks)
        own_section = group.blocks is section.blocks
        parts = synopsis(group.calls, group.types) + [".SH DESCRIPTION"] + body(group.type_blocks) + \
            ([".PP"] if group.type_blocks and said else []) + body(said)
        general, general_errors = split_errors(section.blocks)
        if section.blocks and not own_section:
            parts += [f".SH {section.title.upper()}"] + body(general)
            errors = errors + general_errors
        names = [c.name for c in group.calls]
        others = [g.calls[0].name for g in section.groups if g is not group]
        what = "advance and complete persistent requests" if own_section else first_sentence(group.type_blocks + group.blocks)
        self.write(names[0], what, names, parts + self.errors(errors) + self.see_also(others))

    @staticmethod
    def see_also(names):
        names = [n + "(3)" for n in names] + ["tutti(7)"]
        return [".SH SEE ALSO"] + [f".BR {n[:-3]} {n[-3:]}{',' if n is not names[-1] else ''}".replace("-", "\\-") for n in names]

    def collective_pages(self, section):
        collectives = sorted({c for a in self.algorithms for c in a["serves"]})
        entries = [header.entry_of(c, collectives) for c in section.entries]
        said, errors = split_errors(section.blocks)
        pages = []
        for collective in collectives:
            mine = [e for e in entries if e.collective == collective]
            auto = {(e.kind, e.large): e.call for e in mine if e.algorithm == "auto"}
            page = auto["blocking", False].name
            pages.append(page)
            parts = synopsis([auto[k, large] for large in (False, True) for k in ORDER if (k, large) in auto])
            parts += [".SH DESCRIPTION"] + body(self.about(collective, said)) + self.algorithms_of(collective, mine)
            shown = example.example(collective, auto["persistent", False].text)
            self.write(page, f"{collective}, blocking, non-blocking and persistent",
                       [auto[k, False].name for k in ORDER], parts + self.errors(errors) + [".SH EXAMPLE", program(shown)] +
                       self.see_also(["tutti_collectives", "MPIX_Start", "tutti_comm_explain"]))
            for call in auto.values():  # as MPIs with extensions call them
                self.link(call.name.replace("_auto", ""), page)
            for entry in mine:
                if not os.path.exists(f"{self.folder}/{entry.call.name}.3"):
                    self.link(entry.call.name, page)
        self.write("tutti_collectives", "collectives by any algorithm", ["tutti_collectives"],
                   [".SH SYNOPSIS", "#include <tutti.h>", ".SH DESCRIPTION"] + body(said) + self.errors(errors) +
                   self.see_also(pages))

    @staticmethod
    def about(collective, blocks):
        """The rows of the section's list that are of this collective."""
        def is_of(tag):
            for name in tag.split(", "):
                stem, more = re.match(r"([a-z_]+?)(?:\(([^)]*)\))?$", name).groups()
                forms = {stem} | {stem + end for end in (more or "").split(",") if end}
                if collective in forms or (stem == "neighbor_" and collective.startswith(stem)):
                    return True
            return False
        own = [b for b in blocks if b[0] == "item" and re.match(r"[a-z_(),  ]+$", b[1]) and is_of(b[1])]
        of_mpi = "MPI_" + collective.capitalize()
        return [("p", f"Arguments and meaning are those of {of_mpi}, MPI_I{collective} and {of_mpi}_init. The names with _c take "
                      "MPI_Count counts and MPI_Aint displacements. See tutti_collectives(3) for what is common to all."
                      )] + [("p", sentence(b[2])) for b in own]

    def algorithms_of(self, collective, entries):
        out = [".SH ALGORITHMS", "The name of an algorithm stands in the place of \\fBauto\\fR:"]
        known = {a["name"]: a for a in self.algorithms if collective in a["serves"]}
        for name in dict.fromkeys(e.algorithm for e in entries if e.algorithm != "auto"):
            a = known[name]
            words = f" Words: {', '.join(a['words'])}." if a["words"] else ""
            if a["parameter"]:
                words += f" Parameter: {a['parameter']['name']}, usually {a['parameter']['usual']}."
            ranks = "" if a["ranks"] == "any" else f" Ranks: {a['ranks']}."
            out += [".TP", f".B {name}", roff(f"{sentence(a['summary'])}{ranks}{words} {a['source']}.")]
        return out


def main():
    manual = Manual(*sys.argv[1:])
    for section in manual.sections:
        for group in section.groups:
            manual.group_page(section, group)
        if section.entries:
            manual.collective_pages(section)


main()
