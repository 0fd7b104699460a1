# SPDX-License-Identifier: BSD-3-Clause
"""example.py - a program for the page of a collective: the persistent call, started in a loop, while the program computes."""
import re, textwrap

N = 100  # numbers in a block
BLOCKS_SENT = ("alltoall", "scatter", "reduce_scatter", "reduce_scatter_block", "neighbor_alltoall")
BLOCKS_RECEIVED = ("allgather", "gather", "alltoall", "neighbor_allgather", "neighbor_alltoall")


def arguments_of(prototype):
    """The names of the parameters before the communicator."""
    inside = prototype[prototype.index("(") + 1:prototype.index(", MPI_Comm comm")] if ", MPI_Comm comm" in prototype else ""
    return re.findall(r"(\w+)(?:\[\])?(?:,|$)", inside)


def example(collective, prototype):
    """prototype: of the persistent call with int counts"""
    names = arguments_of(prototype)
    near = collective.startswith("neighbor_")
    blocks = "2" if near else "ranks"
    many = {"sendbuf": "sendcounts" in names or collective in BLOCKS_SENT,
            "recvbuf": ("recvcounts" in names and collective != "reduce_scatter") or collective in BLOCKS_RECEIVED, "buffer": False}
    buffers = {"sendbuf": "sent", "recvbuf": "received", "buffer": "data"}
    typed = "sendtypes" in names
    lists = {"counts": ("int", f"{N}")} if any(n.endswith("counts") for n in names) else {}
    displs = [n for n in names if n.endswith("displs")]
    if displs:
        wide = "byte" in displs[0]
        lists["displs"] = ("MPI_Aint" if wide else "int", f"{N} * i" + (" * sizeof(double)" if typed else ""))
        if typed and not wide:
            lists["displs"] = ("int", f"{N} * i * (int)sizeof(double)")
    if typed:
        lists["types"] = ("MPI_Datatype", "MPI_DOUBLE")

    def value(name):
        if name in buffers:
            return buffers[name]
        for end in ("counts", "displs", "types"):
            if name.endswith(end):
                return end
        return {"root": "0", "op": "MPI_SUM"}.get(name, str(N) if name.endswith("count") else "MPI_DOUBLE")

    here = [n for n in names if n in buffers]
    allocated = [f"double *{buffers[n]} = calloc({f'{N} * {blocks}' if many[n] else N}, sizeof(double));" for n in here]
    allocated += [f"{kind} *{name} = malloc({blocks} * sizeof *{name});" for name, (kind, _) in lists.items()]
    comm = "ring" if near else "MPI_COMM_WORLD"
    call = f"MPIX_{collective.capitalize()}_auto_init("
    call += ", ".join([value(n) for n in names] + [comm, "MPI_INFO_NULL", "&request"]) + ");"
    lines = ["MPIX_Request request;"]
    counted = near or any("ranks" in a for a in allocated)
    lines += ["int ranks" + (", periodic = 1;" if near else ";")] if counted else []
    lines += ["MPI_Comm ring;"] if near else []
    lines += ["", "MPI_Init(&argc, &argv);"] + (["MPI_Comm_size(MPI_COMM_WORLD, &ranks);"] if counted else [])
    if near:
        lines += ["MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring); /* 2 neighbors */"]
    lines += allocated
    if lists:
        lines += [f"for (int i = 0; i < {blocks}; i++) {{"] + [f"    {name}[i] = {item};" for name, (_, item) in lists.items()] + ["}"]
    lines += textwrap.wrap(call, 84, subsequent_indent="    ", break_on_hyphens=False)
    lines += ["for (int step = 0; step < 10; step++) {"]
    if here:
        lines += [f"    {buffers[here[0]]}[0] = step; /* what this step sends */"]
    lines += ["    MPIX_Start(&request);", "    for (int part = 0; part < 100; part++) {",
              "        /* a part of your computation */", "        tutti_progress();", "    }",
              "    MPIX_Wait(&request, MPI_STATUS_IGNORE);", "}", "MPIX_Request_free(&request);"]
    lines += [f"free({name});" for name in [buffers[n] for n in here] + list(lists)]
    lines += (["MPI_Comm_free(&ring);"] if near else []) + ["MPI_Finalize();", "return 0;"]
    program = ["#include <mpi.h>"] + (["#include <stdlib.h>"] if here else []) + ["#include <tutti.h>", "", "int main(int argc, char **argv)", "{"]
    return "\n".join(program + [("    " + line).rstrip() for line in lines] + ["}"])
