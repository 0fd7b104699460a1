/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_places.h - which ranks of MPI_COMM_WORLD measure what: pairs and groups, from where Tutti
 * says that the ranks are. The same on all ranks.
 */
#ifndef TUTTI_TUNE_PLACES_H
#define TUTTI_TUNE_PLACES_H

#include <mpi.h>
#include <stdbool.h>

typedef struct places {
    int p, nodes;
    int *node, *inner, *lowest; /* of each rank: its node, its region inside, its nearest switch */
    bool has_inner, has_switches;
    const char *inner_name;
} places;

/* Collective. Ends the job where memory does. */
places places_find(void);
void places_free(places *x);

/* Two ranks, a < b. a < 0: there are none. */
typedef struct two {
    int a, b;
} two;

/* Of one region inside a node; of one node, but not of one such region; of two nodes, on one switch
 * where they are known; of two switches. */
two places_inner(const places *x);
two places_node(const places *x);
two places_network(const places *x);
two places_switch(const places *x);

/* part[r]: rank r's place among those that measure together, or -1. Returns how many they are;
 * below 2: none do. All of the node that has most; and the ranks of two nodes, as many of each. */
int places_of_one_node(const places *x, int part[]);
int places_of_two_nodes(const places *x, two t, int part[]);

#endif
