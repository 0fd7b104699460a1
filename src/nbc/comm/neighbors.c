/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbors.c - see neighbors.h.
 *
 * Messages from one rank to another match in order, and a rank may be the same neighbor more than
 * once: on a periodic dimension of one or two ranks, and in graphs. Which of its blocks goes where
 * MPI-4.1 fixes in section 8.6, whatever the MPI below does: on a Cartesian topology what was sent
 * to one side of a dimension arrives at the other side of the neighbor, block s in block s ^ 1; in
 * graphs the k-th edge to a process matches the k-th edge from it.
 */
#include "nbc/comm/neighbors.h"

#include "nbc/process/reason.h"

#include <stdlib.h>

_Static_assert(MPI_PROC_NULL < 0, "no rank is as negative");

/* Lists of so many, in one block; or the destinations are the sources. */
static int *lists_make(coll_neighbors *n, int nsources, int ndestinations, bool same)
{
    size_t sources = (size_t)nsources, destinations = same ? 0 : (size_t)ndestinations;
    int *all = malloc((2 * sources + destinations + 1) * sizeof *all);

    *n = (coll_neighbors){.nsources = nsources,
                          .ndestinations = ndestinations,
                          .sources = all,
                          .destinations = same ? all : all + sources,
                          .order = all + sources + destinations};
    return all;
}

static int cartesian(MPI_Comm user, coll_neighbors *n)
{
    int ndims, error = PMPI_Cartdim_get(user, &ndims);
    int *at;

    if (error)
        return error;
    at = lists_make(n, 2 * ndims, 2 * ndims, true);
    if (!at)
        return MPI_ERR_NO_MEM;
    for (int d = 0; d < ndims && !error; d++)
        error = PMPI_Cart_shift(user, d, 1, &at[2 * d], &at[2 * d + 1]);
    return error;
}

static int graph(MPI_Comm user, int rank, coll_neighbors *n)
{
    int degree, error = PMPI_Graph_neighbors_count(user, rank, &degree);
    int *at;

    if (error)
        return error;
    at = lists_make(n, degree, degree, true);
    if (!at)
        return MPI_ERR_NO_MEM;
    return PMPI_Graph_neighbors(user, rank, degree, at);
}

static int distributed(MPI_Comm user, coll_neighbors *n)
{
    int in, out, weighted, *weights, *at;
    int error = PMPI_Dist_graph_neighbors_count(user, &in, &out, &weighted);

    if (error)
        return error;
    at = lists_make(n, in, out, false);
    weights = malloc(((size_t)in + (size_t)out + 1) * sizeof *weights);
    error = at && weights
                ? PMPI_Dist_graph_neighbors(user, in, at, weights, out, at + in, weights + in)
                : MPI_ERR_NO_MEM;
    free(weights);
    return error;
}

int neighbors_count(MPI_Comm user, int rank, int *destinations, int *sources)
{
    int kind = MPI_UNDEFINED, n = 0, weighted, error = MPI_SUCCESS;

    *destinations = *sources = -1;
    PMPI_Topo_test(user, &kind);
    if (kind == MPI_CART) {
        error = PMPI_Cartdim_get(user, &n);
        *destinations = *sources = 2 * n;
    } else if (kind == MPI_GRAPH) {
        error = PMPI_Graph_neighbors_count(user, rank, &n);
        *destinations = *sources = n;
    } else if (kind == MPI_DIST_GRAPH) {
        error = PMPI_Dist_graph_neighbors_count(user, sources, destinations, &weighted);
    }
    return error;
}

static void set_neighbor_order(const coll_neighbors *n, bool is_cartesian)
{
    int *order = (int *)n->order;

    for (int i = 0; i < n->nsources; i++)
        order[i] = is_cartesian ? i ^ 1 : i;
}

static int find_lists(MPI_Comm user, int rank, coll_neighbors *n)
{
    int kind = MPI_UNDEFINED, error;

    PMPI_Topo_test(user, &kind);
    if (kind == MPI_CART)
        error = cartesian(user, n);
    else if (kind == MPI_GRAPH)
        error = graph(user, rank, n);
    else if (kind == MPI_DIST_GRAPH)
        error = distributed(user, n);
    else
        error = reason_set(MPI_ERR_TOPOLOGY, "the communicator has no virtual topology");
    if (!error)
        set_neighbor_order(n, kind == MPI_CART);
    return error;
}

int neighbors_find(MPI_Comm user, int rank, coll_neighbors **result)
{
    coll_neighbors *n = calloc(1, sizeof *n);
    int error = n ? find_lists(user, rank, n) : MPI_ERR_NO_MEM;

    if (error)
        neighbors_free(n);
    else
        *result = n;
    return error;
}

void neighbors_free(coll_neighbors *n)
{
    if (n)
        free((int *)n->sources);
    free(n);
}
