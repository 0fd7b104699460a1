/* SPDX-License-Identifier: BSD-3-Clause */
/* shape.h - made-up machines, for tests, tools, simulation, and users who know better.
 *
 *   node:4                     ranks 0-3 on a node, 4-7 on the next, ...
 *   node:4,2,1                 nodes of 4, 2, 1, 4, 2, 1, ... ranks
 *   node:4@cyclic              ranks dealt to the nodes one by one
 *   node:8 package:2           two packages in each node, each with half of its ranks
 *   node:8 package:2@cyclic    ... dealt to the packages one by one
 *   switch:4 node:8            four nodes on each switch
 *   none                       all ranks in one place
 *   ./places                   a file: line r says where rank r is: names of its node, package,
 *                              NUMA node, L3, core; the last ones may be left out
 *
 * Words in this order, from coarse to fine: switch, node, package, numa, l3, core. `node` counts
 * ranks; `switch` counts nodes; the others count parts of what is before them. A node's parts hold
 * equal numbers of a full node's ranks.
 */
#ifndef TUTTI_SHAPE_H
#define TUTTI_SHAPE_H

#include "topo/topo.h"

#include <stdbool.h>

/* Where the p ranks are. False: *why names what is wrong; at is undefined. A word with a '/' or
 * without a ':' is the name of a file. */
bool shape_locations(const char *text, int p, location *at, char *why, size_t size);

/* A number that stands for a name: equal names, equal numbers; never 0. */
uint64_t shape_identity(const char *name);

#endif
