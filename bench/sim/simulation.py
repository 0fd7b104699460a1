# SPDX-License-Identifier: BSD-3-Clause
"""Run tutti-bench in SimGrid and get its results."""

import concurrent.futures
import csv
import datetime
import hashlib
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import platforms
from machines import Machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/simulated/bin/tutti-bench"
CPUTIME = ROOT / "build/simulated/lib/libcputime.so"  # see cputime.c

# Looking at the clock takes no time; the collectives with which the benchmark itself begins and ends together are
# not SimGrid's linear ones; buffers that are folded are one mapping each.
OPTIONS = """--cfg=smpi/wtime:0 --cfg=smpi/barrier:ompi_recursivedoubling --cfg=smpi/allreduce:rdb
--cfg=smpi/bcast:binomial_tree --cfg=smpi/allgather:bruck --cfg=smpi/shared-malloc-blocksize:4294967296
--cfg=contexts/stack-size:256
--log=root.thresh:warning --log=smpi_pmpi.thresh:error --log=smpi_utils.thresh:error
--log=smpi_coll.thresh:warning --log=smpi_config.thresh:warning --log=xbt_cfg.thresh:warning""".split()

# smpirun exits with 0 after these.
FAILURES = re.compile(r"Deadlock detected|MPI_Abort was called|Stalling SMPI instance|returned MPI_ERR|Killed")


def today():
    """The date and the commit, in words."""
    git = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return f"on {datetime.date.today()}, commit {git.stdout.strip() or 'unknown'}"


class Failed(Exception):
    pass


@dataclass(frozen=True)
class Job:
    """One smpirun: what tutti-bench is called with, on which ranks of which machine."""
    machine: Machine
    ranks: int
    nodes: int
    mapping: str  # see platforms.placement
    arguments: tuple  # of tutti-bench, without output options
    panel: str = ""  # label of the rows; "": machine and mapping
    options: tuple = ()  # of smpirun, after the usual ones
    environment: tuple = ()  # pairs
    files: tuple = field(default=(), repr=False)  # pairs: name and text of what else it reads
    timeout: int = 3600

    @property
    def label(self):
        return self.panel or f"{self.machine.name} {self.mapping}"

    def run(self):
        """The rows of its CSV, each a dict of strings."""
        with tempfile.TemporaryDirectory(prefix="tutti-sim") as folder:
            return self._run_in(pathlib.Path(folder))

    def _files(self):
        """Name -> text of what smpirun and Tutti read."""
        hosts = platforms.placement(self.machine, self.ranks, self.nodes, self.mapping)
        return {"platform.xml": platforms.platform(self.machine, self.nodes), "hosts": "\n".join(hosts) + "\n",
                "topology.conf": platforms.switches(self.machine, self.nodes),
                "constants": self.machine.constants(), **dict(self.files)}

    def kept(self, folder):
        """Where its rows are kept: the same file only for what would give the same rows."""
        said = (self.label, self.ranks, self.arguments, self.options, self.environment, OPTIONS, self._files())
        return folder / f"{hashlib.sha256(repr(said).encode() + PROGRAM.read_bytes()).hexdigest()[:24]}.csv"

    def _run_in(self, folder):
        for name, text in self._files().items():
            (folder / name).write_text(text)
        command = ["smpirun", "-quiet", "-np", str(self.ranks), "-platform", "platform.xml", "-hostfile", "hosts",
                   *OPTIONS, *self.options, str(PROGRAM), *self.arguments, "--sync", "roundtime", "--csv", "out.csv"]
        environment = dict(os.environ, TUTTI_SWITCHES="./topology.conf",
                           TUTTI_CONSTANTS="./constants", LD_PRELOAD=str(CPUTIME),
                           **dict(self.environment))
        try:
            done = subprocess.run(command, cwd=folder, env=environment, timeout=self.timeout, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired as e:
            raise Failed(f"{self}: no end after {self.timeout} s") from e
        if done.returncode or FAILURES.search(done.stdout) or not (folder / "out.csv").exists():
            raise Failed(f"{' '.join(command)}\n{done.stdout}")
        with open(folder / "out.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        for row in rows:
            row["label"] = self.label
            if row["wrong"] not in ("", "0"):
                raise Failed(f"{self}: wrong data: {row}")
        return rows


def there(jobs, keep):
    """How many jobs have their rows in the folder."""
    return sum(job.kept(keep).exists() for job in jobs)


def run_kept(job, keep):
    """The rows of a job: those in the folder, or else of a run, which are kept there."""
    if not keep:
        return job.run()
    path = job.kept(keep)
    if not path.exists():
        part = path.with_suffix(".part")
        write_csv(part, job.run())
        part.rename(path)
    return read_csv(path)


def run_all(jobs, workers=None, keep=None):
    """The rows of all jobs, in their order; the largest are begun first. keep: a folder for the rows of jobs that ended;
    called again after it was stopped, it goes on from there."""
    workers = workers or os.cpu_count()
    order = sorted(range(len(jobs)), key=lambda i: -jobs[i].ranks)
    results, begin, done = [None] * len(jobs), time.time(), 0
    tell = sys.stderr.isatty()
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(run_kept, jobs[i], keep): i for i in order}
        try:
            for future in concurrent.futures.as_completed(futures):
                results[futures[future]] = future.result()
                done += 1
                if tell:
                    print(f"\r\033[K{done} of {len(jobs)} simulations, {time.time() - begin:.0f} s", end="",
                          file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    if tell:
        print("\r\033[K", end="", file=sys.stderr)
    return [row for rows in results for row in rows]


def opened(path, mode):
    """A table: compressed, a tenth of the bytes, if its name ends in .xz."""
    return lzma.open(path, mode + "t", newline="") if path.suffix == ".xz" else open(path, mode, newline="")


def write_csv(path, rows):
    with opened(path, "w") as f:
        writer = csv.DictWriter(f, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path):
    with opened(path, "r") as f:
        return list(csv.DictReader(f))


def number(row, key="median_us"):
    """A measured value, or None."""
    return float(row[key]) if row[key] else None
