/* SPDX-License-Identifier: BSD-3-Clause */
/* transit_inside.h - what a rank knows of its transit, and its four phases: for transit.c,
 * transit_local.c and transit_cross.c alone.
 */
#ifndef TUTTI_TRANSIT_INSIDE_H
#define TUTTI_TRANSIT_INSIDE_H

#include "algos/transit.h"

/* Blocks one after the other. */
typedef struct transit_store {
    sched_space space;
    int64_t base;
    int64_t length;    /* of each, without `at` */
    const int64_t *at; /* [blocks + 1]: where each begins after the base, and the last one ends */
} transit_store;

typedef struct transit {
    sched_builder *s;
    const regions *p;
    group local;
    const blockmap *b;
    int64_t length;                 /* of a block; or */
    const int64_t *exchanged_sizes; /* lengths of all that is kept, store by store */
    int64_t kept;                   /* blocks so far */
    bool asks;   /* this is the size exchange: blocks are numbers, and RECV keeps them */
    bool moves;  /* in place: what I send is in `moved` */
    bool joined; /* a carrier finds its own block with what it collects */
    bool over_tree;
    tree how;
    int lanes, node, me; /* me: index in my node */
    int sources;         /* ranks of all other nodes */
    const int *before;   /* [nodes + 1]: destinations of my lane in all other nodes before this */
    transit_store moved, collected, arrived;
    int first; /* `arrived` begins with what is for this rank of the lane */
} transit;

static inline bool transit_carries(const transit *t)
{
    return t->me < t->lanes;
}

/* Ranks of a node that are on a lane. */
static inline int transit_lane_size(const transit *t, int node, int lane)
{
    return (region_size(t->p, node) - lane + t->lanes - 1) / t->lanes;
}

/* Destinations of my lane in all other nodes. */
static inline int transit_lane_total(const transit *t)
{
    return t->before[t->p->n];
}

/* Where n blocks of a store are. */
static inline interval transit_blocks_at(const transit_store *in, int64_t block, int64_t n)
{
    int64_t begin = in->at ? in->at[block] : block * in->length;
    int64_t end = in->at ? in->at[block + n] : (block + n) * in->length;

    return interval_make(in->space, in->base + begin, end - begin);
}

/* What has come for local rank x of the lane, from n ranks of other nodes. */
static inline interval transit_arrived_for(const transit *t, int x, int source, int n)
{
    return transit_blocks_at(&t->arrived, (int64_t)(x - t->first) * t->sources + source, n);
}

/* Where I receive what that member of the node sends me. */
static inline interval transit_incoming_from(const transit *t, int node, int member)
{
    return block(t->b, t->p->at[t->p->first[node] + member]);
}

/* The phases, in the order in which a rank emits them. */
void transit_exchange_local(const transit *t);
void transit_collect(const transit *t);
void transit_cross(const transit *t);
void transit_deliver(const transit *t);

#endif
