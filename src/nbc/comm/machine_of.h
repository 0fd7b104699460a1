/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_of.h - the constants of the machine that a communicator's ranks are on. */
#ifndef TUTTI_MACHINE_OF_H
#define TUTTI_MACHINE_OF_H

#include "nbc/comm/comm.h"

/* The constants of this process, for the first handshake. Once there is a channel, with the cores
 * that have been found. */
void comm_put_machine(hello *mine);

/* Those of the first rank become those of the communicator, when its topology is known. */
void comm_take_machine(comm *c);

/* From which length on messages inside the node are read (shm_peers.h): of its topology, constants
 * and hints. Engine lock, if the communicator is in use already. */
void comm_find_eager(comm *c);

#endif
