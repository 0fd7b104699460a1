# SPDX-License-Identifier: BSD-3-Clause
"""The simulated clusters: what the papers say of them, and the constants that they do not say.

A cluster is leaf switches of nodes, joined by a core that never blocks; a node is one or two sockets of
cores. The constants come from the hardware's description; none is fitted to a result. Where the papers give
none, the source is named, and `--sensitivity` varies what could decide a result.

Units: bits/s for links between nodes (as vendors give them), bytes/s inside nodes, seconds.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Machine:
    name: str
    text: str
    leaves: tuple  # nodes on each leaf switch
    cores: int  # of a node
    sockets: int  # 1: the sockets of a node are not told apart
    rails: int  # links of a node to its switch; 2: one for each socket
    nic: float  # bits/s of one such link, in each direction
    flow: float  # bytes/s that one process gets out of its link; 0: all of it
    hop: float  # seconds from a node to its switch; twice that from node to node
    uplink: float  # bits/s of all links of a leaf switch upwards; 0: there is only one switch
    uphop: float  # seconds from leaf switch to the core
    pair: float  # bytes/s of one message inside a node
    memory: float  # bytes/s of all messages inside a socket (or node)
    local: float  # seconds of a message inside a node
    bus: float  # bytes/s between the sockets of a node, each direction
    bushop: float  # seconds that it adds
    copy: float  # bytes/s of a core's memcpy
    overhead: float  # seconds of the processor for each message, on each side
    eager: int  # bytes up to which a message does not wait for its receive
    efficiency: float  # data bits of a link's bits
    sources: str

    @property
    def nodes(self):
        return sum(self.leaves)

    def constants(self):
        """The machine as a file of constants (src/tune/constants.h). Uplinks of leaf switches are not in it, nor what crosses
        from one to another; and reductions take as long as copies in SimGrid."""
        return f"""tutti constants 1
copy {self.copy!r} bytes/s
reduce {self.copy!r} bytes/s
inner.latency {self.local!r} s
inner.overhead {self.overhead!r} s
inner.bandwidth {self.pair * self.efficiency!r} bytes/s
inner.eager {self.eager} bytes
node.latency {self.local!r} s
node.overhead {self.overhead!r} s
node.bandwidth {self.pair * self.efficiency!r} bytes/s
node.shared {self.memory * self.efficiency!r} bytes/s
node.eager {self.eager} bytes
mpi.latency {self.local!r} s
mpi.overhead {self.overhead!r} s
mpi.bandwidth {self.pair * self.efficiency!r} bytes/s
mpi.eager {self.eager} bytes
network.latency {2 * self.hop!r} s
network.overhead {self.overhead!r} s
network.bandwidth {min(self.nic / 8, self.flow or self.nic) * self.efficiency!r} bytes/s
network.shared {self.nic / 8 * self.rails * self.efficiency!r} bytes/s
network.both {self.nic / 8 * self.rails * self.efficiency!r} bytes/s
network.eager {self.eager} bytes
switch.latency 0 s
"""

    def varied(self, what, factor):
        """The machine with one kind of constant times a factor."""
        fields = {
            "latency": ("hop", "uphop", "local", "bushop"),
            "bandwidth": ("nic", "flow", "uplink", "pair", "memory", "bus", "copy"),
            "overhead": ("overhead",),
            "eager": ("eager",),
        }[what]
        values = {f: type(getattr(self, f))(getattr(self, f) * factor) for f in fields}
        return replace(self, name=f"{self.name}-{what}x{factor:g}", **values)


VARIED = ("latency", "bandwidth", "overhead", "eager")

YAHOO = Machine(
    name="yahoo",
    text="16 nodes of 8 cores (2 Xeon L5420), leaf switches with 5 and 11 nodes at 1 Gb/s, 10 Gb/s uplinks",
    leaves=(5, 11), cores=8, sockets=1, rails=1,
    nic=1e9, flow=0, hop=11e-6, uplink=10e9, uphop=1.5e-6,
    pair=1.5e9, memory=5e9, local=0.6e-6, bus=0, bushop=0, copy=2e9,
    overhead=1e-6, eager=65536, efficiency=0.94,
    sources="cluster: Sparbit paper, section IV. Payload of Ethernet and TCP headers: 0.94. One-way latency of "
    "TCP on Gigabit Ethernet through one switch about 25 us (2 x 11 us and 2 x 1 us overhead here): NetPIPE-like "
    "measurements of that time. L5420: front-side bus, STREAM 5-6 GB/s a node. Eager limit: Open MPI's tcp BTL.")

CERVINO = Machine(
    name="cervino",
    text="5 nodes of 32 cores (2 Xeon E5-2683 v4), one switch, 40 Gb/s",
    leaves=(5,), cores=32, sockets=1, rails=1,
    nic=40e9, flow=0, hop=2e-6, uplink=0, uphop=0,
    pair=5e9, memory=60e9, local=0.3e-6, bus=0, bushop=0, copy=8e9,
    overhead=0.5e-6, eager=65536, efficiency=0.94,
    sources="cluster: Sparbit paper, section IV, which does not say what kind of 40 Gb/s network it is: taken as "
    "Ethernet with a latency between TCP's and RDMA's. E5-2683 v4: 4 channels of DDR4-2400 a socket.")

QUARTZ = Machine(
    name="quartz",
    text="nodes of up to 32 ranks (2 Xeon E5-2695 v4), Omni-Path 100 Gb/s",
    leaves=(32,) * 8, cores=36, sockets=1, rails=1,
    nic=100e9, flow=0, hop=0.35e-6, uplink=1600e9, uphop=0.1e-6,
    pair=6e9, memory=80e9, local=0.3e-6, bus=0, bushop=0, copy=8e9,
    overhead=0.2e-6, eager=65536, efficiency=0.97,
    sources="cluster: locality paper, section 5 (Quartz at LLNL, Intel Xeon E5), Intel's description of Omni-Path: "
    "about 1 us from process to process through a switch, 100 Gb/s; 32 nodes on an edge switch, 2:1 tapered.")

LASSEN = Machine(
    name="lassen",
    text="nodes of up to 16 ranks on one socket (2 POWER9 of 22 cores), InfiniBand EDR 100 Gb/s",
    leaves=(18,) * 8, cores=16, sockets=1, rails=1,
    nic=100e9, flow=0, hop=0.4e-6, uplink=1800e9, uphop=0.1e-6,
    pair=8e9, memory=120e9, local=0.4e-6, bus=0, bushop=0, copy=10e9,
    overhead=0.3e-6, eager=8192, efficiency=0.97,
    sources="cluster: locality paper, section 5 (Lassen at LLNL; one socket of a node was used, which is the region; messages "
    "from 8192 bytes on by rendezvous). EDR: 100 Gb/s, 36-port leaf switches, about 1.4 us from process to process. POWER9: 8 "
    "channels of DDR4-2666 a socket.")

HYDRA = Machine(
    name="hydra",
    text="36 nodes of 32 cores (2 Xeon Gold 6130), two Omni-Path networks of 100 Gb/s, one for each socket",
    leaves=(36,), cores=32, sockets=2, rails=2,
    nic=100e9, flow=8e9, hop=0.4e-6, uplink=0, uphop=0,
    pair=7e9, memory=100e9, local=0.25e-6, bus=40e9, bushop=0.1e-6, copy=10e9,
    overhead=0.2e-6, eager=65536, efficiency=0.97,
    sources="cluster: multi-lane paper, table I. Skylake: 6 channels of DDR4-2666 a socket (STREAM about 100 GB/s), "
    "2 UPI links of 10.4 GT/s (41 GB/s). PSM2 moves data by the processor: one process gets 8 of the 12.5 GB/s.")

VSC3 = Machine(
    name="vsc3",
    text="100 nodes of 16 cores (2 Xeon E5-2650 v2), InfiniBand QDR-80: two links of 40 Gb/s",
    leaves=(100,), cores=16, sockets=2, rails=2,
    nic=32e9, flow=3.2e9, hop=0.5e-6, uplink=0, uphop=0,
    pair=4e9, memory=45e9, local=0.3e-6, bus=25e9, bushop=0.15e-6, copy=6e9,
    overhead=0.25e-6, eager=65536, efficiency=0.97,
    sources="cluster: multi-lane paper, table I (100 of its 2020 nodes, as in its figures). QDR: 40 Gb/s on the wire, "
    "32 Gb/s of data. E5-2650 v2: 4 channels of DDR3-1866 a socket. Fat tree taken as one switch. "
    "PSM: one process gets 3.2 of the 4 GB/s.")

GPC = Machine(
    name="gpc",
    text="fat tree: 30 nodes of 8 cores (2 Xeon E5540) on a leaf switch, InfiniBand QDR, 6 uplinks (5:1 blocked)",
    leaves=(30,) * 18, cores=8, sockets=2, rails=1,
    nic=32e9, flow=0, hop=0.5e-6, uplink=6 * 32e9, uphop=0.3e-6,
    pair=3e9, memory=15e9, local=0.3e-6, bus=11e9, bushop=0.15e-6, copy=4e9,
    overhead=0.3e-6, eager=12288, efficiency=0.97,
    sources="cluster: reordering paper, section VI and figure 2; the core is taken as non-blocking. Nehalem: 3 channels "
    "of DDR3-1066 a socket, QPI 11.7 GB/s. QDR: 32 Gb/s of data. Eager limit: MVAPICH2 2.0.")

MACHINES = {m.name: m for m in (YAHOO, CERVINO, QUARTZ, LASSEN, HYDRA, VSC3, GPC)}
