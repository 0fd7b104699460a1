/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_wire.h - what the messages of a communicator travel over: the channel of all processes
 * (channel.h), or an MPI communicator of its own. Which of them is decided when the first handshake
 * is over.
 */
#ifndef TUTTI_COMM_WIRE_H
#define TUTTI_COMM_WIRE_H

#include "nbc/comm/comm.h"

/* Find out where the members are in the channel, once there is one. */
int comm_find_channel_ranks(comm *c);

/* Are all members known to be in the channel? */
bool comm_is_covered(const comm *c);

/* What this rank offers the others of its node in the handshake; the channel is there. */
shm_offer comm_offer_shm(comm *c);

/* All ranks have come, and all are in a call that may block: take the channel, make it, or make a
 * communicator; the same on all ranks. Collective, blocks. */
int comm_choose_wire(comm *c);

/* Take the channel, which is there. Local. */
int comm_use_channel(comm *c);

/* Make a communicator. Collective, blocks. */
int comm_use_own(comm *c);

/* One context id more: those of all ranks are from the handshake; NULL: all have the same. Engine
 * lock held, if the communicator is in use already. */
int comm_add_tag_space(comm *c, const handshake *h);

/* Remove the last tag space, of which nothing has been used. Engine lock held. */
void comm_drop_tag_space(comm *c);

#endif
