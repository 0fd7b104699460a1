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
 * own left child takes its place. Tree 1 is the same of one member less, shifted by one, under the
 * first member.
 *
 * At most floor(log2 n) + 1 edges from a root to a leaf, of n members.
 * Sanders, Speck, Traeff, Parallel Computing 35(12), 2009; the first member at the top of tree 1 is
 * ours, so that both trees are in order for every n.
 */
#ifndef TUTTI_TWO_TREE_H
#define TUTTI_TWO_TREE_H

/* Members; -1: none. */
typedef struct two_tree_node {
    int parent, left, right;
} two_tree_node;

/* The trees have members first to last. The one before these is the parent of both roots; each is
 * its right child. */
two_tree_node two_tree_find(int tree, int first, int last, int member);

#endif
