/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.h - when MPI_Finalize begins: the tables of all ranks become one, and rank 0 prints it. */
#ifndef TUTTI_STATS_GATHER_H
#define TUTTI_STATS_GATHER_H

#include <mpi.h>
#include <stdatomic.h>

/* Before the first communicator, if TUTTI_STATS asks for it. */
void stats_start(void);

/* The ranks of MPI_COMM_WORLD know, before there is a channel, who counts. other_rank: one with
 * another setting than rank 0, or 0. The tables are added up only if all count. */
void stats_agreed(int other_rank);

/* channel: of all processes, or MPI_COMM_NULL. Collective if there is one, and all count. */
void stats_finish(MPI_Comm channel);

/* The reason is a constant. */
void stats_look_outside(const char *reason, atomic_llong *calls);

#endif
