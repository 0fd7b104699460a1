# SPDX-License-Identifier: BSD-3-Clause
"""What the planner says of a call on a simulated machine: tutti-plan of an ordinary build (build/mpich, or PLAN_PROGRAM)."""

import functools
import os
import pathlib
import re
import subprocess
import tempfile
import threading
from dataclasses import dataclass

import platforms
from machines import Machine
from simulation import ROOT, Failed

PLAN = os.environ.get("PLAN_PROGRAM", str(ROOT / "build/mpich/bin/tutti-plan"))
ROW = re.compile(r"\s*(?:>=|~)?\s*([\d.]+) us\s+(?:[\d.]+  )?(\S+)\s+(.*)$")


FOLDER = tempfile.TemporaryDirectory(prefix="tutti-planned")
WRITING = threading.Lock()  # one thread makes each file


@functools.cache
def constants(machine):
    """A file of them."""
    path = pathlib.Path(FOLDER.name) / machine.name
    path.write_text(machine.constants())
    return str(path)


@functools.cache
def locations(machine, ranks, nodes, mapping):
    """Where the ranks are, as TUTTI_REGIONS; a file if sockets are told apart. Switches are left out: only nodes may be of several
    sizes there."""
    hosts = platforms.placement(machine, ranks, nodes, mapping)
    if machine.sockets > 1:
        path = pathlib.Path(FOLDER.name) / f"{machine.name}-{ranks}-{nodes}-{mapping}"
        path.write_text("".join(h.replace("s", " s") + "\n" for h in hosts))
        return str(path)
    names = [n for leaf in platforms.node_names(machine, nodes) for n in leaf]
    return f"node:{','.join(str(hosts.count(n)) for n in names)}" + ("@cyclic" if mapping == "cyclic" else "")


@dataclass(frozen=True)
class Call:
    machine: Machine
    ranks: int
    nodes: int
    mapping: str
    collective: str
    bytes: int

    def _plan(self, *words):
        with WRITING:
            where, machine = locations(self.machine, self.ranks, self.nodes, self.mapping), constants(self.machine)
        run = subprocess.run([PLAN, self.collective, *words, "-p", str(self.ranks), "--regions", where, "--bytes", str(self.bytes),
                              "--machine", machine], capture_output=True, text=True)
        if run.returncode:
            raise Failed(f"{' '.join(run.args)}\n{run.stderr}")
        return run.stdout

    def listed(self):
        """What auto takes; the planner's list: algorithm -> (microseconds, was it executed?)"""
        found, auto = {}, None
        for line in self._plan("--why").splitlines():
            row = ROW.match(line)
            if row:
                found[row[2]] = float(row[1]), not row[3].startswith("first estimate")
                auto = row[2] if row[3].endswith(", auto") else auto
            elif line.startswith("auto: "):
                auto = line.split()[1]
        return auto, found

    def estimate(self, algorithm):
        """Microseconds: all ranks are executed, however long it takes."""
        return float(self._plan(algorithm, "--time").split("\n")[1].split()[0])
