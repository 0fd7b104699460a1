/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.h - neighborhood collectives in which ranks of a node send their blocks together.
 *
 *     node A             node B            bundle: all blocks of some ranks of A for ranks of B, in
 *   0 --\                  /--> 5          one message from a carrier in A to a receiver in B
 *   1 ----> 2 =======> 4 ----> 6
 *        carrier    receiver
 *
 * Each rank knows the edges of all ranks of its node, with their lengths, which they have exchanged
 * (halo_read). What both nodes know decides which bundles there are, who carries and who receives
 * them. In a bundle blocks lie in the order of (source, destination, order of matching), which both
 * sides know; what a rank sends to all its neighbors is there once.
 */
#ifndef TUTTI_HALO_H
#define TUTTI_HALO_H

#include "algos/algo.h"
#include "algos/region.h"

enum { HALO_OF_SOURCES = 0 }; /* for halo.most */

typedef struct halo_edge {
    int from, to;
    int node;       /* of the end that is not on mine */
    int at;         /* of my own edges: index in my list of destinations, or of sources; else -1 */
    int position;   /* in the lists: those of the same two ranks keep their order */
    bool repeated;  /* its block is that of the edge before it */
    int64_t length; /* of the block, in bytes */
    int64_t offset; /* of the block in its bundle */
} halo_edge;

typedef struct halo_bundle {
    int carrier, receiver; /* ranks */
    const halo_edge *edge; /* [n]: whose blocks it has, none of them empty */
    int n;
    int64_t length;
    interval data; /* at its carrier, or its receiver: in SCRATCH */
} halo_bundle;

typedef struct halo_bundles {
    halo_bundle *at;
    int n;
} halo_bundles;

typedef struct halo {
    regions nodes;
    int me;
    int most;  /* bundles from one node to another; HALO_OF_SOURCES */
    bool same; /* what a rank sends is the same for all its neighbors */
    halo_bundles out, in;
} halo;

/* For algo.size_exchange, in HALO_ROUNDS rounds: the lengths of the lists of the ranks of my node,
 * then the lists. */
enum { HALO_ROUNDS = 2 };
void halo_size_exchange(const algo_options *o, const group *g, sched_builder *s);

/* The nodes. False: there is one, or no memory, and the builder has failed. */
bool halo_nodes(regions *nodes, const group *g, sched_builder *s);

/* The rest of h, from the lists in o->exchanged_sizes. They have for each rank of my node, in their
 * order: how many destinations and how many sources it has; each destination and the length of its
 * block; each source, in the order of matching, and the length of its block. False: no memory, and
 * the builder has failed. */
bool halo_read(halo *h, const algo_options *o, const group *g, const blockmap *b, sched_builder *s);

/* All steps. most: bundles from one node to another, of as many ranks each, side by side; or
 * HALO_OF_SOURCES: one of each rank, which carries it. */
void halo_compile(int most, const algo_options *o, const group *g, const blockmap *b,
                  sched_builder *s);

#endif
