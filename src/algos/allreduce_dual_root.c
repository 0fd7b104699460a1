/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_dual_root.c - two binary trees reduce their halves of the ranks, their roots exchange
 * the results, and send them down again: piece by piece.
 *
 *        0  <->  5          p = 10      both roots combine 0's side with 5's
 *       / \     / \
 *      1   4   6   9        a subtree are consecutive ranks, its root is the first of them
 *     / \     / \
 *    2   3   7   8          rank 1 has  own op (2's op 3's)
 *
 * A root is left of its subtrees, and these of each other: operations need not commute. (The paper
 * has the mirror image, roots last. Here the own vector is the left operand, `from`, so that it is
 * combined from the send buffer: what comes is received in RECV and nothing is copied.)
 *
 * Pieces go up, across and down the trees one after the other: in every round an inner rank meets
 * its first child, its second one and its parent, each of whom gives it a piece and takes another
 * one. One at a time (sched_rounds): else the pieces that go up would hold up those that go down.
 *
 * (4 L - 3 + 3 (N - 1)) (alpha + n/N beta) for N pieces and full trees of L = log2 (p/2 + 1)
 * levels: about 3 n beta. Up to two vectors of scratch. For large vectors if the operation, one of
 * MPI's, needs the order of ranks, or bits shall not depend on where in the vector an item is.
 * Traeff, arXiv 2109.12626.
 */
#include "algos/algo.h"

typedef struct node {
    int depth;
    int parent, child[2]; /* members, or -1 */
    int dual;             /* roots: the other one; else -1 */
} node;

/* In a subtree of n members: how many the first child's subtree has. The second child's is not
 * larger. */
static int first_size(int n)
{
    return n / 2;
}

/* Down from the root: the subtree is `at` and the n - 1 members after it. */
static node find_tree_node(int p, int me)
{
    int second = (p + 1) / 2, at = me < second ? 0 : second, n = me < second ? second : p - second;
    node t = {.parent = -1, .child = {-1, -1}, .dual = -1};

    for (; at != me; t.depth++) {
        int first = first_size(n);
        bool right = me > at + first;

        t.parent = at;
        at += right ? 1 + first : 1;
        n = right ? n - 1 - first : first;
    }
    if (t.depth == 0)
        t.dual = me == 0 ? second : 0;
    if (n > 1)
        t.child[0] = at + 1;
    if (n > 2)
        t.child[1] = at + 1 + first_size(n);
    return t;
}

/* What a member does with every piece. */
typedef struct work {
    node t;
    bool left; /* I am the root of the lower ranks */
    const group *g;
    const blockmap *b;
    sched_builder *s;
    blockrow sum;   /* for what the subtree has: RECV, or scratch where RECV is not free */
    blockrow other; /* scratch, for a left operand that comes */
} work;

/* In RECV is what I contribute, if the call is in place; and the left root receives there what is
 * right of its own. */
static work find_work(const group *g, const blockmap *b, sched_builder *s)
{
    work w = {
        .t = find_tree_node(g->size, g->index), .left = g->index == 0, .g = g, .b = b, .s = s};
    bool inner = w.t.child[0] >= 0;

    w.sum = b->in;
    if (inner ? w.left || in_place(b) : w.left && in_place(b))
        w.sum = scratch_row(s, b);
    if (w.t.child[1] >= 0 || (w.t.depth == 0 && !w.left))
        w.other = scratch_row(s, b);
    return w;
}

/* The pipeline fills and empties: there are rounds for pieces that do not exist. */
static bool exists(const work *w, int k)
{
    return k >= 0 && k < w->b->n;
}

static void send_piece(const work *w, const blockrow *row, int k, int to)
{
    if (exists(w, k))
        send_row(w->s, w->b, row, k, 1, peer(w->g, to));
}

static void recv_piece(const work *w, const blockrow *row, int k, int from)
{
    if (exists(w, k))
        recv_row(w->s, w->b, row, k, 1, peer(w->g, from));
}

static void combine_piece(const work *w, const blockrow *left, const blockrow *right, int k)
{
    if (exists(w, k))
        reduce_row(w->s, w->b, left, right, k, 1);
}

/* Children give a piece, and get a result. Returns where is what my subtree has. */
static const blockrow *meet_children(const work *w, int up, int down)
{
    const int *child = w->t.child;
    const blockrow *first = child[1] < 0 ? &w->sum : &w->other, *in = &w->b->in;

    if (child[0] < 0)
        return &w->b->out;
    send_piece(w, in, down, child[0]);
    recv_piece(w, first, up, child[0]);
    if (child[1] >= 0) {
        send_piece(w, in, down, child[1]);
        recv_piece(w, &w->sum, up, child[1]);
        combine_piece(w, first, &w->sum, up);
    }
    combine_piece(w, &w->b->out, &w->sum, up);
    return &w->sum;
}

/* Both roots combine the left one's with the right one's, in RECV. */
static void meet_dual(const work *w, const blockrow *have, int k)
{
    const blockrow *in = &w->b->in, *mine = w->left ? &w->sum : in;

    if (!exists(w, k))
        return;
    if (same_row(have, in) ? w->left : !w->left)
        copy_row(w->s, w->b, have, mine, k, 1);
    else
        mine = have;
    send_piece(w, mine, k, w->t.dual);
    recv_piece(w, w->left ? in : &w->other, k, w->t.dual);
    combine_piece(w, w->left ? mine : &w->other, in, k);
}

/* Piece k of the result is one round later with every level of the tree. */
static void run_round(const work *w, int k)
{
    int depth = w->t.depth;
    const blockrow *have = meet_children(w, k, k - depth - 1);

    if (depth == 0) {
        meet_dual(w, have, k);
        return;
    }
    send_piece(w, have, k, w->t.parent);
    recv_piece(w, &w->b->in, k - depth, w->t.parent);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    work w;

    if (g->size == 1) {
        if (!in_place(b))
            copy_row(s, b, &b->out, &b->in, 0, b->n);
        return;
    }
    w = find_work(g, b, s);
    sched_rounds(s, true);
    for (int k = 0; k <= b->n + w.t.depth; k++)
        run_round(&w, k);
    sched_rounds(s, false);
}

/* Until the root of a tree of n ranks has the first piece: it waits for its larger child first. */
static int climb(int n)
{
    int rounds = 0;

    for (; n > 2; n = first_size(n))
        rounds += 2;
    return rounds + n - 1;
}

/* Until all of them have it back: the second child gets it last. */
static int descend(int n)
{
    int rounds = 0;

    for (; n > 2; n = n - 1 - first_size(n))
        rounds += 2;
    return rounds + n - 1;
}

static algo_cost cost(int p, int pieces)
{
    int larger = (p + 1) / 2, each = p > 4 ? 3 : p > 2 ? 2 : 1; /* per piece more */
    double rounds = p > 1 ? climb(larger) + 1 + descend(larger) + each * (pieces - 1.0) : 0;

    return (algo_cost){.messages = rounds, .blocks = rounds / pieces, .copies = p < 4 ? 1 : 0};
}

const algo algo_allreduce_dual_root = {
    .name = "dual_root",
    .kind = COLL_allreduce,
    .summary = "pieces up two binary trees, across between their roots, and down, in rank order",
    .steps = "4 log2 p+3 pieces",
    .volume = "3 vectors",
    .restriction = "any; MPI's ops",
    .source = "Traeff, arXiv 2109.12626",
    .parameter = {.name = "pieces", .least = 1, .usual = 16, .most = PIECES_MOST},
    .parts = algo_parts_of_pieces,
    .compile = compile,
    .cost = cost,
};
