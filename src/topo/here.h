/* SPDX-License-Identifier: BSD-3-Clause */
/* here.h - where this process is: host and boot identity, and what its binding says of package,
 * NUMA node, L3 and core (hwloc).
 */
#ifndef TUTTI_HERE_H
#define TUTTI_HERE_H

#include "topo/topo.h"

#include <hwloc.h>

/* Describe this process; loads the machine's topology, some milliseconds. What cannot be found out
 * is not known. No switches. */
void here_describe(location *at);

/* The identity of this node, as in a location, and its name. */
uint64_t here_node(char host[TOPO_HOST]);

/* The package, NUMA node, L3 and core that contains the whole binding; -1: there is none. */
void here_inside(hwloc_topology_t topology, hwloc_const_bitmap_t binding,
                 int32_t inside[TOPO_KINDS]);

#endif
