/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_pool.h - a list of ranks of which one after the other is taken, each time the free one that
 * is closest to some rank.
 */
#ifndef TUTTI_RANK_POOL_H
#define TUTTI_RANK_POOL_H

#include "topo/topo.h"

enum { RANK_POOL_LEVELS = TOPO_SWITCHES + TOPO_KINDS + 1 };

/* Ranks are known by their indices in the list, and of each level only the regions from the first
 * to the last that the list is in: a pool for a small part of a large machine is small. */
typedef struct rank_pool {
    const topo *t;
    int levels;                       /* of the topology; after them one region of all */
    int low[RANK_POOL_LEVELS];        /* the first region of the list */
    int *next[RANK_POOL_LEVELS];      /* [region]: where to look for a free rank, in member */
    const int *end[RANK_POOL_LEVELS]; /* [region]: after its last one */
    int *member[RANK_POOL_LEVELS];    /* [n]: indices, by region */
    int *rank;                        /* [n]: the list */
    bool *taken;                      /* [n] */
} rank_pool;

/* The n ranks of the list, which is copied; the first one is taken, all others are free. False: out
 * of memory. */
bool rank_pool_make(rank_pool *q, const topo *t, int *ranks, int n);

/* Take the free rank that is closest to this one, the first in the list of several. One must be
 * free. */
int rank_pool_take(rank_pool *q, int rank);

void rank_pool_free(rank_pool *q);

#endif
