/* SPDX-License-Identifier: BSD-3-Clause */
/* fortran.c - see fortran.h. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "nbc/process/right_mpi.h"
#include "pmpi/fortran.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the MPI's own functions ---- */

static const char self_anchor; /* an address in this library */

/* Through a union because ISO C has no conversion from void * to a function. */
typedef union symbol {
    void *object;
    fortran_function *function;
} symbol;

typedef struct search {
    const char *name;
    symbol found;
} search;

/* Whatever the MPI calls its libraries, in another one than ours; and not in one that is linked
 * with ours. The one that has it stays loaded from now on: its function is known. */
static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
    search *s = data;
    const char *file = info->dlpi_name;
    void *object = strchr(file, '/') ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    Dl_info self;

    (void)size;
    if (!object)
        return 0;
    if (dladdr((void *)&self_anchor, &self) && strcmp(self.dli_fname, file) != 0)
        s->found.object = right_mpi_symbol(object, file, s->name);
    if (!s->found.object)
        dlclose(object);
    return s->found.object != NULL;
}

/* A module of Python, say, brings a library of its own, which others cannot see. */
fortran_function *fortran_find(const char *name)
{
    search s = {.name = name, .found.object = dlsym(RTLD_NEXT, name)};

    if (!s.found.object)
        dl_iterate_phdr(look_at, &s);
    return s.found.function;
}

int fortran_missing(const char *name)
{
    int begun = 0, finalized = 0;

    PMPI_Initialized(&begun);
    PMPI_Finalized(&finalized);
    if (begun && !finalized)
        return interpose_raise(MPI_ERR_INTERN);
    fprintf(stderr, "tutti: no library of the MPI that this program has loaded has %s\n", name);
    _exit(1);
}

/* ---- arrays of datatypes ---- */

static int count_ranks(MPI_Comm comm)
{
    int n = 0;

    PMPI_Comm_size(comm, &n);
    return n;
}

/* A Cartesian communicator has two in each dimension; in a graph sources are destinations too. */
static int count_neighbors(MPI_Comm comm, fortran_peers peers)
{
    int topology = MPI_UNDEFINED, rank, n = 0, sources, destinations, weighted;

    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_CART && PMPI_Cartdim_get(comm, &n) == MPI_SUCCESS)
        return 2 * n;
    PMPI_Comm_rank(comm, &rank);
    if (topology == MPI_GRAPH && PMPI_Graph_neighbors_count(comm, rank, &n) == MPI_SUCCESS)
        return n;
    if (topology == MPI_DIST_GRAPH &&
        PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted) == MPI_SUCCESS)
        return peers == RECV_NEIGHBORS ? sources : destinations;
    return 0;
}

bool fortran_types(MPI_Datatype **result, const MPI_Fint types[], const void *buffer, MPI_Fint comm,
                   fortran_peers peers)
{
    MPI_Comm c = fortran_comm(comm);
    int n;

    if (c == MPI_COMM_NULL || buffer == MPI_IN_PLACE)
        return true;
    n = peers == RANKS ? count_ranks(c) : count_neighbors(c, peers);
    *result = malloc((size_t)n * sizeof **result + 1);
    for (int i = 0; *result && i < n; i++)
        (*result)[i] = fortran_datatype(types[i]);
    return *result != NULL;
}

int fortran_no_memory(MPI_Fint comm)
{
    PMPI_Comm_call_errhandler(fortran_comm(comm), MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
}

void fortran_types_free(fortran_converted *types)
{
    free(types->send);
    free(types->recv);
}
