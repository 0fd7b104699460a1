/* SPDX-License-Identifier: BSD-3-Clause */
/* two_tree.c - see two_tree.h. */
#include "algos/two_tree.h"

enum { FARTHEST = 1 << 30 };

/* The root of the right subtree, of members up to the last one. */
static int right_of(int member, int distance, int last)
{
    while (distance > last - member)
        distance /= 2;
    return distance > 0 ? member + distance : -1;
}

/* Down from the member at position 0, which has no left child. */
two_tree_node two_tree_find(int tree, int first, int last, int member)
{
    int top = first - 1 + tree, at = top;
    two_tree_node t = {.parent = top - 1, .left = -1};

    if (member < top)
        return (two_tree_node){-1, -1, top <= last ? top : -1};
    t.right = right_of(top, FARTHEST, last);
    while (at != member) {
        t.parent = at;
        at = member < at ? t.left : t.right;
        int position = at - top, distance = (position & -position) / 2;
        t.left = distance > 0 ? at - distance : -1;
        t.right = right_of(at, distance, last);
    }
    return t;
}

/* ---- a reduction ---- */

two_tree_reduce two_tree_begin(const algo_options *o, const group *g, int first, const blockmap *b,
                               const blockrow *result, sched_builder *s)
{
    two_tree_reduce w = {.g = g, .b = b, .s = s, .noncommutative = o->noncommutative};
    bool has_left, inner;

    for (int i = 0; i < 2; i++)
        w.tree[i] = two_tree_find(1 - i, first, g->size - 1, g->index);
    has_left = w.tree[0].left >= 0 || w.tree[1].left >= 0;
    inner = has_left || w.tree[0].right >= 0 || w.tree[1].right >= 0;
    if (result)
        w.right = *result;
    else if (inner)
        w.right = scratch_row(s, b);
    if (has_left)
        w.left = scratch_row(s, b);
    return w;
}

static void receive_subtree(const two_tree_reduce *w, const blockrow *to, int k, int child)
{
    recv_row(w->s, w->b, to, k, 1, peer(w->g, child));
}

static const blockrow *combine_subtree(const two_tree_reduce *w, const blockrow *from,
                                       const blockrow *to, int k)
{
    reduce_row(w->s, w->b, from, to, k, 1);
    return to;
}

/* What I contribute may be written to if the call is in place. */
const blockrow *two_tree_sum(const two_tree_reduce *w, int k)
{
    const two_tree_node *t = &w->tree[k % 2];
    const blockrow *sum = &w->b->out, *right = &w->right, *left = &w->left;
    bool writable = in_place(w->b);

    if (t->right >= 0) {
        receive_subtree(w, right, k, t->right);
        sum = writable && !w->noncommutative ? combine_subtree(w, right, sum, k)
                                             : combine_subtree(w, sum, right, k);
        writable = true;
    }
    if (t->left < 0)
        return sum;
    if (!writable && !w->noncommutative) {
        receive_subtree(w, right, k, t->left);
        return combine_subtree(w, sum, right, k);
    }
    if (!writable) {
        copy_row(w->s, w->b, sum, right, k, 1);
        sum = right;
    }
    receive_subtree(w, left, k, t->left);
    return combine_subtree(w, left, sum, k);
}
