/* SPDX-License-Identifier: BSD-3-Clause */
/* graphs.h - communicators with virtual topologies of all kinds, and who is whose neighbor there.
 */
#ifndef TUTTI_TEST_GRAPHS_H
#define TUTTI_TEST_GRAPHS_H

#include "mpi/mpi_test.h"

typedef struct graph {
    char name[80];
    MPI_Comm comm; /* returns errors. MPI_COMM_NULL: this rank is not in it */
    int p, rank;
    int in, out; /* degrees */
    int *sources, *destinations;
    bool cartesian;
} graph;

/* The i-th of all of them, from 0. Collective over MPI_COMM_WORLD. False: there is no such. */
bool graph_make(int i, graph *g);

/* A random directed one: some pairs have up to three edges, some ranks one to themselves. */
void graph_random(int seed, graph *g);

/* A communicator with this rank's sources and destinations; it returns errors. */
MPI_Comm graph_of_lists(MPI_Comm comm, int in, const int *sources, int out,
                        const int *destinations);

/* No topology: everybody sends to everybody. A duplicate of MPI_COMM_WORLD. */
void graph_complete(graph *g);

void graph_free(graph *g);

#endif
