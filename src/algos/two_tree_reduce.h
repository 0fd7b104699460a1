/* SPDX-License-Identifier: BSD-3-Clause */
/* two_tree_reduce.h - a vector is reduced up two trees (two_tree.h) piece by piece, half of the
 * pieces over each: what one member does.
 *
 *   left op own op right
 *
 * What comes from the right child is received where the sum is to be, and the own vector is
 * combined into it; then what comes from the left child. Nothing is copied, unless the operation
 * does not commute: then by the last member, where it has no right child.
 */
#ifndef TUTTI_TWO_TREE_REDUCE_H
#define TUTTI_TWO_TREE_REDUCE_H

#include "algos/algo.h"
#include "algos/two_tree.h"

typedef struct two_tree_reduce {
    const group *g;
    const blockmap *b;
    sched_builder *s;
    bool ordered;          /* the operation does not commute */
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
