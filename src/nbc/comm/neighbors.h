/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbors.h - a rank's neighbors in the virtual topology of a communicator. */
#ifndef TUTTI_NEIGHBORS_H
#define TUTTI_NEIGHBORS_H

#include "nbc/sched/coll.h"

#include <mpi.h>

/* Those of a Cartesian, graph or distributed graph communicator, as MPI orders them: [false] for
 * collectives of equal blocks, [true] for those with lists (coll_is_v). MPI_ERR_TOPOLOGY: it has no
 * topology. Local. */
int neighbors_find(MPI_Comm user, int rank, coll_neighbors **result);

void neighbors_free(coll_neighbors *n);

#endif
