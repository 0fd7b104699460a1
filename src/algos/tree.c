/* tree.c - see tree.h. */
#include "algos/tree.h"

const char *const tree_names[] = {"binomial", "linear", NULL};

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

static int parent(tree t, int i, int n)
{
    return t == TREE_LINEAR ? 0 : i - reach(i, n);
}

/* for (k = 0; child = ...): children from the nearest to the farthest, or -1. */
static int child(tree t, int i, int n, int k)
{
    if (t == TREE_LINEAR)
        return i == 0 && k + 1 < n ? k + 1 : -1;
    return 1 << k < reach(i, n) && i + (1 << k) < n ? i + (1 << k) : -1;
}

static int children(tree t, int i, int n)
{
    int k = 0;

    while (child(t, i, n, k) >= 0)
        k++;
    return k;
}

void tree_gather(tree t, const group *g, const blockmap *b, sched_builder *s)
{
    int n = g->size, me = g->index;

    for (int k = 0, c; (c = child(t, me, n, k)) >= 0; k++)
        recv_blocks(s, b, c, tree_size(t, c, n), 1, peer(g, c));
    if (me > 0)
        send_blocks(s, b, me, tree_size(t, me, n), 1, peer(g, parent(t, me, n)));
}

/* The largest subtrees first: they take longest. */
void tree_scatter(tree t, const group *g, const blockmap *b, sched_builder *s)
{
    int n = g->size, me = g->index;

    if (me > 0)
        recv_blocks(s, b, me, tree_size(t, me, n), 1, peer(g, parent(t, me, n)));
    for (int k = children(t, me, n) - 1; k >= 0; k--) {
        int c = child(t, me, n, k);
        send_blocks(s, b, c, tree_size(t, c, n), 1, peer(g, c));
    }
}

void tree_broadcast(tree t, const group *g, const blockmap *b, sched_builder *s)
{
    int n = g->size, me = g->index;

    if (me > 0)
        recv_blocks(s, b, 0, b->n, 1, peer(g, parent(t, me, n)));
    for (int k = children(t, me, n) - 1; k >= 0; k--)
        send_blocks(s, b, 0, b->n, 1, peer(g, child(t, me, n, k)));
}
