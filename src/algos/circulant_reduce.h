/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant_reduce.h - reduce-scatter in fewest rounds for any number of ranks.
 *
 *   p = 5, skips 3, 2, 1      rank me holds R[i], its part of what rank me + i will own
 *   send      R[3..4] to me + 3     R[2] to me + 2     R[1] to me + 1
 *   reduce    R[0..1]               R[0]               R[0]             with what comes
 *
 * With s' = p, and s = ceil(s' / 2) until s is 1: a round sends R[s .. s'-1] and receives s' - s
 * items: ceil(log2 p) rounds, p-1 items. Every item is reduced on one rank in one order. Traeff,
 * arXiv 2410.14234.
 */
#ifndef TUTTI_CIRCULANT_REDUCE_H
#define TUTTI_CIRCULANT_REDUCE_H

#include "algos/blockmap.h"
#include "algos/group.h"

/* As send_row and recv_row, but items that go over the end of the vector travel in a message of
 * their own: both are one interval then, which no MPI has to pack. In a reduce-scatter a rank sends
 * at most one such pair. */
void circulant_send(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n,
                    int peer);
void circulant_recv(sched_builder *s, const blockmap *b, const blockrow *row, int first, int n,
                    int peer);

/* Item i of all members, combined in any order, comes to member i: to its place in the row
 * `result`, from the rows `out` of the map. Sums lie in the row `sum` meanwhile, or in scratch if
 * that is NULL; it may be `out`, and `result` may be the same. Members' items me to me + p/2 of it
 * are overwritten. */
void circulant_reduce_scatter(const group *g, const blockmap *items, const blockrow *sum,
                              const blockrow *result, sched_builder *s);

#endif
