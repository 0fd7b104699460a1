/* SPDX-License-Identifier: BSD-3-Clause */
/* transit.h - an alltoall in which blocks for other nodes travel through ranks that carry them.
 *
 *   collect    rank (a, i) of node a gives carrier (a, j) what it sends to the ranks of lane j of
 *              all other nodes: j, j + lanes, ...
 *   cross      carrier (a, j) sends carrier (k, j) all that node a has for lane j of node k
 *   deliver    what has come for j + lanes, ... goes on to them
 *
 * Inside a node blocks go straight from rank to rank; or, in the form `step`, those for a carrier
 * with what it collects, as if two alltoalls followed one another: on 8 nodes of 8 ranks a rank
 * sends 14 messages for 21, and has 136 block transfers on the critical path either way
 * (tutti-plan). Two whole alltoalls would also copy the q blocks of the own node, which here are
 * received where they belong.
 *
 * With one lane, the first rank of each node carries everything, and may collect and deliver over a
 * tree.
 *
 * Carriers have to know the lengths of blocks that stay with them: where they are unequal, a size
 * exchange finds them out before. It is the same alltoall of one number for each block, without
 * what is received where it belongs. A rank finds p numbers, and one for each block that it keeps.
 */
#ifndef TUTTI_TRANSIT_H
#define TUTTI_TRANSIT_H

#include "algos/region.h"
#include "algos/tree.h"

/* With one lane, or with as many as the smallest node has ranks, over linear trees then. Without
 * nodes: direct messages, 32 at a time as in alltoall_linear.c. exchanged_sizes: what the other one
 * has found, and SCRATCH is counted in its unit; NULL: blocks of equal length, or no nodes. */
void transit_alltoall(const group *g, const blockmap *b, const int64_t *exchanged_sizes,
                      sched_builder *s, bool one_lane, tree t);

/* SEND: the lengths of the blocks for each rank. RECV: what is found; nothing without nodes. */
void transit_size_exchange(const group *g, sched_builder *s, bool one_lane, tree t);

#endif
