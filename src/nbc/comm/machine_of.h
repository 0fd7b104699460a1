/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_of.h - the constants of the machine that a communicator's ranks are on. */
#ifndef TUTTI_MACHINE_OF_H
#define TUTTI_MACHINE_OF_H

#include "nbc/comm/comm.h"

/* The constants of this process, for the first handshake, with the cores that have been found once
 * there is a channel; and those of the first rank become the communicator's, when its topology is
 * known. */
void comm_tell_machine(hello *mine);
void comm_take_machine(comm *c);

/* From which length on messages inside the node are read (shm_peers.h): of its topology, constants
 * and hints. Engine lock, if the communicator is in use already. */
void comm_find_eager(comm *c);

#endif
