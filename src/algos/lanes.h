/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.h - a group, divided into nodes and into lanes that cross them.
 *
 *            lane 0  lane 1                     L lanes for nodes of at least L ranks: rank (k, i)
 *   node 0      0       1       2               of node k is on lane i, if i < L, and (0, 2) on
 *   node 1      3       4                       none: lane i carries the blocks of (k, i + L),
 *   node 2      5       6                       (k, i + 2L), ..., too
 *
 * What lane forms of collectives have in common: parts of the work are given to all ranks of a node
 * by a collective inside it, each lane does its part between nodes, all lanes at the same time, and
 * another collective inside nodes puts the parts together. The phases are those of flat algorithms;
 * what joins them is that they name the same bytes. Traeff, Hunold, CLUSTER 2020.
 */
#ifndef TUTTI_LANES_H
#define TUTTI_LANES_H

#include "algos/phase.h"
#include "algos/region.h"

typedef struct lanes {
    regions nodes;
    int n;                  /* lanes: ranks of the smallest node */
    group local;            /* my node */
    group lane;             /* my lane; of size 0: I am on none */
    int root_node, root_at; /* of the group's root: its node, and its index there */
    bool consecutive;       /* nodes hold ranks that follow one another */
} lanes;

/* False: there are no nodes, or nothing but nodes of a single rank; or no memory, and the builder
 * has failed. Then all ranks are one lane, and the phase between nodes is all there is: the flat
 * algorithm. */
bool lanes_make(lanes *l, const group *g, int root, sched_builder *s);

static inline bool on_lane(const lanes *l)
{
    return l->lane.size > 0;
}

/* Does my lane carry blocks of others of my node, too? */
static inline bool carries_others(const lanes *l)
{
    return on_lane(l) && l->local.size > l->n + l->nodes.index;
}

/* Into how many parts a vector is cut, if this is the phase on lanes. For algo.parts. */
int lanes_parts(const algo_options *o, const group *g, sched_builder *s);

/* A vector: item i is lane i's part of it, of local rank i; ranks beyond the lanes have none. */
blockmap lanes_cut(const lanes *l, const blockmap *b, sched_builder *s);

/* My lane's part of it, as items of what it is cut into further. */
blockmap lanes_part(const lanes *l, const blockmap *b, sched_builder *s);

/* Blocks of ranks: item i is all those of lane i, node after node; of local rank i. */
blockmap lanes_of_local(const lanes *l, const blockmap *b, sched_builder *s);

/* The same blocks on my lane: item k is those of node k. */
blockmap lanes_of_nodes(const lanes *l, const blockmap *b, sched_builder *s);

/* What passes local rank i of this node: its own block, and of its lane those of other nodes. */
blockmap lanes_of_node(const lanes *l, int node, const blockmap *b, sched_builder *s);

/* Where the items of a lane are: at the root the row `end`; of other ranks of its node in scratch,
 * and of ranks that carry others' blocks; else, and without a lane, the row `own`. */
blockrow lanes_row(const lanes *l, const blockmap *items, bool is_root, const blockrow *end,
                   const blockrow *own, sched_builder *s);

/* What my lane has for ranks of my node, in this row, comes to the row `in` of each. mine: items of
 * the node's ranks. */
void lanes_hand_on(const lanes *l, const blockmap *mine, const blockrow *have, sched_builder *s);

/* Local rank i gives its part of the vector, in the map's row `in`, to all of its node. */
void lanes_share(const lanes *l, const blockmap *items, sched_builder *s);

/* ---- what scan and exscan have in common: the sum of all nodes before mine ---- */

typedef struct scan_lanes {
    lanes l;
    blockrow before; /* scratch: the sum of the nodes before mine, if there are any */
} scan_lanes;

/* False: there are no nodes, or they do not hold ranks that follow one another. */
bool scan_lanes_before(scan_lanes *l, const algo_options *o, const group *g, const blockmap *b,
                       sched_builder *s);

#endif
