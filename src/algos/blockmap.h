/* blockmap.h - where the blocks of a collective lie: block index -> interval.
 *
 * Blocks may have unequal lengths (v-collectives) and gaps between them. Indices wrap around.
 */
#ifndef TUTTI_BLOCKMAP_H
#define TUTTI_BLOCKMAP_H

#include "nbc/sched.h"

typedef struct blockmap {
    int n;                 /* blocks */
    int mine;              /* index of my own block */
    int64_t count;         /* length of every block, where counts is NULL */
    const int64_t *counts; /* [n] or NULL, borrowed */
    const int64_t *displs; /* [n], with counts */
    interval own;          /* where my block is sent from */
} blockmap;

/* The blocks of an allgather or allgatherv in RECV. */
blockmap blockmap_recv(const coll *c);

/* Block i at its final place. */
interval block(const blockmap *b, int i);

/* Where block i is sent from: my own from the send buffer, as early as possible, the others from
 * their final place. */
interval source(const blockmap *b, int i);

/* Send or receive the n blocks first, first + stride, first + 2*stride, ...: one message, or one
 * message a block, as the builder's form says. A single block of mine goes from the send buffer.
 * Sender and receiver must name the blocks in the same order. */
void send_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer);
void recv_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer);

#endif
