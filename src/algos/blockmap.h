/* SPDX-License-Identifier: BSD-3-Clause */
/* blockmap.h - where the blocks of a collective lie: block -> interval; and what the members of a
 * group hold of them: item -> blocks.
 *
 * Blocks may have unequal lengths (v-collectives) and gaps between them. Items are what an
 * algorithm for a group counts: item i is what its member i contributes, or is sent. In the group
 * of all ranks that is block i. In a group of leaders it is all blocks of a node; in a reordered
 * group it is the block of another rank. Indices of items wrap around.
 *
 * A vector (bcast, allreduce) is as many blocks as the algorithm cuts it into; cut() makes items
 * of them. A block of a rank may be cut into pieces: then each piece is a block here, and an item
 * has all those of the ranks that it is of.
 *
 * Each side is a row of blocks, even where a rank has but one of them (what it sends in a gather,
 * what it receives in a scatter): the row says where that one is, and the others are nowhere. Among
 * neighbors `in` is blocks of sources, `out` of destinations; or `own` goes to all of them.
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
    int64_t base;          /* offset of the first one; with counts, of displacement 0 */
    int pieces; /* that a block of the lists is cut into: they are [blocks / pieces] then; 0: 1 */
} blockrow;

typedef struct blockmap {
    int n;            /* items */
    const int *first; /* [n + 1]: item i is blocks list[first[i] .. first[i + 1] - 1]; borrowed */
    const int *list;  /* without `first`: those of rank list[i]; without both: those of rank i */
    int pieces;       /* that a rank's block is cut into; of a vector 1 */
    int blocks;       /* how many there are: of each rank; or parts of a vector */
    int mine;         /* of a rank that sends one block: the rank whose block `own` is; else -1 */
    blockrow in;      /* in RECV: what comes from each rank; the result */
    blockrow out;     /* what I send to each rank; what I contribute to the result. In RECV too if
                         the call is in place */
    interval own;     /* where my block is sent from */
} blockmap;

/* parts: blocks of a vector; pieces of a rank's block. */
blockmap blockmap_make(const coll *c, int parts);

/* The whole block of a rank in a row of the call, in one piece. */
interval whole_at(const blockmap *b, const blockrow *row, int rank);

/* The position of item i, which wraps around. The map's items must be blocks of single ranks. */
interval block(const blockmap *b, int i);

/* The same: what I send to member i, or contribute to part i. */
interval outgoing(const blockmap *b, int i);

/* Where block k of a row is. */
interval row_at(const blockrow *row, int k);

/* The part of what lies at `all` that begins `first` blocks of equal length after its start. */
interval part_of(interval all, int64_t first, int64_t n, int64_t length);

/* Copy what I send to the n members first, first + 1, ..., in this order; equal lengths. */
void copy_out(sched_builder *s, const blockmap *b, int first, int n, interval to);

/* Copy what lies there to where the n items first, first + 1, ... are received; equal lengths. */
void copy_in(sched_builder *s, interval from, const blockmap *b, int first, int n);

/* Send or receive the n items first, first + stride, first + 2*stride, ...: one message, or one
 * message a block, as the builder's form says. A single block of mine goes from the send buffer, as
 * early as possible. Sender and receiver must name the items in the same order. */
void send_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer);
void recv_blocks(sched_builder *s, const blockmap *b, int first, int n, int stride, int peer);

/* The n items first, first + 1, ... of one space of a vector: `row` at the blocks of the map; as
 * one message, or one message a block, as the builder's form says; or added to an open one. */
void add_row(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n);
void send_row(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n, int peer);
void recv_row(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n, int peer);

/* Two rows of the same blocks are one if they begin at one position. */
static inline bool same_row(const blockrow *a, const blockrow *b)
{
    return a->space == b->space && a->base == b->base && a->displs == b->displs;
}

/* Does what I send lie where the result comes to? Both are in RECV then; or of a phase of a larger
 * algorithm one row of scratch. */
static inline bool in_place(const blockmap *b)
{
    return same_row(&b->out, &b->in) || (b->out.space == SPACE_RECV && b->in.space == SPACE_RECV);
}

/* Combine them: to = from op to; and copy them. Blocks that lie side by side in one step, unless
 * they travel alone. */
void reduce_row(sched_builder *s, const blockmap *b, const blockrow *from, const blockrow *to,
                int first, int n);
void copy_row(sched_builder *s, const blockmap *b, const blockrow *from, const blockrow *to,
              int first, int n);

/* As many blocks in scratch as the map has, of the same lengths; or only those of n items, and the
 * others are nowhere; but of a vector that is cut all of them, too. */
blockrow scratch_row(sched_builder *s, const blockmap *b);
blockrow scratch_items(sched_builder *s, const blockmap *b, int first, int n);

/* A map over the same blocks with other items, filled one after the other. The lists are borrowed
 * from the builder: where there is no memory, it has failed and all of this does nothing. */
typedef struct itemlist {
    blockmap map;
    int *first, *list, used;
} itemlist;

itemlist items_begin(const blockmap *b, int n, sched_builder *s);
void items_add(itemlist *t, const blockmap *from, int item); /* its blocks, to the item at work */
void items_next(itemlist *t);                                /* the next item is at work */

/* n of the items, by their indices. */
blockmap items_chosen(const blockmap *b, const int *item, int n, sched_builder *s);

/* The same items, of piece q of each of their blocks alone; and into how many such maps this one
 * falls: 1 where pieces do not travel alone. */
enum { SLICES_IN_FLIGHT = 2 }; /* of such maps: that links are full, and hardly more */
blockmap slice(const blockmap *b, int q, sched_builder *s);
int slices_of(const blockmap *b, const sched_builder *s);

/* All items of the map, cut into n: item i of them is its items floor(i * m / n) and on. */
blockmap cut(const blockmap *b, int n, sched_builder *s);

#endif
