/* SPDX-License-Identifier: BSD-3-Clause */
/* halo_list.h - what a rank lets others know of its blocks in a neighborhood collective (halo.h).
 * Pure.
 *
 * The list, in words of 64 bits:
 *   how many destinations and how many sources it has
 *   each destination: its rank, bytes of the block, how many of them are fresh, number of pieces
 *   each source, in the order of matching: its rank, bytes of the block
 *   of each destination: the pieces, each with its offset in what is fresh of all blocks of the
 *   group, and its length
 *
 * Ranks of a node are so many groups, side by side. Blocks for a group of another node are looked
 * at in the order of (destination, index). Of each, those bytes are fresh that no earlier block for
 * that group has. If not all are, the block is pieces of what is fresh in all of them, in the order
 * in which it comes.
 */
#ifndef TUTTI_HALO_LIST_H
#define TUTTI_HALO_LIST_H

#include "nbc/sched/byte_range.h"
#include "nbc/sched/coll.h"
#include "topo/topo.h"

enum { HALO_HEAD = 2, HALO_DESTINATION = 4, HALO_SOURCE = 2, HALO_PIECE = 2 };

/* The blocks that a rank sends and receives. */
typedef struct halo_blocks {
    const int64_t *received; /* [nsources]: bytes */
    const int64_t *first;    /* [ndestinations + 1]: block i is range[first[i]], ... before the
                                next one's */
    const byte_range *range; /* bytes in the order of the block; the same ones have the same offset
                                 in all blocks, whatever it counts from */
} halo_blocks;

/* Words of a list without its pieces. */
static inline int64_t halo_list_words(int64_t ndestinations, int64_t nsources)
{
    return HALO_HEAD + HALO_DESTINATION * ndestinations + HALO_SOURCE * nsources;
}

/* Group of a member of a node; fewer than `groups` if there are fewer members. */
static inline int halo_group(int member, int members, int groups)
{
    return (int)((int64_t)member * (groups < members ? groups : members) / members);
}

/* The list, for free(). t: NULL: nobody looks at the pieces. NULL: no memory. */
int64_t *halo_list(const coll_neighbors *n, const topo *t, int groups, int me,
                   const halo_blocks *b);

/* *sum: over all ranks it is 0 modulo 2^64 if each block has the same length at both of its ends,
 * and most likely not if one has not. False: no memory. */
bool halo_list_balance(const int64_t *list, int me, uint64_t *sum);

#endif
