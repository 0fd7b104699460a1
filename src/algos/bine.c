/* SPDX-License-Identifier: BSD-3-Clause */
/* bine.c - see bine.h. */
#include "algos/bine.h"

#include "algos/algo.h"

const char *bine_inapplicable(int p)
{
    return p & (p - 1) ? "bine needs a power of two of ranks" : NULL;
}

int bine_partner(int i, int k, int n)
{
    int d = 1;

    for (; k > 0; k--)
        d = 1 - 2 * d;
    return wrap(i % 2 ? i - d : i + d, n);
}

/* The digits of x in base -2, the lowest in bit 0: adding what the odd ones stand for makes them
 * positive. */
static unsigned negabinary(int x)
{
    const unsigned odd = 0xaaaaaaaa;

    return ((unsigned)x + odd) ^ odd;
}

/* A block that has been sent in some rounds has moved by an alternating sum of their distances: the
 * digits from one of them to the next. So a digit differs from the one above it where it was sent
 * in that round, and the first round is the lowest digit. */
int bine_number(int i, int n)
{
    unsigned digits = negabinary(i % 2 ? i : -i) & (unsigned)(n - 1), sent = digits ^ digits >> 1;
    int number = 0;

    for (int bit = 1; bit < n; bit *= 2, sent /= 2)
        number = 2 * number + (int)(sent % 2);
    return number;
}

/* A member takes part from the first round on in which its digits up to that one are all the same;
 * then it receives. Distances fall. */
void bine_broadcast(const group *g, const blockmap *b, sched_builder *s)
{
    int me = g->index;
    bool has = me == 0;

    for (int k = ceil_log2(g->size) - 1; k >= 0; k--) {
        unsigned all = (2U << k) - 1, digits = negabinary(me) & all;
        int with = peer(g, bine_partner(me, k, g->size));

        if (has) {
            send_blocks(s, b, 0, b->n, 1, with);
        } else if (digits == 0 || digits == all) {
            recv_blocks(s, b, 0, b->n, 1, with);
            has = true;
        }
    }
}

butterfly bine_butterfly(const group *g)
{
    butterfly f = {.rounds = ceil_log2(g->size), .at = bine_number(g->index, g->size)};

    for (int k = 0; k < f.rounds; k++)
        f.with[k] = bine_partner(g->index, k, g->size);
    return f;
}

blockmap bine_items(const blockmap *b, sched_builder *s)
{
    int *item = sched_borrow(s, (size_t)b->n * sizeof *item);
    itemlist t = items_begin(b, b->n, s);

    for (int i = 0; item && i < b->n; i++)
        item[bine_number(i, b->n)] = i;
    for (int i = 0; item && i < b->n; i++) {
        items_add(&t, b, item[i]);
        items_next(&t);
    }
    if (!item)
        t.map.list = NULL;
    return t.map;
}
