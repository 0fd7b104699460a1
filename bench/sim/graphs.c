/* SPDX-License-Identifier: BSD-3-Clause */
/* graphs.c - distributed graphs for SimGrid, which has none: MPI_Dist_graph_create_adjacent and
 * MPI_Topo_test end the program there.
 *
 * The lists of neighbors are an attribute of a duplicate. The linker puts these functions in the
 * place of SimGrid's (--wrap, see CMakeLists.txt), for the program and for the library in it. Only
 * what they need is here: no weights, no other topologies.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int __wrap_MPI_Dist_graph_create_adjacent(MPI_Comm comm, int nsources, const int sources[],
                                          const int source_weights[], int ndestinations,
                                          const int destinations[], const int weights[],
                                          MPI_Info info, int reorder, MPI_Comm *graph);
int __wrap_PMPI_Topo_test(MPI_Comm comm, int *kind);
int __wrap_PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *nsources, int *ndestinations,
                                           int *weighted);
int __wrap_PMPI_Dist_graph_neighbors(MPI_Comm comm, int nsources, int sources[],
                                     int source_weights[], int ndestinations, int destinations[],
                                     int weights[]);

typedef struct lists {
    int nsources, ndestinations;
    int rank[]; /* sources, then destinations */
} lists;

static int key = MPI_KEYVAL_INVALID; /* each simulated rank has its own */

static int forget(MPI_Comm comm, int keyval, void *value, void *extra)
{
    free(value);
    return MPI_SUCCESS;
}

static const lists *lists_of(MPI_Comm comm)
{
    void *value;
    int found = 0;

    if (key != MPI_KEYVAL_INVALID)
        PMPI_Comm_get_attr(comm, key, &value, &found);
    return found ? value : NULL;
}

int __wrap_MPI_Dist_graph_create_adjacent(MPI_Comm comm, int nsources, const int sources[],
                                          const int source_weights[], int ndestinations,
                                          const int destinations[], const int weights[],
                                          MPI_Info info, int reorder, MPI_Comm *graph)
{
    size_t in = (size_t)nsources, out = (size_t)ndestinations;
    lists *l = malloc(sizeof *l + (in + out) * sizeof *l->rank);
    int error = l ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    if (!error && key == MPI_KEYVAL_INVALID)
        error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
    if (!error)
        error = PMPI_Comm_dup(comm, graph);
    if (error) {
        free(l);
        return error;
    }
    l->nsources = nsources;
    l->ndestinations = ndestinations;
    memcpy(l->rank, sources, in * sizeof *sources);
    memcpy(l->rank + in, destinations, out * sizeof *destinations);
    return PMPI_Comm_set_attr(*graph, key, l);
}

int __wrap_PMPI_Topo_test(MPI_Comm comm, int *kind)
{
    *kind = lists_of(comm) ? MPI_DIST_GRAPH : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int __wrap_PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *nsources, int *ndestinations,
                                           int *weighted)
{
    const lists *l = lists_of(comm);

    if (!l)
        return MPI_ERR_TOPOLOGY;
    *nsources = l->nsources;
    *ndestinations = l->ndestinations;
    *weighted = 0;
    return MPI_SUCCESS;
}

int __wrap_PMPI_Dist_graph_neighbors(MPI_Comm comm, int nsources, int sources[],
                                     int source_weights[], int ndestinations, int destinations[],
                                     int weights[])
{
    const lists *l = lists_of(comm);

    if (!l || nsources < l->nsources || ndestinations < l->ndestinations)
        return l ? MPI_ERR_ARG : MPI_ERR_TOPOLOGY;
    memcpy(sources, l->rank, (size_t)l->nsources * sizeof *sources);
    memcpy(destinations, l->rank + l->nsources, (size_t)l->ndestinations * sizeof *destinations);
    return MPI_SUCCESS;
}
