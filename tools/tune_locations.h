/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_locations.h - which ranks of MPI_COMM_WORLD measure what: pairs and groups, from where Tutti
 * says that the ranks are. The same on all ranks.
 */
#ifndef TUTTI_TUNE_LOCATIONS_H
#define TUTTI_TUNE_LOCATIONS_H

#include <mpi.h>
#include <stdbool.h>

typedef struct locations {
    int p, nodes;
    int *node, *inner, *lowest; /* of each rank: its node, its region inside, its nearest switch */
    bool has_inner, has_switches;
    const char *inner_name;
} locations;

/* Collective. Ends the job where memory does. */
locations locations_find(void);
void locations_free(locations *x);

/* Two ranks, a < b. a < 0: there are none. */
typedef struct two {
    int a, b;
} two;

/* Two ranks: of one region inside a node; of one node, but not of one such region; of two nodes, on
 * one switch where switches are known; of two switches. */
two locations_inner(const locations *x);
two locations_node(const locations *x);
two locations_network(const locations *x);
two locations_switch(const locations *x);

/* part[r]: rank r's index among those that measure together, or -1. Returns how many they are;
 * below 2: none do. All of the node that has most; and the ranks of two nodes, as many of each. */
int locations_of_one_node(const locations *x, int part[]);
int locations_of_two_nodes(const locations *x, two t, int part[]);

#endif
