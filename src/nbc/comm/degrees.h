/* SPDX-License-Identifier: BSD-3-Clause */
/* degrees.h - how many neighbors each rank of a communicator has, which the ranks tell each other
 * in its first handshake: so an exchange of lists of them begins with the lists (algos/halo.h). */
#ifndef TUTTI_DEGREES_H
#define TUTTI_DEGREES_H

#include "nbc/comm/comm.h"

/* Into what this rank sends in the handshake. Finds out c->neighbors; local. */
int degrees_count(comm *c, hello *mine);

/* c->degrees, of what all have sent. */
int degrees_keep(comm *c);

#endif
