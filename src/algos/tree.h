/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h - gather, broadcast and scatter inside a group, to and from its first member: the phases
 * of hierarchical algorithms inside nodes; and gather and scatter between rows of blocks.
 *
 *   binomial, 6 members       linear
 *        0                       0
 *      / | \                  / / | \ \
 *     1  2  4                1  2 3 4  5
 *        |  |
 *        3  5
 *
 * Member i's subtree are the items i .. i + (lowest bit of i) - 1.
 */
#ifndef TUTTI_TREE_H
#define TUTTI_TREE_H

#include "algos/algo.h"

typedef enum tree { TREE_BINOMIAL, TREE_LINEAR } tree;

/* For algo.variants: a gather by each. */
extern const algo *const tree_gathers[];

/* Members of the subtree of member i of n. */
int tree_size(tree t, int i, int n);

/* Its parent, -1 of the first one; and for (k = 0; child >= 0; k++): its children from the nearest
 * to the farthest. */
int tree_parent(tree t, int i, int n);
int tree_child(tree t, int i, int n, int k);
int tree_children(tree t, int i, int n);

/* Item i comes from member i to the first one; members inside the tree hold what passes. */
void tree_gather(tree t, const group *g, const blockmap *b, sched_builder *s);

/* Item i goes from the first member to member i. */
void tree_scatter(tree t, const group *g, const blockmap *b, sched_builder *s);

/* All items go from the first member to everybody. */
void tree_broadcast(tree t, const group *g, const blockmap *b, sched_builder *s);

/* Item root + i comes from row `from` of member root + i to row `to` of member root; members inside
 * the tree hold what passes in scratch. The root's own item stays where it is. */
void tree_collect(tree t, const group *g, int root, const blockmap *b, const blockrow *from,
                  const blockrow *to, sched_builder *s);

/* And the other way. */
void tree_distribute(tree t, const group *g, int root, const blockmap *b, const blockrow *from,
                     const blockrow *to, sched_builder *s);

#endif
