/* SPDX-License-Identifier: BSD-3-Clause */
/* graphs.c - see graphs.h. */
#include "mpi/graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3 * 64 }; /* neighbors */

/* Dimensions of 0 are MPI's choice; ranks that are too many are left out. */
typedef struct grid {
    int ndims, dims[3];
} grid;

static const grid grids[] = {{1, {0}},       {2, {0, 0}},    {2, {1, 0}},
                             {2, {0, 1}},    {2, {2, 0}},    {3, {0, 0, 0}},
                             {3, {1, 1, 0}}, {3, {2, 1, 0}}, {0, {0}}};

enum { GRIDS = sizeof grids / sizeof *grids, PERIODS = 4 };

static int dimensions_of(const grid *g, int *dims)
{
    int given = 1, n = 1;

    memcpy(dims, g->dims, sizeof g->dims);
    for (int d = 0; d < g->ndims; d++)
        given *= dims[d] ? dims[d] : 1;
    if (given > world_size)
        return 0;
    if (g->ndims)
        MPI_Dims_create(world_size / given * given, g->ndims, dims);
    for (int d = 0; d < g->ndims; d++)
        n *= dims[d];
    return n;
}

/* Periods: none, the first dimension, all but that, all. */
static void cartesian(int i, graph *g)
{
    const grid *shape = &grids[i / PERIODS];
    int dims[3], periods[3], which = i % PERIODS, n = dimensions_of(shape, dims);

    for (int d = 0; d < 3; d++)
        periods[d] = d == 0 ? which % 2 : which / 2;
    if (n > 0)
        MPI_Cart_create(MPI_COMM_WORLD, shape->ndims, dims, periods, i % 2, &g->comm);
    snprintf(g->name, sizeof g->name, "cart %d: %d %d %d periods %d", shape->ndims, dims[0],
             dims[1], dims[2], which);
}

/* A ring whose edges are there twice, everybody his own neighbor too; the last rank is nobody's. */
static void ring(int reorder, graph *g)
{
    int n = world_size > 2 ? world_size - 1 : world_size, index[64], edges[5 * 64];

    for (int i = 0; i < n; i++) {
        int *e = edges + 5 * i;
        e[0] = e[3] = (i + 1) % n;
        e[1] = e[4] = (i + n - 1) % n;
        e[2] = i;
        index[i] = 5 * (i + 1);
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, reorder, &g->comm);
    snprintf(g->name, sizeof g->name, "graph reorder %d", reorder);
}

/* Weights, because Open MPI's MPI_UNWEIGHTED looks to compilers like too short a list. */
MPI_Comm graph_of_lists(MPI_Comm comm, int in, const int *sources, int out, const int *destinations)
{
    int weights[MOST];
    MPI_Comm result;

    memset(weights, 1, sizeof weights);
    MPI_Dist_graph_create_adjacent(comm, in, sources, weights, out, destinations, weights,
                                   MPI_INFO_NULL, 0, &result);
    MPI_Comm_set_errhandler(result, MPI_ERRORS_RETURN);
    return result;
}

/* How many edges there are from a to b. */
static int edges_of(int seed, int a, int b)
{
    unsigned x = (unsigned)(seed * 7919 + a * 104729 + b * 1299709);

    x = (x ^ x >> 13) * 2654435761u;
    return (int)(x >> 16 & 7) - 4;
}

/* Repeated ones are apart from each other; the order is the rank's own. */
static int neighbors_of(int seed, int me, bool sources, int *list)
{
    int n = 0;

    for (int k = 0; k < 3; k++)
        for (int i = 0; i < world_size; i++) {
            int other = (i * 5 + me) % world_size; /* every one, unless 5 divides their number */
            if (world_size % 5 == 0)
                other = (i + me) % world_size;
            if ((sources ? edges_of(seed, other, me) : edges_of(seed, me, other)) > k)
                list[n++] = other;
        }
    return n;
}

static void random_edges(int seed, graph *g)
{
    int sources[MOST], destinations[MOST], weights[MOST];
    int in = neighbors_of(seed, world_rank, true, sources);
    int out = neighbors_of(seed, world_rank, false, destinations);
    bool weighted = seed % 2;

    memset(weights, 1, sizeof weights);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, weighted ? weights : MPI_UNWEIGHTED,
                                   out, destinations, weighted ? weights : MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, seed % 3 == 0, &g->comm);
    snprintf(g->name, sizeof g->name, "random graph %d", seed);
}

/* Everybody gives the edges of the rank after it. */
static void given_by_others(int seed, graph *g)
{
    int of = (world_rank + 1) % world_size, destinations[MOST], weights[MOST];
    int degree = neighbors_of(seed, of, false, destinations);

    memset(weights, 1, sizeof weights);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &of, &degree, destinations, weights, MPI_INFO_NULL, 0,
                          &g->comm);
    snprintf(g->name, sizeof g->name, "graph given by others %d", seed);
}

/* Rank 0 sends to the last one, and that is all; or not even that. */
static void nearly_empty(int edges, graph *g)
{
    int last = world_size - 1, zero = 0;

    g->comm = graph_of_lists(MPI_COMM_WORLD, world_rank == last ? edges : 0, &zero,
                             world_rank == 0 ? edges : 0, &last);
    snprintf(g->name, sizeof g->name, "graph of %d edges", edges);
}

static void duplicate(void (*make)(int, graph *), int i, graph *g)
{
    graph first = {.comm = MPI_COMM_NULL};

    make(i, &first);
    if (first.comm != MPI_COMM_NULL) {
        MPI_Comm_dup(first.comm, &g->comm);
        MPI_Comm_free(&first.comm);
    }
    snprintf(g->name, sizeof g->name, "dup of %.60s", first.name);
}

static bool make(int i, graph *g)
{
    if (i < GRIDS * PERIODS)
        cartesian(i, g);
    else if ((i -= GRIDS * PERIODS) < 2)
        ring(i, g);
    else if ((i -= 2) < 7)
        random_edges(i, g);
    else if ((i -= 7) < 3)
        given_by_others(i, g);
    else if ((i -= 3) < 2)
        nearly_empty(i, g);
    else if ((i -= 2) == 0)
        duplicate(cartesian, 7, g);
    else if (i == 1)
        duplicate(ring, 0, g);
    else if (i == 2)
        duplicate(random_edges, 9, g);
    else
        return false;
    return true;
}

static void find_cartesian(graph *g)
{
    int ndims;

    MPI_Cartdim_get(g->comm, &ndims);
    g->cartesian = true;
    g->in = g->out = 2 * ndims;
    for (int d = 0; d < ndims; d++)
        MPI_Cart_shift(g->comm, d, 1, &g->sources[2 * d], &g->sources[2 * d + 1]);
    memcpy(g->destinations, g->sources, MOST * sizeof *g->sources);
}

static void find_neighbors(graph *g)
{
    int kind, weighted, weights[MOST];

    MPI_Topo_test(g->comm, &kind);
    if (kind == MPI_CART) {
        find_cartesian(g);
    } else if (kind == MPI_GRAPH) {
        MPI_Graph_neighbors_count(g->comm, g->rank, &g->in);
        MPI_Graph_neighbors(g->comm, g->rank, g->in, g->sources);
        g->out = g->in;
        memcpy(g->destinations, g->sources, MOST * sizeof *g->sources);
    } else if (kind == MPI_DIST_GRAPH) {
        MPI_Dist_graph_neighbors_count(g->comm, &g->in, &g->out, &weighted);
        MPI_Dist_graph_neighbors(g->comm, g->in, g->sources, weights, g->out, g->destinations,
                                 weights);
    } else {
        for (g->in = 0; g->in < g->p; g->in++)
            g->sources[g->in] = g->destinations[g->in] = g->in;
        g->out = g->in;
    }
}

static void describe(graph *g)
{
    if (g->comm == MPI_COMM_NULL)
        return;
    MPI_Comm_set_errhandler(g->comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(g->comm, &g->p);
    MPI_Comm_rank(g->comm, &g->rank);
    g->sources = calloc(MOST, sizeof *g->sources);
    g->destinations = calloc(MOST, sizeof *g->destinations);
    find_neighbors(g);
}

bool graph_make(int i, graph *g)
{
    *g = (graph){.comm = MPI_COMM_NULL};
    if (!make(i, g))
        return false;
    describe(g);
    return true;
}

void graph_random(int seed, graph *g)
{
    *g = (graph){.comm = MPI_COMM_NULL};
    random_edges(seed, g);
    describe(g);
}

void graph_complete(graph *g)
{
    *g = (graph){.comm = MPI_COMM_NULL, .name = "all"};
    MPI_Comm_dup(MPI_COMM_WORLD, &g->comm);
    describe(g);
}

void graph_free(graph *g)
{
    free(g->sources);
    free(g->destinations);
    if (g->comm != MPI_COMM_NULL)
        MPI_Comm_free(&g->comm);
}
