/* SPDX-License-Identifier: BSD-3-Clause */
/* bine.h - Bine trees and butterflies: binomial ones whose members are nearer to each other.
 *
 *   8 members    binomial  0 -> 4   0,4 -> +2   0,2,4,6 -> +1          distances 4, 2, 1
 *                Bine      0 -> 3   0 -> 7, 3 -> 4   0,4 -> +1, 3,7 -> -1        3, 1, 1
 *
 * In round k an even member i meets i + d, an odd one i - d, with d = 1, -1, 3, -5, 11, ..., which
 * is 1 + (-2) + ... + (-2)^k: two thirds of the 2^k of a binomial tree, and members wrap around. In
 * negabinary, the system of base -2, that changes the last k + 1 digits of those that take part.
 *
 * Bytes travel two thirds as far. So fewer of them leave nodes, or switches, of consecutive ranks:
 * of a bcast on 64 ranks, over all roots, 70 to 86 % of what leaves them in a binomial tree, for
 * nodes of 2 to 32 (tests/sim/test_bine.c). Not from each root: where nodes hold a power of two of
 * ranks and the root is the first of one, a binomial tree enters each node once, and nothing is
 * better.
 *
 *   broadcast        farthest first                           q (alpha + n beta),  q = log2 p
 *   reduce-scatter   nearest first: the large halves          q alpha + (p-1)/p n beta
 *   allgather        nearest last: the same way back          the same
 *
 * As binomial trees and recursive halving. The number of members is a power of two.
 *
 * De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine Trees", SC 2025,
 * arXiv 2508.17311.
 */
#ifndef TUTTI_BINE_H
#define TUTTI_BINE_H

#include "algos/butterfly.h"

/* For algo.inapplicable. */
const char *bine_inapplicable(int p);

/* Whom member i of n meets in round k. */
int bine_partner(int i, int k, int n);

/* The number of member i in a butterfly that begins with the nearest ones: those whose blocks go
 * the same way in the first rounds have the same first bits. */
int bine_number(int i, int n);

/* All items go from the first member to everybody. */
void bine_broadcast(const group *g, const blockmap *b, sched_builder *s);

/* For butterfly_reduce_scatter and butterfly_allgather. `at` is bine_number(me): of a vector that
 * part; in bine_items the item of the member itself. */
butterfly bine_butterfly(const group *g);

/* The same blocks with the item of member i as number bine_number(i). `list` is NULL: out of
 * memory, and the builder has failed. */
blockmap bine_items(const blockmap *b, sched_builder *s);

#endif
