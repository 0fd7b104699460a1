/* SPDX-License-Identifier: BSD-3-Clause */
/* reorder.h - a new order of ranks that brings those closer together that exchange much.
 *
 * The heuristics of the rank reordering paper, and two of ours: the first rank stays first;
 * then, pattern by pattern, the next index is chosen, and the rank closest to the one that it
 * exchanges most with is put there. Of equally close ranks the lowest is taken, so all ranks find
 * the same order.
 *
 *   pattern              heuristic      message of i                     bytes, in blocks
 *   ring                 RMH, Alg. 3    i -> i + 1                       n - 1
 *   recursive doubling   RDMH, Alg. 2   i <-> i ^ d, d = 1, 2, 4, ...    d
 *   broadcast            BBMH, Alg. 4   binomial tree, parent -> child   1 (all that is broadcast)
 *   gather               BGMH, Alg. 5   binomial tree, child -> parent   those of its subtree
 *   Bruck                ours           i -> i - d, d = 1, 2, 4, ...     min(d, n - d)
 *   Sparbit              ours           i -> i + d, d = ..., 4, 2, 1     about n / 2d
 *
 * Bruck: as RDMH, with i - d or i + d for i ^ d: most data goes farthest. Sparbit: as RMH: most
 * data goes to the neighbour, a half of that two further, and so on.
 *
 * Gather: of equally close ranks one in an unused region is tried too, and the better order taken.
 *
 * An order that would not lower the sum of bytes * distance over all messages is not taken: then
 * the result is the order that was. O(n levels + messages).
 *
 * Mirsadeghi, Afsahi, Topology-Aware Rank Reordering for MPI Collectives, IPDPSW 2016.
 */
#ifndef TUTTI_REORDER_H
#define TUTTI_REORDER_H

#include "topo/topo.h"

typedef enum reorder_pattern {
    REORDER_RING,
    REORDER_DOUBLING, /* n a power of two; else the order stays */
    REORDER_BROADCAST,
    REORDER_GATHER,
    REORDER_BRUCK,
    REORDER_SPARBIT,
    REORDER_PATTERNS
} reorder_pattern;

/* order[i] becomes the one of the n ranks that takes index i; order[0] is ranks[0]. ranks NULL: 0
 * to n - 1; else ascending but for the first. False: out of memory. */
bool reorder_ranks(reorder_pattern pattern, const topo *t, const int *ranks, int n, int *order);

/* The heuristic's order, even if it is worse than what was; for tests and bench. */
bool reorder_always(reorder_pattern pattern, const topo *t, const int *ranks, int n, int *order);

/* Sum of blocks * distance over all messages of the pattern in this order. */
int64_t reorder_cost(reorder_pattern pattern, const topo *t, const int *order, int n);

/* One message of the pattern after the other among n: *from and *to are indices, *blocks its
 * length. *k counts from 0. False: there are no more. */
bool reorder_message(reorder_pattern pattern, int n, int64_t *k, int *from, int *to,
                     int64_t *blocks);

#endif
