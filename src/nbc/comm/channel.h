/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.h - one private communicator of all processes of MPI_COMM_WORLD, which the messages of
 * all communicators travel over; and what keeps these messages apart.
 *
 * A user's communicator has no MPI communicator of ours: none of its contexts is used up, none of
 * its attributes is copied, nothing of ours runs on it but the first handshake (handshake.h). Each
 * member allocates a context id for it, one that no other communicator has at this process, and
 * sends it to the others. A message to rank b carries b's context id:
 *
 *   tag =  context id at the receiver      | window of the operation | message mod 64
 *   bits   16 (Open MPI), 13 (MPICH)       |           9             |      6
 *                                            with pml ucx of Open MPI: 12 | 5 | 6
 *
 * The tags of one context id are a tag space. A window of it is what an operation holds while it
 * runs, or a persistent request for its life (windows.h). A communicator that runs out of windows
 * allocates another context id. When fewer than half of the context ids are free, only new
 * communicators get one: so 8192 of them can be in use on MPICH, which has about 2000
 * communicators, and 65536 on Open MPI, which has as many. If none is left, the communicator gets
 * an MPI communicator of its own, made by the next call that may block.
 *
 * A context id that has been freed is not allocated again as long as there are others.
 */
#ifndef TUTTI_CHANNEL_H
#define TUTTI_CHANNEL_H

#include <mpi.h>
#include <stdbool.h>

/* Once, when the library starts: divide the tags. */
void channel_start(void);

/* Make it: collective over `all`, a communicator with the group of MPI_COMM_WORLD; blocks. Nothing
 * happens if it is there. At MPI_THREAD_MULTIPLE only one thread at a time. */
int channel_make(MPI_Comm all);

/* tutti_init has made it, so that all processes had it before the program used any communicator:
 * unlike one made later, all ranks may count on it. */
int channel_make_early(void);
bool channel_made_early(void);

/* MPI_Finalize has begun, and nobody needs it; a later call would make another one. */
void channel_end(void);

/* MPI_COMM_NULL: there is none. */
MPI_Comm channel_comm(void);

/* MPI gets a turn. Who only looks at shared memory, or finds there what is wanted, must call this
 * now and then, because other ranks may wait for messages of the program's that need this one. */
void channel_poke(void);

/* ranks_there[r] becomes the rank in the channel of rank r of the communicator; NULL if they are
 * the same. *covered: are all its p processes there? */
int channel_ranks(MPI_Comm user, int p, int **ranks_there, bool *covered);

/* Has the communicator the group of MPI_COMM_WORLD? Local. */
bool channel_is_world(MPI_Comm user, int p);

/* Allocate a context id for a communicator, or one more for a communicator that has some; -1: none
 * is left. */
int channel_allocate_context_id(bool one_more);
void channel_free_context_id(int context_id);

/* Windows of one context id. */
int channel_windows(void);

/* How many context ids there are. */
int channel_context_ids(void);

/* The first tag of a context id. */
int channel_tag(int context_id);

#endif
