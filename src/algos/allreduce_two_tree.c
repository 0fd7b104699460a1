/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_two_tree.c - half of the vector is reduced up one binary tree, half up another one,
 * piece by piece, and each piece goes down the tree again as soon as the root has it.
 *
 *   even pieces   0             odd pieces    3            p = 7
 *                  \                       /     \
 *                   4                     1       5        an inner node of one tree
 *                /     \                 / \     / \       is a leaf of the other (two_tree.h)
 *               2       6               0   2   4   6
 *              / \     /
 *             1   3   5
 *
 * Both trees are in order: operations need not commute. Two ranks may be neighbors in both trees:
 * then pieces that go up one and pieces that go down the other share a ring. In program order those
 * that go down are later by the time that they need, so that neither wait for the other.
 *
 * About (2 (N - 2) + 4 ceil(log2 p)) (alpha + n/N beta) for N pieces in all; up to two vectors of
 * scratch. For large vectors if the operation, one of MPI's, needs the order of ranks; or on nodes
 * of many ranks: subtrees are consecutive ranks, so few messages leave a node. Every rank sends and
 * receives two vectors at most. Sanders, Speck, Traeff, Parallel Computing 35(12), 2009.
 */
#include "algos/two_tree.h"

static void send_down(const two_tree_reduce *w, int k, int child)
{
    if (child >= 0)
        send_row(w->s, w->b, &w->b->in, k, 1, peer(w->g, child));
}

static void reduce_up(const two_tree_reduce *w, int k)
{
    const blockrow *sum = two_tree_sum(w, k);
    int parent = w->tree[k % 2].parent;

    if (parent >= 0)
        send_row(w->s, w->b, sum, k, 1, peer(w->g, parent));
    else if (!same_row(sum, &w->b->in))
        copy_row(w->s, w->b, sum, &w->b->in, k, 1);
}

static void broadcast_down(const two_tree_reduce *w, int k)
{
    const two_tree_node *t = &w->tree[k % 2];

    if (t->parent >= 0)
        recv_row(w->s, w->b, &w->b->in, k, 1, peer(w->g, t->parent));
    send_down(w, k, t->left);
    send_down(w, k, t->right);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    two_tree_reduce w = two_tree_begin(o, g, 0, b, in_place(b) ? NULL : &b->in, s);
    int delay = 2 * ceil_log2(g->size); /* about as long as a piece is on its way */

    for (int k = 0; k < b->n + delay; k++) {
        if (k < b->n)
            reduce_up(&w, k);
        if (k >= delay)
            broadcast_down(&w, k - delay);
    }
}

static algo_cost cost(int p, int pieces)
{
    double rounds = p > 1 ? 2 * (pieces - 2) + 4 * ceil_log2(p) : 0;

    return (algo_cost){.messages = rounds, .blocks = rounds / pieces};
}

const algo algo_allreduce_two_tree = {
    .name = "two_tree",
    .kind = COLL_allreduce,
    .summary = "half of the pieces up and down one binary tree, half another one, in rank order",
    .steps = "2 pieces-4+4 log2 p",
    .volume = "2 vectors",
    .restriction = "any; MPI's ops",
    .source = "Sanders et al., ParCo 35, 2009",
    .parameter = {.name = "pieces", .least = 1, .usual = 16, .most = PIECES_MOST},
    .parts = algo_parts_of_pieces,
    .compile = compile,
    .cost = cost,
};
