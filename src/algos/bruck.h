/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck.h - the rounds of Bruck's index algorithm: the block that has j ranks to go, 0 <= j < p,
 * travels z * r^x ranks in the round of digit x and value z, if digit x of j in radix r is z.
 *
 *   j       0    1    2    3    4    5          p = 6, r = 2
 *   digits  000  001  010  011  100  101
 *   round 1      *         *         *          distance 1
 *   round 2           *    *                    distance 2
 *   round 3                     *    *          distance 4
 *
 * Rounds of one digit move different blocks: a phase. They are independent of each other.
 */
#ifndef TUTTI_BRUCK_H
#define TUTTI_BRUCK_H

#include "algos/algo.h"

typedef struct bruck_round {
    int p, radix;
    int64_t weight; /* r^x */
    int digit;      /* z */
    int phase;      /* x */
} bruck_round;

/* for (bruck_round t = bruck_first(p, r); bruck_valid(&t); bruck_next(&t)) */
bruck_round bruck_first(int p, int radix);
bool bruck_valid(const bruck_round *t);
void bruck_next(bruck_round *t);

/* How far its blocks travel. */
int bruck_distance(const bruck_round *t);

/* Does block j travel in this round? */
bool bruck_moves(const bruck_round *t, int j);

/* The next range of blocks that travel, from *j on: *j becomes its first one. Its length, or 0. */
int bruck_next_range(const bruck_round *t, int *j);

/* Blocks that travel in this round; number of phases; blocks of all rounds together. */
int bruck_count(const bruck_round *t);
int bruck_phases(int p, int radix);
int64_t bruck_volume(int p, int radix);

/* ---- the algorithm ---- */

/* As published: rotate, exchange packed, rotate back. */
void bruck_index(const group *g, const blockmap *b, sched_builder *s, int radix);

/* For blocks of unequal lengths, without copies: bruck_hops.c. SCRATCH is counted in the unit of
 * the size exchange, of which SEND is the lengths of the blocks for each rank; RECV the same by
 * member of the group, and those that come in all rounds. */
void bruck_size_exchange(const group *g, sched_builder *s, int radix);
void bruck_hops(const group *g, const blockmap *b, const int64_t *exchanged_sizes, sched_builder *s,
                int radix);

#endif
