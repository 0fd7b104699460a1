/* blockmap.h - where the blocks of a collective lie: block index -> interval.
 *
 * Blocks may have unequal lengths (v-collectives) and gaps between them. Indices wrap around.
 */
#ifndef TUTTI_BLOCKMAP_H
#define TUTTI_BLOCKMAP_H

#include "nbc/sched.h"

/* Blocks in one space. */
typedef struct blockrow {
    sched_space space;
    int64_t count;         /* length of every block, where counts is NULL */
    const int64_t *counts; /* [n] or NULL, borrowed */
    const int64_t *displs; /* [n], with counts */
} blockrow;

typedef struct blockmap {
    int n;        /* blocks */
    int mine;     /* index of my own block */
    blockrow in;  /* in RECV: what comes from each rank */
    blockrow out; /* alltoall: what I send to each rank; in RECV too if the call is in place */
    interval own; /* allgather: where my block is sent from */
} blockmap;

blockmap blockmap_make(const coll *c);

/* The block of rank i at its final place. */
interval block(const blockmap *b, int i);

/* Alltoall: what I send to rank i. */
interval outgoing(const blockmap *b, int i);

/* Alltoall with blocks of equal length: the n blocks that I send to ranks first, first + 1, ...; no
 * wrap-around. */
interval run_of(const blockmap *b, int first, int n);

/* Allgather: where block i is sent from: my own from the send buffer, as early as possible, the
 * others from their final place. */
interval source(const blockmap *b, int i);

/* Send or receive the n blocks first, first + stride, first + 2*stride, ...: one message, or one
 * message a block, as the builder's form says. A single block of mine goes from the send buffer.
 * Sender and receiver must name the blocks in the same order. */
void send_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer);
void recv_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer);

#endif
