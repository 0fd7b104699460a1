# SPDX-License-Identifier: BSD-3-Clause
"""Machine -> SimGrid platform, ranks -> hostfile, leaf switches -> topology.conf of Slurm.

A host of SimGrid is a node, or one socket of it. Messages inside a host pass a link of their own (the rate and
latency of one message) and the host's memory (which all share); between two sockets of a node both memories and
the bus; between nodes the links of the nodes, and of the leaf switches. A message above the eager limit takes three
latencies (request, clearance, data).
"""

XML_HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""


def config(m):
    """SMPI's and the network model's settings."""
    per_message = f"0:{m.overhead:g}:0"
    settings = {
        "network/crosstraffic": "0",
        "network/TCP-gamma": "1e12",  # no TCP window
        "smpi/bw-factor": f"0:{m.efficiency:g}",
        "smpi/lat-factor": f"0:1;{m.eager + 1}:3",
        "smpi/os": per_message,
        "smpi/ois": per_message,
        "smpi/or": per_message,
        "smpi/async-small-thresh": str(m.eager),
        "smpi/send-is-detached-thresh": str(m.eager),
        "smpi/test": "1e-7",
        "smpi/iprobe": "1e-7",
        "smpi/grow-injected-times": "no",
        "smpi/simulate-computation": "no",
        "smpi/host-speed": "10Gf",
    }
    props = "".join(f'    <prop id="{k}" value="{v}"/>\n' for k, v in settings.items())
    return f"  <config>\n{props}  </config>\n"


def link(name, bandwidth, latency, policy):
    return (f'    <link id="{name}" bandwidth="{bandwidth:.6g}Bps" latency="{latency:.6g}s" '
            f'sharing_policy="{policy}"/>\n')


def ctn(name, direction=None):
    return f'<link_ctn id="{name}"' + (f' direction="{direction}"' if direction else "") + "/>"


def node_names(m, nodes):
    """Names of the first `nodes` nodes, leaf by leaf."""
    names, left, i = [], nodes, 0
    for size in m.leaves:
        take = min(size, left)
        if take:
            names.append([f"n{i + k}" for k in range(take)])
        i += take
        left -= take
    if left:
        raise ValueError(f"{m.name} has {m.nodes} nodes, {nodes} are needed")
    return names


def hosts_of(m, node):
    return [node] if m.sockets == 1 else [f"{node}s{s}" for s in range(m.sockets)]


def host_xml(m, node, s, host):
    package = f'<prop id="package" value="{s}"/>' if m.sockets > 1 else ""
    return (f'    <host id="{host}" speed="10Gf" core="{m.cores // m.sockets}"><prop id="node" value="{node}"/>'
            f'{package}<prop id="copy" value="{m.copy:g}"/></host>\n'
            + (link(f"{host}_flow", m.flow, 0, "FATPIPE") if m.flow else "")
            + link(f"{host}_pair", m.pair, m.local, "FATPIPE") + link(f"{host}_mem", m.memory, 0, "SHARED"))


def nic(m, node, s):
    return f"{node}_nic{s if m.rails > 1 else 0}"


def inside(host):
    return ctn(f"{host}_pair") + ctn(f"{host}_mem")


def star_leaf(m, nodes, gateway):
    """Hosts are nodes: SimGrid finds the routes through the switch."""
    xml = f'    <router id="{gateway}"/>\n'
    for n in nodes:
        xml += host_xml(m, n, 0, n) + link(nic(m, n, 0), m.nic / 8, m.hop, "SPLITDUPLEX")
    for n in nodes:
        xml += f'    <host_link id="{n}" up="{nic(m, n, 0)}_UP" down="{nic(m, n, 0)}_DOWN"/>\n'
    for n in nodes:
        xml += f'    <route src="{n}" dst="{n}" symmetrical="NO">{inside(n)}</route>\n'
    return "Cluster", xml


def full_leaf(m, nodes, gateway):
    """Hosts are sockets: a message leaves by the sender's rail, and crosses the bus where it has to."""
    xml = ""
    for n in nodes:
        for s, h in enumerate(hosts_of(m, n)):
            xml += host_xml(m, n, s, h)
        for r in range(m.rails):
            xml += link(nic(m, n, r), m.nic / 8, m.hop, "SPLITDUPLEX")
        xml += link(f"{n}_bus", m.bus, m.bushop, "SPLITDUPLEX")
    xml += f'    <router id="{gateway}"/>\n'

    def cross(node, s):  # from socket s to the other one
        return ctn(f"{node}_bus", "UP" if s == 0 else "DOWN")

    def route(src, dst, links):
        return f'    <route src="{src}" dst="{dst}" symmetrical="NO">{links}</route>\n'

    for a in nodes:
        for s, ha in enumerate(hosts_of(m, a)):
            xml += route(ha, gateway, ctn(nic(m, a, s), "UP"))
            xml += route(gateway, ha, ctn(nic(m, a, s), "DOWN"))
            for b in nodes:
                for t, hb in enumerate(hosts_of(m, b)):
                    if a == b:
                        links = inside(ha) if s == t else inside(ha) + cross(a, s) + ctn(f"{hb}_mem")
                    else:
                        links = ctn(nic(m, a, s), "UP") + ctn(nic(m, b, s), "DOWN")
                        links += ctn(f"{ha}_flow") if m.flow else ""
                        if m.rails > 1 and s != t:
                            links += cross(b, s)
                    xml += route(ha, hb, links)
    return "Full", xml


def platform(m, nodes):
    """The platform file of the first `nodes` nodes."""
    leaves = node_names(m, nodes)
    xml = XML_HEAD + config(m) + f'  <zone id="{m.name}" routing="Full">\n'
    for l, names in enumerate(leaves):
        routing, body = (star_leaf if m.sockets == 1 else full_leaf)(m, names, f"switch{l}")
        xml += f'   <zone id="leaf{l}" routing="{routing}">\n{body}   </zone>\n'
    if len(leaves) > 1:
        for l in range(len(leaves)):
            xml += link(f"up{l}", m.uplink / 8, m.uphop, "SPLITDUPLEX")
        for a in range(len(leaves)):
            for b in range(a + 1, len(leaves)):
                xml += (f'   <zoneRoute src="leaf{a}" dst="leaf{b}" gw_src="switch{a}" gw_dst="switch{b}">'
                        f'{ctn(f"up{a}", "UP")}{ctn(f"up{b}", "DOWN")}</zoneRoute>\n')
    return xml + "  </zone>\n</platform>\n"


def placement(m, ranks, nodes, mapping):
    """The host of each rank. mapping: over the nodes `block` (one after the other, each as many ranks as the others, or
    one more), `sequential` (one after the other, each full before the next; where there are more ranks than cores as
    block) or `cyclic` (dealt one by one); then over the sockets of a node `bunch` or `scatter`, as in
    "cyclic-scatter"; without the second word bunch."""
    words = (mapping + "-bunch").split("-")
    names = [n for leaf in node_names(m, nodes) for n in leaf]
    per = [ranks // nodes + (i < ranks % nodes) for i in range(nodes)]
    if words[0] == "sequential" and ranks <= nodes * m.cores:
        per = [max(0, min(m.cores, ranks - i * m.cores)) for i in range(nodes)]
    if words[0] == "cyclic":
        order = [(r % nodes, r // nodes) for r in range(ranks)]
    else:
        order = [(n, k) for n in range(nodes) for k in range(per[n])]

    def host(n, k):
        hosts = hosts_of(m, names[n])
        half = -(-per[n] // len(hosts))
        return hosts[k % len(hosts) if words[1] == "scatter" else k // half]

    return [host(n, k) for n, k in order]


def switches(m, nodes):
    """topology.conf: which nodes are on which leaf switch."""
    leaves = node_names(m, nodes)
    lines = [f"SwitchName=leaf{l} Nodes={','.join(names)}\n" for l, names in enumerate(leaves)]
    return "".join(lines) + f"SwitchName=core Switches={','.join(f'leaf{l}' for l in range(len(leaves)))}\n"
