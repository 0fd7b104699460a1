/* SPDX-License-Identifier: BSD-3-Clause */
/* degrees.c - see degrees.h. */
#include "nbc/comm/degrees.h"

#include <stdlib.h>

int degrees_count(comm *c, hello *mine)
{
    int kind = MPI_UNDEFINED, error;

    mine->destinations = mine->sources = -1;
    if (c->user != MPI_COMM_NULL)
        PMPI_Topo_test(c->user, &kind);
    if (kind == MPI_UNDEFINED)
        return MPI_SUCCESS;
    error = comm_find_neighbors(c);
    if (!error) {
        mine->destinations = c->neighbors->ndestinations;
        mine->sources = c->neighbors->nsources;
    }
    return error;
}

int degrees_keep(comm *c)
{
    const hello *all = c->first.all;

    if (c->first.mine.destinations < 0)
        return MPI_SUCCESS;
    c->degrees = malloc(2 * (size_t)c->p * sizeof *c->degrees);
    if (!c->degrees)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < c->p; r++) {
        c->degrees[2 * r] = all[r].destinations;
        c->degrees[2 * r + 1] = all[r].sources;
    }
    return MPI_SUCCESS;
}
