# SPDX-License-Identifier: BSD-3-Clause
"""Tutti's collectives for mpi4py communicators and numpy arrays.

    import numpy as np, tutti
    from mpi4py import MPI

    tutti.init()
    mine, every = np.zeros(1000), np.zeros(1000 * MPI.COMM_WORLD.size)
    with tutti.Allgather_init(MPI.COMM_WORLD, mine, every, algorithm="ring") as gather:
        for step in range(10):
            mine[:] = step
            gather.start()          # reads `mine` now
            tutti.progress()        # your computation, with a call now and then
            gather.wait()

Every collective has three functions, Allgather, Iallgather, Allgather_init: blocking, non-blocking, persistent. Arguments
are the communicator, then mpi4py's: buffers are `array`, `[array, type]`, `[array, count, type]`, for v-collectives
`[array, counts, displs, type]` or `[array, (counts, displs), type]`, for w-collectives `[array, counts, displs, types]`
(displacements in bytes), or MPI.IN_PLACE. Arrays must be contiguous. Errors are MPI.Exception.

The library is that of the MPI which mpi4py was built for; the variable TUTTI_LIBRARY names another file.
"""
import collections
import ctypes
import mmap
import operator
import os
import sysconfig
import weakref

import numpy as np
from mpi4py import MPI

# ---- the library ------------------------------------------------------------------------------------


def _mpi_of(path):
    """For which kind of MPI a library was built. The ABI fixes the name of the MPI's library; else names say nothing, but
    handles of Open MPI's are symbols."""
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data.find(b"\0libmpi_abi.so.") >= 0:
            return "MPI ABI"
        if data.find(b"\0ompi_mpi_byte\0") >= 0:
            return "Open MPI"
        return "MPICH" if data.find(b"\0PMPI_Comm_rank\0") >= 0 else "unknown"


def _candidates(mpi):
    here = os.path.dirname(os.path.abspath(__file__))
    prefix = os.path.dirname(os.path.dirname(os.path.dirname(here)))  # <prefix>/lib/python3/dist-packages
    folders = [p for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if p]
    multiarch = os.path.join("lib", sysconfig.get_config_var("MULTIARCH") or "")
    folders += [os.path.join(prefix, sub) for sub in ("lib", "lib64", multiarch)]
    folders += ["/usr/local/lib", os.path.join("/usr", multiarch)]
    for folder in folders:
        for name in ("libtutti_abi.so.0",) if mpi == "MPI ABI" else (
                "libtutti-%s.so.0" % mpi.lower().replace(" ", ""), "libtutti.so.0"):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                yield path


def _mpi_here():
    """What mpi4py uses"""
    with open("/proc/self/maps") as maps:
        if any("/libmpi_abi." in line or "/libmpi_abi_" in line for line in maps):
            return "MPI ABI"
    return "Open MPI" if MPI.get_vendor()[0] == "Open MPI" else "MPICH"


def _load():
    mpi = _mpi_here()
    named = os.environ.get("TUTTI_LIBRARY")
    found = [named] if named else list(_candidates(mpi))
    others = []
    for path in found:
        try:
            if _mpi_of(path) == mpi:
                return ctypes.CDLL(path)
        except OSError as error:
            raise ImportError("tutti: %s: %s" % (path, error)) from None
        others.append("%s is for %s" % (path, _mpi_of(path)))
    raise ImportError("tutti: no libtutti for %s, which mpi4py uses%s; build one, and name it by TUTTI_LIBRARY" % (
        mpi, "".join(": " + other for other in others[:1])))


_lib = _load()
_Handle = ctypes.c_int if MPI._sizeof(MPI.Comm) == 4 else ctypes.c_void_p
_NULL = ctypes.c_void_p(None)


def _handle(thing):
    return _Handle.from_address(MPI._addressof(thing))


def _check(error):
    if error != MPI.SUCCESS:
        raise MPI.Exception(error)


def _string(text):
    """A text for C, which ends at a NUL"""
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError("tutti: a NUL in %r" % text)
    return encoded


def _text(function, *arguments):
    """What a function writes into (char *text, size_t size)"""
    text = ctypes.create_string_buffer(4096)
    _check(function(*arguments, text, ctypes.c_size_t(len(text))))
    return text.value.decode()


# ---- buffers ----------------------------------------------------------------------------------------


def _type_of(dtype):
    if not dtype.isnative:
        raise TypeError("tutti: %s is not in the byte order of this machine" % dtype)
    known = getattr(MPI, "_typedict", None)
    try:
        found = known[dtype.char] if known else MPI.Datatype.fromcode(dtype.char)
    except (KeyError, ValueError):
        found = MPI.DATATYPE_NULL
    if found == MPI.DATATYPE_NULL or found.Get_size() != dtype.itemsize:  # texts, records, ...
        raise TypeError("tutti: %s has no MPI type: give one, [array, type]" % dtype)
    return found


def _reach(count, displ, datatype):
    """From where to where `count` elements reach in bytes, the first at `displ`; of less than none MPI complains"""
    if count <= 0:
        return 0, 0
    last = displ + (count - 1) * datatype.Get_extent()[1]
    low, true_extent = datatype.Get_true_extent()
    return min(displ, last) + low, max(displ, last) + low + true_extent


def _whole(number, bits=63):
    """A whole number that C can take"""
    number = operator.index(number)
    if not -(2 ** bits) <= number < 2 ** bits:
        raise ValueError("tutti: %d is too large" % number)
    return number


def _list(numbers):
    """Counts or displacements for C"""
    a = np.asarray(numbers)
    if a.size and a.dtype.kind not in "iu" or a.ndim > 1:
        raise TypeError("tutti: counts and displacements are lists of whole numbers")
    return np.ascontiguousarray(a, np.int64)


class _Side:
    """What a rank sends or receives: address, type or types, count or counts and displacements"""

    def __init__(self, spec, written, shape, blocks, used=True):
        self.keeps = []  # what must live as long as the operation
        self.address, self.count, self.type = _NULL, 0, MPI.DATATYPE_NULL
        self.counts = self.displs = self.types = None
        self.array = None
        self.in_place = not isinstance(spec, (list, tuple, np.ndarray)) and spec is MPI.IN_PLACE
        if self.in_place:
            self.address = ctypes.c_void_p(int(MPI.IN_PLACE))
        elif used:
            if spec is None or isinstance(spec, (list, tuple)) and not spec:
                raise ValueError("tutti: no array to %s" % ("receive into" if written else "send"))
            self._take(list(spec) if isinstance(spec, (list, tuple)) else [spec], written, shape, blocks)

    def _take(self, parts, written, shape, blocks):
        obj = parts.pop(0)
        a = self.array = obj if isinstance(obj, np.ndarray) else np.asarray(memoryview(obj))
        if not (a.flags.c_contiguous or a.flags.f_contiguous):
            raise ValueError("tutti: the array is not contiguous: give a copy")
        if written and not a.flags.writeable:
            raise ValueError("tutti: the array to receive into is read-only")
        self.address = ctypes.c_void_p(a.ctypes.data)
        self.keeps.append(a)
        if shape == "typed":
            return self._take_typed(blocks, *parts)
        if parts and isinstance(parts[-1], (MPI.Datatype, str)):
            self.type = parts.pop()
            if isinstance(self.type, str):
                self.type = _type_of(np.dtype(self.type))
        else:
            self.type = _type_of(a.dtype)
        if parts and isinstance(parts[0], (tuple, list)) and len(parts[0]) == 2 and np.ndim(parts[0][0]) == 1:
            parts = list(parts[0])
        if shape == "listed":
            self._take_lists(blocks, *parts)
        else:
            self._take_count(blocks, *parts)

    def _take_count(self, blocks, count=None):
        if count is None:
            extent = self.type.Get_extent()[1]
            if extent <= 0:
                raise ValueError("tutti: a type of %d bytes needs a count, [array, count, type]" % extent)
            count, rest = divmod(self.array.nbytes, max(blocks, 1) * extent)
            if rest:
                raise ValueError("tutti: %d bytes are not %d blocks of whole elements" % (self.array.nbytes, blocks))
        self.count = _whole(count)
        self._must_hold(_reach(self.count * blocks, 0, self.type))

    def _take_lists(self, blocks, counts=None, displs=None):
        if counts is None:
            raise ValueError("tutti: a v-collective needs [array, counts, displs, type]")
        self.counts = _list(counts)
        if displs is None:
            displs = np.cumsum(self.counts) - self.counts
        self._take_displs(blocks, displs)
        extent = self.type.Get_extent()[1]
        for count, displ in zip(self.counts, self.displs):
            self._must_hold(_reach(int(count), int(displ) * extent, self.type))

    def _take_typed(self, blocks, *parts):
        if len(parts) != 3:
            raise ValueError("tutti: a w-collective needs [array, counts, displs, types]")
        counts, displs, types = parts
        self.counts = _list(counts)
        self._take_displs(blocks, displs)
        if len(types) != blocks:
            raise ValueError("tutti: %d blocks need as many types" % blocks)
        self.types = (_Handle * len(types))(*(_handle(t).value for t in types))
        self.keeps += [self.types, types]
        for count, displ, datatype in zip(self.counts, self.displs, types):
            self._must_hold(_reach(int(count), int(displ), datatype))

    def _take_displs(self, blocks, displs):
        self.displs = _list(displs)
        if len(self.counts) != blocks or len(self.displs) != blocks:
            raise ValueError("tutti: %d blocks need as many counts and displacements" % blocks)
        self.keeps += [self.counts, self.displs]

    def _must_hold(self, reach):
        low, size = reach
        if low < 0:
            raise ValueError("tutti: a block begins %d bytes before the array" % -low)
        if size > self.array.nbytes:
            raise ValueError("tutti: the array has %d bytes, %d are needed" % (self.array.nbytes, size))

    def arguments(self, shape):
        if shape not in ("listed", "typed"):
            return [self.address, ctypes.c_longlong(self.count), _handle(self.type)]
        lists = [ctypes.c_void_p(x.ctypes.data) if x is not None else _NULL for x in (self.counts, self.displs)]
        if shape == "typed":
            return [self.address, *lists, self.types if self.types is not None else _NULL]
        return [self.address, *lists, _handle(self.type)]


# ---- collectives ------------------------------------------------------------------------------------

# name: what a rank sends and receives (one block, one for each rank: each, listed or typed), and traits
_COLLECTIVES = {
    "allgather": ("one", "each", ""),
    "allgatherv": ("one", "listed", ""),
    "alltoall": ("each", "each", ""),
    "alltoallv": ("listed", "listed", ""),
    "alltoallw": ("typed", "typed", ""),
    "barrier": (None, None, ""),
    "bcast": (None, "one", "root"),
    "gather": ("one", "each", "root receives"),
    "gatherv": ("one", "listed", "root receives"),
    "scatter": ("each", "one", "root sends"),
    "scatterv": ("listed", "one", "root sends"),
    "allreduce": ("one", "one", "op"),
    "reduce": ("one", "one", "op root receives"),
    "reduce_scatter": ("each", "one", "op counts"),
    "reduce_scatter_block": ("each", "one", "op"),
    "scan": ("one", "one", "op"),
    "exscan": ("one", "one", "op"),
    "neighbor_allgather": ("one", "each", "neighbors"),
    "neighbor_allgatherv": ("one", "listed", "neighbors"),
    "neighbor_alltoall": ("each", "each", "neighbors"),
    "neighbor_alltoallv": ("listed", "listed", "neighbors"),
    "neighbor_alltoallw": ("typed", "typed", "neighbors"),
}


def _blocks(comm, traits):
    """How many blocks a rank sends and receives where it is one for each"""
    if "neighbors" in traits:
        if not isinstance(comm, MPI.Topocomm):
            raise MPI.Exception(MPI.ERR_TOPOLOGY)
        return comm.outdegree, comm.indegree
    return comm.Get_size(), comm.Get_size()


def _move_arguments(comm, row, sendbuf, recvbuf, root):
    send_shape, recv_shape, traits = row
    mine = "root" not in traits or comm.Get_rank() == root
    out, into = _blocks(comm, traits)
    sides = []
    if send_shape:
        used = mine or "sends" not in traits
        sides.append((_Side(sendbuf, False, send_shape, 1 if send_shape == "one" else out, used), send_shape))
    if recv_shape:
        used = mine or "receives" not in traits
        written = send_shape is not None or not mine  # the root of a bcast only reads
        sides.append((_Side(recvbuf, written, recv_shape, 1 if recv_shape == "one" else into, used), recv_shape))
    arguments = [a for side, shape in sides for a in side.arguments(shape)]
    if "root" in traits:
        arguments.append(ctypes.c_int(_whole(root, 31)))
    return arguments, [keep for side, _ in sides for keep in side.keeps]


def _reduce_arguments(comm, row, sendbuf, recvbuf, op, root, recvcounts):
    traits = row[2]
    used = "receives" not in traits or comm.Get_rank() == root
    size = comm.Get_size()
    counts = None if recvcounts is None else _list(recvcounts)
    if "counts" in traits and (counts is None or len(counts) != size):
        raise ValueError("tutti: recvcounts: one for each rank")
    send = _Side(sendbuf, False, "one", size if row[0] == "each" and counts is None else 1)
    recv = _Side(recvbuf, True, "one", size if row[0] == "each" and counts is None and send.in_place else 1, used)
    if send.array is not None and recv.array is not None and send.type != recv.type and send.array.dtype != recv.array.dtype:
        raise TypeError("tutti: %s is sent, %s received" % (send.array.dtype, recv.array.dtype))
    given = recv if send.in_place else send
    if counts is not None:
        needed = [(given, int(counts.sum())), (recv, int(counts[comm.Get_rank()]))]
        count = ctypes.c_void_p(counts.ctypes.data)
    else:
        needed = [(recv, given.count)] if used and not recv.in_place else []
        count = ctypes.c_longlong(given.count)
    for side, n in needed:
        side._must_hold(_reach(n, 0, given.type))
    arguments = [send.address, recv.address, count, _handle(given.type), _handle(op)]
    if "root" in traits:
        arguments.append(ctypes.c_int(_whole(root, 31)))
    return arguments, send.keeps + recv.keeps + [counts, op]


def _arguments(name, comm, sendbuf, recvbuf, op, root, recvcounts):
    row = _COLLECTIVES[name]
    if "op" in row[2]:
        arguments, keeps = _reduce_arguments(comm, row, sendbuf, recvbuf, op, root, recvcounts)
    else:
        arguments, keeps = _move_arguments(comm, row, sendbuf, recvbuf, root)
    return arguments + [_handle(comm)], keeps


def _entry(name, form, algorithm):
    """The function of the library; counts are 64 bits wide (barrier has none)"""
    call = {"blocking": name.capitalize(), "nonblocking": "I" + name, "persistent": name.capitalize()}[form]
    end = ("_init" if form == "persistent" else "") + ("" if name == "barrier" else "_c")
    try:
        if not str(algorithm).endswith("init"):  # another form of the call, with other arguments
            return getattr(_lib, "MPIX_%s_%s%s" % (call, algorithm, end))
    except (AttributeError, ValueError):
        pass
    raise ValueError("tutti: %s has no algorithm %r (see tutti-info --algorithms)" % (name, str(algorithm)))


class Request(MPI.Request):
    """An MPI request of a non-blocking call, which keeps its buffers; also MPI.Request.Waitall takes it."""

    _keeps = None

    def __del__(self):
        if self._keeps is not None and self != MPI.REQUEST_NULL:
            _abandoned.append(self._keeps)  # the operation still runs


_abandoned = []


class Persistent:
    """A persistent collective. The buffers belong to it between start and wait (or a true test); it keeps them alive."""

    def __init__(self, keeps):
        self._pointer = ctypes.c_void_p(None)
        self._keeps = keeps
        self._native = None

    def start(self):
        _check(_lib.MPIX_Start(ctypes.byref(self._pointer)))

    def start_native(self):
        """Start; returns an MPI request for this one start."""
        request = Request()
        _check(_lib.MPIX_Start_native(ctypes.byref(self._pointer), ctypes.c_void_p(MPI._addressof(request))))
        request._keeps = self  # and self keeps the buffers
        return request

    def wait(self):
        _check(_lib.MPIX_Wait(ctypes.byref(self._pointer), ctypes.c_void_p(_STATUS_IGNORE)))

    def test(self):
        """True if it is complete, and then inactive."""
        flag = ctypes.c_int(0)
        _check(_lib.MPIX_Test(ctypes.byref(self._pointer), ctypes.byref(flag), ctypes.c_void_p(_STATUS_IGNORE)))
        return bool(flag.value)

    def block_arrived(self, rank):
        """May the block that comes from this rank be read, while others are under way?"""
        flag = ctypes.c_int(0)
        _check(_lib.tutti_block_arrived(self._pointer, ctypes.c_int(rank), ctypes.byref(flag)))
        return bool(flag.value)

    def stats(self):
        """What it has done in all its completed starts: see tutti_stats in tutti.h."""
        stats = _Stats()
        _check(_lib.tutti_get_stats(self._pointer, ctypes.byref(stats)))
        values = [getattr(stats, name) for name, _ in _Stats._fields_]
        return Stats(*values[:-1], values[-1].decode())

    def free(self):
        _check(_lib.MPIX_Request_free(ctypes.byref(self._pointer)))
        self._keeps = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._pointer:
            self.wait()  # an inactive one is complete
            self.free()

    def __del__(self):
        if not self._pointer or MPI.Is_finalized():
            return
        if _lib.MPIX_Request_free(ctypes.byref(self._pointer)) != MPI.SUCCESS:
            _abandoned.append(self._keeps)  # it is active


class _Stats(ctypes.Structure):
    _fields_ = [(name, ctypes.c_longlong) for name in (
        "starts", "steps", "messages", "bytes_sent", "bytes_received", "shared_messages", "shared_bytes", "polls")]
    _fields_ += [(name, ctypes.c_double) for name in ("overlapped", "seconds", "last_seconds")]
    _fields_ += [("algorithm", ctypes.c_char * 64)]


Stats = collections.namedtuple("Stats", [name for name, _ in _Stats._fields_])
_STATUS_IGNORE = 1 if MPI.get_vendor()[0] != "Open MPI" else 0


def _info(info, hints):
    """A new info: what `info` says, and hints that are not None"""
    made = info.Dup() if info else MPI.Info.Create()
    for key, value in hints.items():
        if value is not None:
            made.Set(key, str(value).lower() if isinstance(value, bool) else str(value))
    return made


def _blocking(name, algorithm, *given):
    function = _entry(name, "blocking", algorithm or "auto")
    arguments, _ = _arguments(name, *given)
    _check(function(*arguments))


def _nonblocking(name, algorithm, *given):
    function = _entry(name, "nonblocking", algorithm or "auto")
    arguments, keeps = _arguments(name, *given)
    request = Request()
    _check(function(*arguments, ctypes.c_void_p(MPI._addressof(request))))
    request._keeps = keeps
    return request


def _persistent(name, algorithm, info, stats, *given):
    function = _entry(name, "persistent", "auto")
    arguments, keeps = _arguments(name, *given)
    info = _info(info, {"tutti_algorithm": algorithm, "tutti_stats": stats})
    request = Persistent(keeps)
    try:
        _check(function(*arguments, _handle(info), ctypes.byref(request._pointer)))
    finally:
        info.Free()
    return request


def _define(name):
    """The three functions of a collective, with the arguments that it has"""
    send, recv, traits = _COLLECTIVES[name]
    buffers = (["sendbuf"] if send else []) + (["recvbuf" if send else "buf"] if recv else [])
    options = ["recvcounts"] if "counts" in traits else []
    options += ["op=MPI.SUM"] if "op" in traits else []
    options += ["root=0"] if "root" in traits else []
    given = ", ".join(["sendbuf" if send else "None", buffers[-1] if recv else "None", "op" if "op" in traits else "None",
                       "root" if "root" in traits else "0", "recvcounts" if "counts" in traits else "None"])
    parameters = ", ".join(["comm"] + buffers + options)
    for call, more, does in ((name.capitalize(), "algorithm=None", "_blocking(%r, algorithm" % name),
                             ("I" + name, "algorithm=None", "_nonblocking(%r, algorithm" % name),
                             (name.capitalize() + "_init", "algorithm=None, info=None, stats=None",
                              "_persistent(%r, algorithm, info, stats" % name)):
        scope = {}
        exec("def %s(%s, %s):\n    return %s, comm, %s)" % (call, parameters, more, does, given), globals(), scope)
        scope[call].__doc__ = "%s of MPI, by Tutti." % call.replace("_init", " (persistent)")
        globals()[call] = scope[call]


for _name in _COLLECTIVES:
    _define(_name)

# ---- communicators, progress, memory ----------------------------------------------------------------


def init():
    """Make the channel of all processes. Collective over MPI.COMM_WORLD."""
    _check(_lib.tutti_init())


def prepare(comm):
    """All that the first operation on the communicator would do. Collective."""
    _check(_lib.tutti_comm_prepare(_handle(comm)))


def set_hints(comm, algorithm=None, order=None, regions=None, node_eager=None, reproducible=None):
    """For later calls on the communicator. Collective."""
    info = _info(None, {"tutti_algorithm": algorithm, "tutti_order": order, "tutti_regions": regions,
                        "tutti_node_eager": node_eager, "tutti_reproducible": reproducible})
    try:
        _check(_lib.tutti_comm_set_hints(_handle(comm), _handle(info)))
    finally:
        info.Free()


def explain(comm, call):
    """What `auto` would choose for a call such as "allgather 1024", and why."""
    return _text(_lib.tutti_comm_explain, _handle(comm), _string(call))


def topology(comm):
    """Where the ranks are, for people."""
    return _text(lambda *a: _lib.tutti_comm_topology(*a, _NULL), _handle(comm))


def progress():
    """Advance all operations once; never blocks."""
    _lib.tutti_progress()


def progress_thread_start(cpu=None, when=None, ops=None):
    """A thread that advances all operations; needs MPI.THREAD_MULTIPLE, which mpi4py asks for."""
    info = _info(None, {"tutti_cpu": cpu, "tutti_when": when, "tutti_ops": ops})
    try:
        _check(_lib.tutti_progress_thread_start(_handle(info)))
    finally:
        info.Free()


def progress_thread_stop():
    _check(_lib.tutti_progress_thread_stop())


def progress_driver():
    """Who advances operations inside MPI's waits, and why: two strings."""
    texts = ctypes.c_char_p(), ctypes.c_char_p()
    _check(_lib.tutti_progress_driver(*map(ctypes.byref, texts)))
    return tuple(text.value.decode() for text in texts)


def wisdom_import(comm, file):
    _check(_lib.tutti_wisdom_import(_handle(comm), _string(file) if file is not None else _NULL))


def wisdom_export(comm, file):
    _check(_lib.tutti_wisdom_export(_handle(comm), _string(file)))


def empty(shape, dtype=float):
    """An array in memory that the processes of a node share (tutti_alloc): for buffers that live long."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    memory = ctypes.c_void_p(None)
    _check(_lib.tutti_alloc(ctypes.c_ssize_t(max(count * dtype.itemsize, 1)), ctypes.byref(memory)))
    owner = (ctypes.c_char * max(count * dtype.itemsize, 1)).from_address(memory.value)
    weakref.finalize(owner, _lib.tutti_free, memory).atexit = False
    return np.frombuffer(owner, dtype, count).reshape(shape)


def version():
    numbers = [ctypes.c_int() for _ in range(3)]
    _lib.tutti_version(*map(ctypes.byref, numbers))
    return tuple(n.value for n in numbers)


__version__ = ".".join(map(str, version()))  # the library's
