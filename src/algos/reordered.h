/* SPDX-License-Identifier: BSD-3-Clause */
/* reordered.h - an allgather over the same ranks in a better order.
 *
 * Member order[i] takes index i of the group, and the algorithm goes on as ever. The output keeps
 * the order of the ranks in one of three ways (coll.order):
 *
 *   place        index i brings the block of its member, received where it belongs: no extra
 *                work, but messages of several blocks are scattered
 *   initcomm     before, index i gets the block of member i: then all is contiguous; one more
 *                message
 *   endshuffle   blocks are gathered in scratch in the order of the indices and copied to their
 *                places at the end: p copies, scratch of p blocks
 *
 * Mirsadeghi, Afsahi, IPDPSW 2016, V-B; `place` is theirs for the ring, here for all.
 */
#ifndef TUTTI_REORDERED_H
#define TUTTI_REORDERED_H

#include "algos/algo.h"
#include "topo/reorder.h"

typedef void reordered_base(const algo_options *o, const group *g, const blockmap *b,
                            sched_builder *s);

/* base, over the group in the order for its pattern. */
void reordered_allgather(const algo_options *o, const group *g, const blockmap *b, sched_builder *s,
                         reorder_pattern pattern, reordered_base *base);

/* base, over the group in this order of its members (NULL: the builder has failed); or, if it finds
 * orders itself, over the group as it is: then `order` only says how blocks lie meanwhile. */
void reordered_blocks(const algo_options *o, const group *g, const blockmap *b, sched_builder *s,
                      const int *order, bool in_order, reordered_base *base);

#endif
