/* SPDX-License-Identifier: BSD-3-Clause */
/* order.h - the members of a group in an order that suits a pattern (topo/reorder.h). */
#ifndef TUTTI_ORDER_H
#define TUTTI_ORDER_H

#include "algos/blockmap.h"
#include "algos/group.h"
#include "topo/reorder.h"

/* The member that takes each index, [size], borrowed; without a topology all stay where they are.
 * NULL: out of memory, and the builder has failed. */
const int *order_members(reorder_pattern pattern, const group *g, sched_builder *s);

/* The same for a tree with this root, which takes index 0. */
const int *order_tree(reorder_pattern pattern, const group *g, int root, sched_builder *s);

/* The group in this order, borrowed. False as above. */
bool order_group(const group *g, const int *order, sched_builder *s, group *result);

/* The group in its own order, but beginning with member `first`. */
bool group_rotated(const group *g, int first, sched_builder *s, group *result);

#endif
