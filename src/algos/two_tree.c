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

/* Down from the member at place 0, which has no left child. */
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
        int place = at - top, distance = (place & -place) / 2;
        t.left = distance > 0 ? at - distance : -1;
        t.right = right_of(at, distance, last);
    }
    return t;
}
