/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_two_tree.c - half of the vector goes down one binary tree, half down another one, piece by
 * piece.
 *
 *   even pieces   1             odd pieces    4            p = 8, root 0 sends to 1 and 4 in turn
 *                  \                       /     \
 *                   5                     2       6        an inner node of one tree
 *                /     \                 / \     / \       is a leaf of the other (two_tree.h)
 *               3       7               1   3   5   7
 *              / \     /
 *             2   4   6
 *
 * The deeper tree gets the first piece. Cut by bytes, because ranks may describe one vector by
 * different types (algo.c). N pieces in all:
 *
 * about (N - 2 + 2 ceil(log2 p)) (alpha + n/N beta), least with about sqrt(2 log2 p n beta / alpha)
 * pieces; no scratch, unless the type has gaps. For large vectors: every rank receives the vector
 * once, and sends it once at most. Subtrees are consecutive ranks, so few messages leave a node.
 * Sanders, Speck, Traeff, Parallel Computing 35(12), 2009.
 */
#include "algos/algo.h"
#include "algos/order.h"
#include "algos/two_tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    group r;

    if (!group_rotated(g, o->root, s, &r))
        return;
    const two_tree_node trees[] = {two_tree_find(1, 1, r.size - 1, r.index),
                                   two_tree_find(0, 1, r.size - 1, r.index)};

    for (int k = 0; k < b->n; k++) {
        const two_tree_node *t = &trees[k % 2];

        if (t->parent >= 0)
            recv_blocks(s, b, k, 1, 1, peer(&r, t->parent));
        if (t->left >= 0)
            send_blocks(s, b, k, 1, 1, peer(&r, t->left));
        if (t->right >= 0)
            send_blocks(s, b, k, 1, 1, peer(&r, t->right));
    }
}

static algo_cost cost(int p, int pieces)
{
    double rounds = p > 1 ? pieces - 2 + 2 * ceil_log2(p) : 0;

    return (algo_cost){.messages = rounds, .blocks = rounds / pieces};
}

const algo algo_bcast_two_tree = {
    .name = "two_tree",
    .kind = COLL_bcast,
    .summary = "half of the vector down one binary tree, half down another one, piece by piece",
    .steps = "pieces-2 + 2 log2 p",
    .volume = "a vector",
    .source = "Sanders et al., ParCo 35, 2009",
    .parameter = {.name = "pieces", .least = 1, .usual = 16, .most = PIECES_MOST},
    .parts = algo_parts_of_pieces,
    .compile = compile,
    .cost = cost,
};
