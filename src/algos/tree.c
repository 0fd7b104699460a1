/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - see tree.h. */
#include "algos/tree.h"

const algo *const tree_gathers[] = {&algo_gather_binomial, &algo_gather_linear, NULL};

/* The first distance at which member i has no child: its lowest bit; for the root, beyond n. */
static int reach(int i, int n)
{
    int d = 1;

    while (d < n && !(i & d))
        d *= 2;
    return d;
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

int tree_size(tree t, int i, int n)
{
    if (t == TREE_LINEAR)
        return i == 0 ? n : 1;
    return min(reach(i, n), n - i);
}

int tree_parent(tree t, int i, int n)
{
    if (i == 0)
        return -1;
    return t == TREE_LINEAR ? 0 : i - reach(i, n);
}

int tree_child(tree t, int i, int n, int k)
{
    if (t == TREE_LINEAR)
        return i == 0 && k + 1 < n ? k + 1 : -1;
    return 1 << k < reach(i, n) && i + (1 << k) < n ? i + (1 << k) : -1;
}

int tree_children(tree t, int i, int n)
{
    int k = 0;

    while (tree_child(t, i, n, k) >= 0)
        k++;
    return k;
}

void tree_gather(tree t, const group *g, const blockmap *b, sched_builder *s)
{
    int n = g->size, me = g->index;

    for (int k = 0, c; (c = tree_child(t, me, n, k)) >= 0; k++)
        recv_blocks(s, b, c, tree_size(t, c, n), 1, peer(g, c));
    if (me > 0)
        send_blocks(s, b, me, tree_size(t, me, n), 1, peer(g, tree_parent(t, me, n)));
}

/* The largest subtrees first: they take longest. */
void tree_scatter(tree t, const group *g, const blockmap *b, sched_builder *s)
{
    int n = g->size, me = g->index;

    if (me > 0)
        recv_blocks(s, b, me, tree_size(t, me, n), 1, peer(g, tree_parent(t, me, n)));
    for (int k = tree_children(t, me, n) - 1; k >= 0; k--) {
        int c = tree_child(t, me, n, k);
        send_blocks(s, b, c, tree_size(t, c, n), 1, peer(g, c));
    }
}

void tree_broadcast(tree t, const group *g, const blockmap *b, sched_builder *s)
{
    int n = g->size, me = g->index;

    if (me > 0)
        recv_blocks(s, b, 0, b->n, 1, peer(g, tree_parent(t, me, n)));
    for (int k = tree_children(t, me, n) - 1; k >= 0; k--)
        send_blocks(s, b, 0, b->n, 1, peer(g, tree_child(t, me, n, k)));
}

/* ---- between rows ---- */

/* A member's position in the tree of a root. */
typedef struct tree_position {
    int n, me;  /* members; the root is 0 */
    int item;   /* mine */
    int size;   /* items of my subtree */
    int parent; /* member of the group */
} tree_position;

static tree_position position_in(tree t, const group *g, int root)
{
    tree_position p = {.n = g->size, .me = wrap(g->index - root, g->size)};

    p.item = root + p.me;
    p.size = tree_size(t, p.me, p.n);
    p.parent = root + tree_parent(t, p.me, p.n);
    return p;
}

/* My item in its row, and the others of my subtree in scratch: as one message, or as many as the
 * parent has of it. */
static void subtree(sched_builder *s, step_kind kind, const tree_position *p, const group *g,
                    const blockmap *b, const blockrow *mine, const blockrow *others)
{
    if (sched_form(s) == FORM_BLOCK) {
        void (*each)(sched_builder *, const blockmap *, const blockrow *, int, int, int) =
            kind == STEP_SEND ? send_row : recv_row;
        each(s, b, mine, p->item, 1, peer(g, p->parent));
        each(s, b, others, p->item + 1, p->size - 1, peer(g, p->parent));
        return;
    }
    sched_open(s, kind, peer(g, p->parent));
    add_row(s, b, mine, p->item, 1);
    add_row(s, b, others, p->item + 1, p->size - 1);
    sched_close(s);
}

void tree_collect(tree t, const group *g, int root, const blockmap *b, const blockrow *from,
                  const blockrow *to, sched_builder *s)
{
    tree_position p = position_in(t, g, root);
    blockrow row = p.me == 0 ? *to : scratch_items(s, b, p.item + 1, p.size - 1);

    for (int k = 0, c; (c = tree_child(t, p.me, p.n, k)) >= 0; k++)
        recv_row(s, b, &row, root + c, tree_size(t, c, p.n), peer(g, root + c));
    if (p.me > 0)
        subtree(s, STEP_SEND, &p, g, b, from, &row);
}

void tree_distribute(tree t, const group *g, int root, const blockmap *b, const blockrow *from,
                     const blockrow *to, sched_builder *s)
{
    tree_position p = position_in(t, g, root);
    blockrow row = p.me == 0 ? *from : scratch_items(s, b, p.item + 1, p.size - 1);

    if (p.me > 0)
        subtree(s, STEP_RECV, &p, g, b, to, &row);
    for (int k = tree_children(t, p.me, p.n) - 1; k >= 0; k--) {
        int c = tree_child(t, p.me, p.n, k);
        send_row(s, b, &row, root + c, tree_size(t, c, p.n), peer(g, root + c));
    }
}
