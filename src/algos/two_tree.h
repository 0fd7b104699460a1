/* SPDX-License-Identifier: BSD-3-Clause */
/* two_tree.h - two binary trees over the same members of a group. Each member is an inner node of
 * one tree and a leaf of the other: if each tree carries half of a vector, everybody sends and
 * receives at most one vector.
 *
 *   tree 0       4           tree 1   1                  members 1 to 7
 *             /     \                  \
 *            2       6                  5
 *           / \     / \              /     \
 *          1   3   5   7            3       7
 *                                  / \     /
 *                                 2   4   6
 *
 * Both trees are in order: the left subtree of a member has lower ones, the right subtree higher
 * ones. Levels are those of the lowest bit; where a child would be higher than the last member its
 * own left child replaces it. Tree 1 is the same of one member less, shifted by one, under the
 * first member.
 *
 * At most floor(log2 n) + 1 edges from a root to a leaf, of n members.
 * Sanders, Speck, Traeff, Parallel Computing 35(12), 2009; the first member at the top of tree 1 is
 * ours, so that both trees are in order for every n.
 */
#ifndef TUTTI_TWO_TREE_H
#define TUTTI_TWO_TREE_H

#include "algos/algo.h"

/* Members; -1: none. */
typedef struct two_tree_node {
    int parent, left, right;
} two_tree_node;

/* The trees have members first to last. The one before these is the parent of both roots; each is
 * its right child. */
two_tree_node two_tree_find(int tree, int first, int last, int member);

/* ---- a vector is reduced up both piece by piece: what one member does ----
 *
 *   left op own op right
 *
 * What comes from the right child is received where the sum is to be, and the own vector is
 * combined into it; then what comes from the left child. Nothing is copied, unless the operation
 * does not commute: then by the last member, where it has no right child.
 */
typedef struct two_tree_reduce {
    const group *g;
    const blockmap *b;
    sched_builder *s;
    bool noncommutative;   /* the operation does not commute */
    two_tree_node tree[2]; /* of pieces with even and with odd numbers */
    blockrow right, left;  /* what comes; `right` also holds sums */
} two_tree_reduce;

/* For trees of the members of g from `first` on. The first piece goes over tree 1, which may have a
 * level more. result: a row for sums, or NULL: they are in scratch. */
two_tree_reduce two_tree_begin(const algo_options *o, const group *g, int first, const blockmap *b,
                               const blockrow *result, sched_builder *s);

/* Receive piece k of my children and combine it with mine. Returns the row where the sum is: a
 * row of w; or that of what I contribute, if there are no children or the call is in place. */
const blockrow *two_tree_sum(const two_tree_reduce *w, int k);

#endif
