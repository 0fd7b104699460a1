/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_data.h - random directed graphs for neighborhood collectives, and what travels on them:
 * repeated edges, edges to oneself, nobody, ranks without neighbors, unequal and empty blocks.
 *
 * An edge is a pair of an index in the sender's list and one in the receiver's. What travels on it
 * is items of the sender, each with a place there: so every block that arrives shows which one it
 * is. Where p is odd blocks of a sender have items in common, if its lists allow that; a
 * typed block is up to GRAPH_RANGES ranges of such places.
 */
#ifndef TUTTI_GRAPH_DATA_H
#define TUTTI_GRAPH_DATA_H

#include "nbc/sched/byte_range.h"
#include "nbc/sched/coll.h"

enum { GRAPH_RANGES = 4 };

typedef struct edge {
    int from, to;
    int out, in; /* indices in the lists of `from` and `to` */
    int64_t length;
    byte_range range[GRAPH_RANGES]; /* places of its items, in their order; the rest is empty */
} edge;

/* One side of a rank: its neighbors, and where their blocks are. */
typedef struct side {
    int n, *peer, *edge; /* edge: its number, or -1 of nobody */
    int64_t *counts, *displs, length;
    uint64_t *buffer;
} side;

typedef struct graph_data {
    int p, nedges;
    edge *edges;
    side *out, *in;      /* [p] */
    int **order;         /* [p], see coll_neighbors: any that is right */
    uint64_t **expected; /* [p]: the buffers of `in`, gaps included */
    coll_kind kind;
    int64_t count; /* where blocks are of one length */
    uint64_t seed;
} graph_data;

/* count: the length of a block, or listed ones are up to about so long. most: how often one edge
 * may be repeated. */
void graph_data_make(graph_data *w, coll_kind kind, int p, int count, int most, uint64_t seed);
void graph_data_free(graph_data *w);

/* The call of one rank, as the library makes it; *n: its neighbors. */
coll graph_data_call(const graph_data *w, int rank, coll_neighbors *n);

/* Items of one element of what the rank sends, and of what all receive: a block where blocks are
 * equal, else an item. */
int64_t graph_data_sent(const graph_data *w, int rank);
int64_t graph_data_received(const graph_data *w);

/* Has every rank received what it must, and nothing else? */
bool graph_data_arrived(const graph_data *w);

#endif
