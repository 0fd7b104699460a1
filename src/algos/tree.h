/* tree.h - gather, broadcast and scatter inside a group, to and from its first member: the phases
 * of hierarchical algorithms inside nodes.
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

#include "algos/blockmap.h"
#include "algos/group.h"

typedef enum tree { TREE_BINOMIAL, TREE_LINEAR } tree;

/* Names for algo.variants. */
extern const char *const tree_names[];

/* Members of the subtree of member i of n. */
int tree_size(tree t, int i, int n);

/* Item i comes from member i to the first one; members inside the tree hold what passes. */
void tree_gather(tree t, const group *g, const blockmap *b, sched_builder *s);

/* Item i goes from the first member to member i. */
void tree_scatter(tree t, const group *g, const blockmap *b, sched_builder *s);

/* All items go from the first member to everybody. */
void tree_broadcast(tree t, const group *g, const blockmap *b, sched_builder *s);

#endif
