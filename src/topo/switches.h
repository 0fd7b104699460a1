/* SPDX-License-Identifier: BSD-3-Clause */
/* switches.h - the network between nodes, from a file in the format of Slurm's topology.conf:
 *
 *   SwitchName=leaf0 Nodes=n[00-17],login1     # a switch next to nodes
 *   SwitchName=spine Switches=leaf[0-1]        # a switch above switches
 *
 * Keywords in any case and order; other ones (LinkSpeed=) and comments are ignored. Of several
 * switches above one, as in a fat tree, the first one in the file counts. Lines up to 64 KiB, files
 * up to 16 MiB, names of switches up to 255 characters. Slurm, topology.conf(5).
 */
#ifndef TUTTI_SWITCHES_H
#define TUTTI_SWITCHES_H

#include "topo/topo.h"

/* The switches above a node, its own first, as identities (see shape.h); 0 after the last. All 0:
 * the file does not name the node. A host's name matches also without its domain. False: *why names
 * the line and what is wrong. */
bool switches_above(const char *file, const char *host, uint64_t above[TOPO_SWITCHES], char *why,
                    size_t size);

/* Is the name in a list such as "n[00-17,20],login1"? -1: the list is malformed. */
int switches_match(const char *list, const char *name);

#endif
