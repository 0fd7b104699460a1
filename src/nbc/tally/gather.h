/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.h - when MPI_Finalize begins: the tables of all ranks become one, and rank 0 says it. */
#ifndef TUTTI_TALLY_GATHER_H
#define TUTTI_TALLY_GATHER_H

#include <mpi.h>
#include <stdatomic.h>

/* Before the first communicator, if TUTTI_STATS asks for it. */
void tally_start(void);

/* The ranks of MPI_COMM_WORLD have told each other, before there is a channel, who counts; else: a
 * rank with another setting than rank 0, or 0. The tables are added up only if all count. */
void tally_agreed(int else_rank);

/* channel: of all processes, or MPI_COMM_NULL. Collective if there is one, and all count. */
void tally_finish(MPI_Comm channel);

/* The reason is a constant. */
void tally_look_outside(const char *reason, atomic_llong *calls);

#endif
