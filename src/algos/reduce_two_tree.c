/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_two_tree.c - half of the vector is reduced up one binary tree, half up another one, piece
 * by piece.
 *
 *   even pieces    root 0       odd pieces      root 0         p = 8
 *                 /                            /
 *                1                            4
 *                 \                        /     \
 *                  5                      2       6
 *               /     \                  / \     / \
 *              3       7                1   3   5   7
 *             / \     /
 *            2   4   6
 *
 * An inner node of one tree is a leaf of the other (two_tree.h). If the operation does not commute
 * the trees are those of rank 0, which sends each finished piece to the root: one hop more, and one
 * vector more for both ranks.
 *
 * About (N - 2 + 2 ceil(log2 p)) (alpha + n/N beta) for N pieces in all; up to two vectors of
 * scratch. For large vectors: every rank but the root sends the vector once, and receives it once
 * at most. Needs an operation of MPI's. Sanders, Speck, Traeff, Parallel Computing 35(12), 2009.
 */
#include "algos/order.h"
#include "algos/two_tree.h"

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    int top = o->noncommutative ? 0 : o->root, root = wrap(o->root - top, g->size);
    group r;

    if (!group_rotated(g, top, s, &r))
        return;
    bool is_result = r.index == 0 && root == 0 && !in_place(b);
    two_tree_reduce w = two_tree_begin(o, &r, 1, b, is_result ? &b->in : NULL, s);

    for (int k = 0; k < b->n; k++) {
        const blockrow *sum = two_tree_sum(&w, k);
        int to = r.index > 0 ? w.tree[k % 2].parent : root;

        if (to != r.index)
            send_row(s, b, sum, k, 1, peer(&r, to));
        else if (!same_row(sum, &b->in))
            copy_row(s, b, sum, &b->in, k, 1);
        if (root > 0 && r.index == root)
            recv_row(s, b, &b->in, k, 1, peer(&r, 0));
    }
}

static algo_cost cost(int p, int pieces)
{
    double rounds = p > 1 ? pieces - 2 + 2 * ceil_log2(p) : 0;

    return (algo_cost){.messages = rounds, .blocks = rounds / pieces};
}

const algo algo_reduce_two_tree = {
    .name = "two_tree",
    .kind = COLL_reduce,
    .summary = "half of the vector up one binary tree, half up another one, piece by piece",
    .steps = "pieces-2 + 2 log2 p",
    .volume = "a vector",
    .restriction = "any; MPI's ops",
    .source = "Sanders et al., ParCo 35, 2009",
    .parameter = {.name = "pieces", .least = 1, .usual = 16, .most = PIECES_MOST},
    .parts = algo_parts_of_pieces,
    .compile = compile,
    .cost = cost,
};
