/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.c - see circulant.h. */
#include "algos/circulant.h"

#include "algos/algo.h"

circulant circulant_make(int p)
{
    circulant c = {.rounds = ceil_log2(p)};

    c.skip[c.rounds] = p;
    for (int k = c.rounds - 1; k >= 0; k--)
        c.skip[k] = (c.skip[k + 1] + 1) / 2;
    return c;
}

/* The index of the last skip in the sum; of rank 0 the number of rounds. */
static int base_block(const circulant *c, int v)
{
    int k = c->rounds;

    while (v > 0)
        if (c->skip[--k] <= v)
            v -= c->skip[k];
    return k;
}

/* Rank v looks for others whose base blocks it is sent, the nearest in round 0. Ranks count on from
 * p, the root, whose skip is p: the ones before it are those of the round before. */
typedef struct search {
    const circulant *c;
    long v, last; /* p + v; the one that was found last */
    int k;        /* the round that one is looked for */
    int *found;   /* [rounds]: base blocks */
    bool taken[CIRCULANT_ROUNDS + 1];
} search;

/* Depth first over sums of skips that begin with `sum` and go on with those up to index e. */
static void search_skips(search *t, long sum, int e)
{
    const int *skip = t->c->skip;

    for (; e >= 0 && t->k < t->c->rounds; e--) {
        long next = sum + skip[e];

        if (t->taken[e] || next > t->v - skip[t->k] || next >= t->last)
            continue;
        if (next <= t->v - skip[t->k + 1])
            search_skips(t, next, e - 1);
        if (t->k == t->c->rounds || sum > t->v - skip[t->k + 1])
            return;
        t->last = next;
        t->taken[e] = true;
        t->found[t->k++] = e;
    }
}

/* Base blocks of others are those of the time before; only the own one, which comes from the root's
 * side, is new. */
static void receives(const circulant *c, int v, int *receive)
{
    int p = c->skip[c->rounds], base = base_block(c, v);
    search t = {.c = c, .v = (long)p + v, .last = 2L * p, .found = receive};

    t.taken[base] = true;
    search_skips(&t, 0, c->rounds);
    for (int k = 0; k < c->rounds; k++)
        receive[k] = receive[k] == c->rounds ? base : receive[k] - c->rounds;
}

void circulant_blocks(const circulant *c, int v, int *receive, int *send)
{
    int p = c->skip[c->rounds], others[CIRCULANT_ROUNDS];

    receives(c, v, receive);
    for (int k = 0; k < c->rounds; k++) {
        receives(c, (int)(((long)v + c->skip[k]) % p), others);
        send[k] = others[k];
    }
}
