/* blockmap.h - where the blocks of a collective lie: block -> interval; and what the members of a
 * group hold of them: item -> blocks.
 *
 * Blocks may have unequal lengths (v-collectives) and gaps between them. Items are what an
 * algorithm for a group counts: item i is what its member i contributes. In the group of all ranks
 * that is block i. In a group of leaders it is all blocks of a node; in a reordered group it is the
 * block of another rank. Indices of items wrap around.
 */
#ifndef TUTTI_BLOCKMAP_H
#define TUTTI_BLOCKMAP_H

#include "nbc/sched/sched.h"

/* Blocks in one space. */
typedef struct blockrow {
    sched_space space;
    int64_t count;         /* length of every block, where counts is NULL */
    const int64_t *counts; /* [blocks] or NULL, borrowed */
    const int64_t *displs; /* [blocks], with counts */
} blockrow;

typedef struct blockmap {
    int n;            /* items */
    const int *first; /* [n + 1]: item i is blocks list[first[i] .. first[i + 1] - 1], borrowed; */
    const int *list;  /* without `first`: block list[i]; without both: block i */
    int blocks;       /* how many there are: one of each rank */
    int mine;         /* the block that `own` is */
    blockrow in;      /* in RECV: what comes from each rank */
    blockrow out;     /* alltoall: what I send to each rank; in RECV too if the call is in place */
    interval own;     /* allgather: where my block is sent from */
} blockmap;

blockmap blockmap_make(const coll *c);

/* Where block k is received. */
interval place_of(const blockmap *b, int k);

/* Of a map whose items are the blocks themselves: the place of block i, which wraps around. */
interval block(const blockmap *b, int i);

/* Alltoall: what I send to rank i. */
interval outgoing(const blockmap *b, int i);

/* Alltoall with blocks of equal length: the n blocks that I send to ranks first, first + 1, ...; no
 * wrap-around. */
interval run_of(const blockmap *b, int first, int n);

/* Send or receive the n items first, first + stride, first + 2*stride, ...: one message, or one
 * message a block, as the builder's form says. A single block of mine goes from the send buffer, as
 * early as possible. Sender and receiver must name the items in the same order. */
void send_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer);
void recv_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer);

/* A map over the same blocks with other items, filled one after the other. The lists are borrowed
 * from the builder: where there is no memory, it has failed and all of this does nothing. */
typedef struct itemlist {
    blockmap map;
    int *first, *list, used;
} itemlist;

itemlist items_begin(const blockmap *b, int n, sched_builder *s);
void items_add(itemlist *t, const blockmap *from, int item); /* its blocks, to the item at work */
void items_next(itemlist *t);                                /* the next item is at work */

#endif
