/* SPDX-License-Identifier: BSD-3-Clause */
/* region.h - a group, divided into the regions of one level of the topology. */
#ifndef TUTTI_REGION_H
#define TUTTI_REGION_H

#include "algos/blockmap.h"
#include "algos/group.h"

/* Regions are numbered by the first of their members in the group, and members keep its order. */
typedef struct regions {
    int n;            /* how many */
    int least;        /* members of the smallest one */
    int mine, index;  /* the one that I am in, and my position among its members */
    const int *first; /* [n + 1]: region i has members first[i] .. first[i + 1] - 1 */
    const int *at;    /* of each member: its index in the group */
    const int *ranks; /* of each member: its rank */
} regions;

/* False: out of memory, and the builder has failed. */
bool regions_make(regions *p, const group *g, int level, sched_builder *s);

/* The members of my region as a group. */
group regions_local(const regions *p, const group *g);

static inline int region_size(const regions *p, int i)
{
    return p->first[i + 1] - p->first[i];
}

/* The rank of member k of region i. */
static inline int region_rank(const regions *p, int i, int k)
{
    return p->ranks[p->first[i] + k];
}

/* Add the items of all members of region i, which wraps around, to the item at work. */
void regions_add(const regions *p, int i, const blockmap *b, itemlist *to);

/* A map of items for the members of my region: theirs in the group. */
blockmap regions_local_items(const regions *p, const blockmap *b, sched_builder *s);

#endif
