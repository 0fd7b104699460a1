/* SPDX-License-Identifier: BSD-3-Clause */
/* degrees.c - see degrees.h. */
#include "nbc/comm/degrees.h"

#include "nbc/comm/neighbors.h"
#include "nbc/process/simulated.h"

#include <stdlib.h>

int degrees_count(const comm *c, hello *mine)
{
    mine->destinations = mine->sources = -1;
    if (simulated() || c->user == MPI_COMM_NULL) /* SimGrid ends a program that asks */
        return MPI_SUCCESS;
    return neighbors_count(c->user, c->rank, &mine->destinations, &mine->sources);
}

int degrees_on_node(const handshake *h, const topo *t, int64_t **result)
{
    const topo_level *nodes = topo_nodes(t);
    int mine, first, members;

    *result = NULL;
    if (t->nodes == 1 || !nodes || h->mine.destinations < 0)
        return MPI_SUCCESS;
    mine = nodes->region[h->rank];
    first = nodes->first[mine];
    members = nodes->first[mine + 1] - first;
    *result = malloc(2 * (size_t)members * sizeof **result);
    if (!*result)
        return MPI_ERR_NO_MEM;
    for (int k = 0; k < members; k++) {
        const hello *of = &h->all[topo_member(nodes, first + k)];
        (*result)[2 * k] = of->destinations;
        (*result)[2 * k + 1] = of->sources;
    }
    return MPI_SUCCESS;
}
