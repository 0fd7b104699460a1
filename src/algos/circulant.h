/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.h - the graph in which rank v of p sends to v + skip[k] and receives from v - skip[k],
 * and the schedule by which n blocks of rank 0 reach everybody over it in n - 1 + ceil(log2 p)
 * rounds: the fewest there can be if a rank sends one block and receives one at a time.
 *
 *   p = 5, skips 1, 2, 3      rank       0          1          2          3          4
 *   in rounds 0, 1, 2         receive   (all)    0 -1 -2   -3  1 -1   -2 -3  2   -1 -2  0
 *                             send     0  1  2  -3 -3  0   -2 -2 -2   -1 -1 -2   -3 -1 -1
 *
 * Three rounds later it is all the same with blocks that are three higher; nothing is sent for
 * those below 0. Whatever a rank sends it has received before: in a round further left, or as its
 * only block that is not negative, three rounds ago, when the number was three lower.
 *
 * Skips are halved, rounded up, from p down. So every rank v > 0 is a sum of different skips in
 * falling order; the index of the last one is its base block, the one that comes to it first. In
 * round k rank v is sent what a rank between v - skip[k + 1] and v - skip[k] has as its base block.
 *
 * Traeff, arXiv 2407.18004 and 10.1145/3735139.
 */
#ifndef TUTTI_CIRCULANT_H
#define TUTTI_CIRCULANT_H

#include "algos/blockmap.h"
#include "algos/group.h"

enum { CIRCULANT_ROUNDS = 32 };

typedef struct circulant {
    int rounds;                     /* ceil(log2 p) */
    int skip[CIRCULANT_ROUNDS + 1]; /* rising from 1; skip[rounds] is p */
} circulant;

circulant circulant_make(int p);

/* Blocks of a vector that a reduce-scatter sends over skip k, and an allgather back. */
static inline int circulant_over(const circulant *c, int k)
{
    return c->skip[k + 1] - c->skip[k];
}

/* What rank v receives in each of the first rounds, and what it sends: [rounds]. O(rounds^3). */
void circulant_blocks(const circulant *c, int v, int *receive, int *send);

/* ---- circulant_reduce.c: reduce-scatter in fewest rounds for any number of ranks.
 *
 *   p = 5, skips 3, 2, 1      rank me holds R[i], its part of what rank me + i will own
 *   send      R[3..4] to me + 3     R[2] to me + 2     R[1] to me + 1
 *   reduce    R[0..1]               R[0]               R[0]             with what comes
 *
 * With s' = p, and s = ceil(s' / 2) until s is 1: a round sends R[s .. s'-1] and receives s' - s
 * items: ceil(log2 p) rounds, p-1 items. Every item is reduced on one rank in one order. Traeff,
 * arXiv 2410.14234.
 */

/* As send_row and recv_row, but items that go over the end of the vector travel in a message of
 * their own: both are one interval then, which no MPI has to pack. In a reduce-scatter a rank sends
 * at most one such pair. */
void circulant_send(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n,
                    int peer);
void circulant_recv(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n,
                    int peer);

/* Item i of all members, combined in any order, comes to member i: to item i of the row
 * `result`, from the rows `out` of the map. Sums lie in the row `sum` meanwhile, or in scratch if
 * that is NULL; it may be `out`, and `result` may be the same. Members' items me to me + p/2 of it
 * are overwritten. */
void circulant_reduce_scatter(const group *g, const blockmap *items, const blockrow *sum,
                              const blockrow *result, sched_builder *s);

#endif
