/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.h - neighborhood collectives in which ranks of a node send their blocks together.
 *
 *     node A             node B            bundle: all blocks of A for a group of ranks of B, in
 *   0 --\                  /--> 5          one message from a carrier in A to a receiver in that
 *   1 ----> 2 =======> 4 ----> 6           group
 *        carrier    receiver
 *
 * Each rank knows the edges of all ranks of its node, with their lengths (halo_list.h), which they
 * have exchanged. What both nodes know decides which bundles there are, who carries and who
 * receives them. In a bundle blocks lie in the order of (source, destination, order of matching),
 * which both sides know. What a source sends to several ranks of a node is there once, with the
 * first block that has it; the receiver knows from each source which pieces of that its blocks are.
 */
#ifndef TUTTI_HALO_H
#define TUTTI_HALO_H

#include "algos/algo.h"
#include "algos/halo_list.h"
#include "algos/region.h"

/* For halo.split. The k of `node:k` is the parameter of the choice, the split, and the groups of
 * the lists; of `partner` they are 0, HALO_OF_SOURCES, and 1 group. */
enum { HALO_OF_SOURCES = 0, HALO_ALL_EDGES = -1 };

typedef struct halo_edge {
    int from, to;
    int from_at, to_at; /* their positions among the ranks of their nodes */
    int node;           /* of the end that is not on mine */
    int group;          /* of the destination in its node: which bundle */
    int at;         /* of my own edges: index in my list of destinations, or of sources; else -1 */
    int position;   /* in the lists: those of the same two ranks keep their order */
    int npieces;    /* 0: the block is fresh */
    int64_t length; /* of the block, in bytes */
    int64_t fresh;  /* bytes that no earlier block of its source in the bundle has */
    int64_t listed; /* the same, as the list of its source says: of the groups of that list */
    int64_t part;   /* where the blocks of its source begin in the bundle */
    int64_t offset; /* where what is fresh begins */
    const byte_range *piece; /* [npieces]: what the block consists of, from `part` on; known for my
                                own, and to the receiver */
    int64_t packed;          /* mine, if only some of it is fresh: offset of a copy in SCRATCH */
} halo_edge;

typedef struct halo_bundle {
    int carrier, receiver; /* ranks */
    halo_edge **edge;      /* [n]: whose blocks it has, none of them empty */
    int n;
    int64_t length; /* known to its carrier and its receiver */
    interval data;  /* there: in SCRATCH */
} halo_bundle;

typedef struct halo_bundles {
    halo_bundle *at;
    int n;
} halo_bundles;

/* Those from my node, or those to it, that have bytes. listed: in the order of (node, from, to,
 * position); bundled: with `group` after `node`. */
typedef struct halo_edges {
    halo_edge *all, **listed, **bundled; /* room for all that the lists have */
    int n;
} halo_edges;

typedef struct halo {
    regions nodes;
    const topo_level *level; /* the same */
    int me;
    int split;          /* groups into which destinations on a node are split, each with a bundle;
                        HALO_OF_SOURCES: a bundle is from one rank, which carries it, for a node */
    int64_t *direct;    /* [members * members] of my node: bytes of edges from each to each */
    int64_t *collected; /* the same for that one to carry */
    halo_edges leaving, coming;
    halo_bundles out, in;
    const int64_t *rest; /* what the rounds after HALO_LISTS have found */
    int *count;          /* to sort: room for the number of nodes, or of members of one */
    halo_edge **spare;   /* to sort */
} halo;

/* For algo.size_exchange, in HALO_ROUNDS rounds: how long the lists of the ranks of my node are,
 * which most communicators know already; the lists; from each source to the receiver of its blocks,
 * what of them is fresh; the pieces that the others consist of. After HALO_LISTS of them all edges
 * are known. */
enum { HALO_LISTS = 2, HALO_ROUNDS = 4 };

/* Groups that the list of a rank is made for (halo_list.h). */
static inline int halo_groups(int split)
{
    return split == HALO_OF_SOURCES ? 1 : split;
}

void halo_size_exchange(int split, const algo_options *o, const group *g, sched_builder *s);

/* The nodes. False: there is one, or no memory, and the builder has failed. */
bool halo_nodes(regions *nodes, const group *g, sched_builder *s);

/* h with what o->exchanged_sizes has after o->round rounds, on several nodes: the edges that
 * concern this rank, and their bundles; those of others are not whole. False: no memory, or blocks
 * have other lengths at their sources, and the builder has failed. */
bool halo_read(halo *h, int split, const algo_options *o, const group *g, sched_builder *s);

/* The edges alone: those that this rank sends, carries, receives for others or gets. split:
 * HALO_ALL_EDGES: those of all ranks of the node, for halo_make_bundles. */
bool halo_read_edges(halo *h, int split, const algo_options *o, const group *g, sched_builder *s);

/* The bundles of all edges after HALO_LISTS rounds, with lists for one group of each node. It may
 * be called again, for another form. What is fresh for each of several groups only the sources
 * know: `fresh` is the most that it can be. */
bool halo_make_bundles(halo *h, int split, sched_builder *s);

/* Who carries and who receives the bundle that an edge is in, one of those from my node (out) or of
 * those to it. */
void halo_assign(const halo *h, const halo_edge *e, bool out, halo_bundle *x);

/* Ranks of my node. */
static inline int halo_members(const halo *h)
{
    return region_size(&h->nodes, h->nodes.mine);
}

/* Of a row for each of them, what is from one position to another. */
static inline int64_t *halo_between(const halo *h, int64_t *rows, int from, int to)
{
    return &rows[from * halo_members(h) + to];
}

/* Put the edges of one side in the order of (node, group, from, to, position). */
void halo_sort_by_group(const halo *h, const halo_edges *e);

/* Position of a rank among those of its node. */
static inline int halo_member(const halo *h, int rank)
{
    return topo_position(h->level, rank);
}

/* Are the blocks from one position in my node to another, and those that it carries, one message?
 */
bool halo_is_one_message(const halo *h, int from, int to);

/* Has the bundle blocks of others than its carrier? */
bool halo_is_collected(const halo_bundle *x);

/* All steps. split: as halo.split. */
void halo_compile(int split, const algo_options *o, const group *g, const blockmap *b,
                  sched_builder *s);

#endif
