/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbors.h - a rank's neighbors in the virtual topology of a communicator. */
#ifndef TUTTI_NEIGHBORS_H
#define TUTTI_NEIGHBORS_H

#include "nbc/sched/coll.h"

#include <mpi.h>

/* Those of a Cartesian, graph or distributed graph communicator, in the order of MPI-4.1, 8.6.
 * MPI_ERR_TOPOLOGY: it has no topology. Local. */
int neighbors_find(MPI_Comm user, int rank, coll_neighbors **result);

void neighbors_free(coll_neighbors *n);

/* How many there are; -1: it has no topology. Asks for no neighbor: Open MPI 4.1 gives part of a
 * Cartesian communicator (MPI_Comm_create_group) the topology of the whole, in which MPI_Cart_shift
 * divides by 0. Local. */
int neighbors_count(MPI_Comm user, int rank, int *destinations, int *sources);

#endif
