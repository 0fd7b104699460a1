/* SPDX-License-Identifier: BSD-3-Clause */
/* degrees.h - how many neighbors the ranks of a node have, which all ranks tell each other in a
 * handshake: so an exchange of lists of them begins with the lists (algos/halo.h). */
#ifndef TUTTI_DEGREES_H
#define TUTTI_DEGREES_H

#include "nbc/comm/comm.h"

/* Put this rank's numbers of destinations and sources into what it sends in a handshake: -1 where
 * the communicator has no virtual topology, or is simulated. Local. */
int degrees_count(const comm *c, hello *mine);

/* Of the ranks of my node in this topology, in their order: numbers of destinations and of sources,
 * for free(). *result: NULL if there is one node, or the numbers are not known. */
int degrees_on_node(const handshake *h, const topo *t, int64_t **result);

#endif
