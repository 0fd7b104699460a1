/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_binomial.c - vectors are reduced along a tree.
 *
 *   7 -> 6   5 -> 4   3 -> 2   1 -> 0;   6 -> 4   2 -> 0;   4 -> 0             p = 8, root 0
 *
 * For operations that do not commute, a tree of the ranks from the root on and one of those before
 * it, whose sum comes last. What comes then is the right operand, so what I have is reduced into
 * it, and becomes the sum.
 *
 *   4 -> 3;  5 -> 3;    1 -> 0;  2 -> 0;    0 -> 3                             p = 6, root 3
 *
 * ceil(log2 p) (alpha + n beta), one more for such an operation; up to three vectors of scratch.
 * For small vectors and for operations of the program.
 * Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
 */
#include "algos/algo.h"
#include "algos/tree.h"

/* A tree over members first .. first + n - 1, to the first of them. */
typedef struct branch {
    const group *g;
    const blockmap *b;
    sched_builder *s;
    int first, n, me; /* me: from first on, wrapping around */
    bool is_root;     /* the result is mine */
    blockrow come[2]; /* scratch, in turn */
    blockrow have;    /* the sum of what has come */
} branch;

static branch branch_of(const group *g, const blockmap *b, sched_builder *s, int first, int n)
{
    return (branch){.g = g,
                    .b = b,
                    .s = s,
                    .first = first,
                    .n = n,
                    .me = wrap(g->index - first, g->size),
                    .have = b->out};
}

static int child(const branch *x, int k)
{
    return tree_child(TREE_BINOMIAL, x->me, x->n, k);
}

static void receive_child(const branch *x, int k, const blockrow *to)
{
    recv_row(x->s, x->b, to, 0, x->b->n, peer(x->g, x->first + child(x, k)));
}

static void combine_rows(const branch *x, const blockrow *from, const blockrow *to)
{
    reduce_row(x->s, x->b, from, to, 0, x->b->n);
}

/* In any order: all is added up in one buffer. */
static void add_children(branch *x)
{
    blockrow sum = x->is_root || child(x, 0) < 0 ? x->b->in : scratch_row(x->s, x->b);
    bool begun = x->is_root && in_place(x->b);

    for (int k = 0, spare = 0; child(x, k) >= 0; k++) {
        if (!begun) {
            receive_child(x, k, &sum);
            combine_rows(x, &x->b->out, &sum);
            begun = true;
        } else {
            if (spare < 2)
                x->come[spare] = scratch_row(x->s, x->b);
            receive_child(x, k, &x->come[spare % 2]);
            combine_rows(x, &x->come[spare++ % 2], &sum);
        }
        x->have = sum;
    }
}

/* The k-th of n comes to here: the last one to where the result is to be, unless that still holds
 * what I contribute. */
static blockrow row_for_child(branch *x, int k, int n)
{
    if (x->is_root && k == n - 1 && !(k == 0 && in_place(x->b)))
        return x->b->in;
    if (k < 2)
        x->come[k] = scratch_row(x->s, x->b);
    return x->come[k % 2];
}

/* In the order of the ranks: what comes is the right operand, and its buffer gets the sum. */
static void append_children(branch *x)
{
    int n = tree_children(TREE_BINOMIAL, x->me, x->n);

    for (int k = 0; k < n; k++) {
        blockrow to = row_for_child(x, k, n);
        receive_child(x, k, &to);
        combine_rows(x, &x->have, &to);
        x->have = to;
    }
}

static void send_up(const branch *x, int to)
{
    send_row(x->s, x->b, &x->have, 0, x->b->n, peer(x->g, to));
}

/* The sum of the ranks before the root is the left operand. */
static void prepend(branch *x, int from)
{
    blockrow come = scratch_row(x->s, x->b);

    recv_row(x->s, x->b, &come, 0, x->b->n, peer(x->g, from));
    combine_rows(x, &come, &x->b->in);
}

static void compile_ordered(int root, const group *g, const blockmap *b, sched_builder *s)
{
    bool low = g->index < root;
    branch x = low ? branch_of(g, b, s, 0, root) : branch_of(g, b, s, root, g->size - root);

    x.is_root = g->index == root;
    append_children(&x);
    if (!x.is_root) {
        send_up(&x, x.me > 0 ? x.first + tree_parent(TREE_BINOMIAL, x.me, x.n) : root);
        return;
    }
    if (!same_row(&x.have, &b->in))
        copy_row(s, b, &x.have, &b->in, 0, b->n);
    if (root > 0)
        prepend(&x, 0);
}

static void compile(const algo_options *o, const group *g, const blockmap *b, sched_builder *s)
{
    branch x = branch_of(g, b, s, o->root, g->size);

    if (o->noncommutative) {
        compile_ordered(o->root, g, b, s);
        return;
    }
    x.is_root = x.me == 0;
    add_children(&x);
    if (!x.is_root)
        send_up(&x, x.first + tree_parent(TREE_BINOMIAL, x.me, x.n));
    else if (g->size == 1)
        copy_row(s, b, &b->out, &b->in, 0, b->n);
}

const algo algo_reduce_binomial = {
    .name = "binomial",
    .kind = COLL_reduce,
    .summary = "vectors are reduced along a tree, in the order of the ranks if that matters",
    .steps = "ceil(log2 p)",
    .volume = "log2 p vectors",
    .source = "Thakur et al., IJHPCA 19(1), 2005",
    .compile = compile,
    .cost = cost_tree,
};
