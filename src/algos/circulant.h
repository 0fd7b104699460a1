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

#endif
