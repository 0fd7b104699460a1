/* SPDX-License-Identifier: BSD-3-Clause */
/* topo.h - where the ranks of a communicator are: partitions into regions, and distances.
 *
 *   level     rank  0 1 2 3 4 5 6 7        each level is a partition that refines the one before
 *   node            0 0 0 0 1 1 1 1        region of each rank, numbered in the order of their
 *   package         0 0 1 1 2 2 3 3        lowest ranks; members ascend
 *
 * Only levels that differ from the one before are kept: a level `package` that equals `node` is
 * not there, nor is `node` if all ranks share one. Any partition is possible: regions of unequal
 * size, ranks that are not consecutive, one rank per region.
 *
 * Made from one `location` per rank, so all ranks that hold the same ones make the same topo. Pure.
 */
#ifndef TUTTI_TOPO_H
#define TUTTI_TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPO_HOST = 64, TOPO_SWITCHES = 6 };

typedef enum topo_kind {
    TOPO_SWITCH,
    TOPO_NODE,
    TOPO_PACKAGE,
    TOPO_NUMA,
    TOPO_L3,
    TOPO_CORE,
    TOPO_KINDS
} topo_kind;

/* What a rank says of itself. No padding: sent as bytes. */
typedef struct location {
    uint64_t node;                    /* identity of the node: equal where memory is shared */
    uint64_t switches[TOPO_SWITCHES]; /* identities, the node's own switch first; 0: no more */
    int32_t inside[TOPO_KINDS]; /* number of its package, ...; -1: not known, or not bound to one;
                                   [0] and [1] are not used */
    char host[TOPO_HOST];       /* name of the node */
} location;

typedef struct topo_level {
    topo_kind kind;
    int height;      /* of a switch: 0 is next to the nodes */
    int distance;    /* between ranks whose smallest common region is of this level */
    int n;           /* regions */
    int least, most; /* ranks in the smallest and in the largest region */
    int *region;     /* [p]: the rank's region */
    int *first;      /* [n + 1]: region i has member[first[i] .. first[i + 1] - 1] */
    int *member;     /* [p]: ranks; NULL: they follow one another, so that it is k at k */
} topo_level;

typedef struct topo {
    int p;
    int far;     /* distance between ranks that have no region in common */
    int nodes;   /* how many there are */
    int nlevels; /* coarse to fine */
    topo_level level[TOPO_SWITCHES + TOPO_KINDS];
    const int *node;         /* [p]: number of each rank's node; of a level, or `zeros` */
    int *zeros;              /* NULL: there is a level */
    char (*host)[TOPO_HOST]; /* [nodes] */
    struct orders *orders;   /* of ranks, that have been asked for: orders.h */
} topo;

/* NULL: out of memory. The locations may be parts of something else, `stride` bytes apart. */
topo *topo_make(const location *at, int p);
topo *topo_make_apart(const location *first, size_t stride, int p);
void topo_free(topo *t);

/* Member k of a level, counted through all of its regions. */
static inline int topo_member(const topo_level *l, int k)
{
    return l->member ? l->member[k] : k;
}

/* The coarsest level from nodes down that has several regions, of which one has several ranks: what
 * algorithms call local and non-local is inside and between its regions. nlevels: there is none.
 * Where t is NULL, too. */
int topo_regions(const topo *t);

/* The level of nodes; NULL: there is one, or t is NULL. */
static inline const topo_level *topo_nodes(const topo *t)
{
    for (int i = 0; t && i < t->nlevels; i++)
        if (t->level[i].kind == TOPO_NODE)
            return &t->level[i];
    return NULL;
}

/* Position of a rank among the members of its region, which ascend. */
static inline int topo_position(const topo_level *l, int rank)
{
    int first = l->first[l->region[rank]], low = first, high;

    if (!l->member)
        return rank - first;
    high = l->first[l->region[rank] + 1] - 1;
    if (l->member[high] - l->member[low] == high - low) /* they follow one another */
        return rank - l->member[low];
    while (low < high) {
        int middle = (low + high) / 2;
        if (l->member[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low - first;
}

/* Ranks of the node that has most of them. */
static inline int topo_most_on_node(const topo *t)
{
    for (int i = 0; i < t->nlevels; i++)
        if (t->level[i].region == t->node)
            return t->level[i].most;
    return t->p; /* there is one node only */
}

/* Distance of two ranks, of unit 1: 0 for the same rank; inside a node 1 to 5, by what they share:
 * core, L3, NUMA node, package, node; between nodes 10 times the number of switches to climb, or 10
 * where switches are not known. A convention: it has the order right, and a message between nodes
 * counts at least twice as much as any inside. */
int topo_distance(const topo *t, int a, int b);

/* The coarsest level inside nodes, or NULL. t: or NULL. */
const topo_level *topo_inner(const topo *t);

/* "node", "package", ...: for people. */
const char *topo_kind_name(topo_kind kind);

/* The kind that this word names: "switch", "node", "package", "numa", "l3" or "core"; or
 * TOPO_KINDS. */
topo_kind topo_kind_find(const char *word);

/* A drawing for people, one line per region; at most size bytes with the final 0. Returns how many
 * bytes the whole needs, without it. */
size_t topo_draw(const topo *t, char *text, size_t size);

#endif
