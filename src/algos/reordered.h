/* reordered.h - an allgather over the same ranks in a better order.
 *
 * Rank order[i] takes index i of the group, and the algorithm goes on as ever. The output keeps the
 * order of the ranks in one of three ways (coll.order):
 *
 *   place        index i brings the block of its rank, which is received at its place: no extra
 *                work, but messages of several blocks are scattered
 *   initcomm     before, index i gets the block of rank i: then all is contiguous; one more message
 *   endshuffle   blocks are gathered in scratch in the order of the indices and copied to their
 *                places at the end: p copies, scratch of p blocks
 *
 * Mirsadeghi, Afsahi, IPDPSW 2016, V-B; `place` is theirs for the ring, here for all.
 */
#ifndef TUTTI_REORDERED_H
#define TUTTI_REORDERED_H

#include "algos/algo.h"
#include "topo/reorder.h"

typedef void reordered_base(const coll *c, const group *g, const blockmap *b, sched_builder *s);

/* base, over the group in the order for its pattern. */
void reordered_allgather(const coll *c, const group *g, const blockmap *b, sched_builder *s,
                         reorder_pattern pattern, reordered_base *base);

/* base, which finds orders itself: `order` [p] only says how blocks lie meanwhile; borrowed. */
void reordered_blocks(const coll *c, const group *g, const blockmap *b, sched_builder *s,
                      const int *order, reordered_base *base);

#endif
