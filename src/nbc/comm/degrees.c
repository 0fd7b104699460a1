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

int degrees_on_node(const handshake *h, const topo *t, int64_t **result)
{
    const topo_level *nodes = topo_nodes(t);
    int mine = nodes ? nodes->region[h->rank] : 0, first = nodes ? nodes->first[mine] : 0;
    int members = nodes ? nodes->first[mine + 1] - first : 0;

    *result = NULL;
    if (members == 0 || h->mine.destinations < 0)
        return MPI_SUCCESS;
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
