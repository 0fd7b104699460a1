/* SPDX-License-Identifier: BSD-3-Clause */
/* link.c - see link.h. */
#include "tune/link.h"

enum { FINE = 16, MIB = 20 };

/* Time per MiB of each message, with as many as share the link now. */
static int64_t cost(const tune_link *l)
{
    bool slow = l->back && l->nlong > 0 && l->back->nlong > 0;
    int64_t share = (slow ? l->both : l->shared) * l->n;

    if (share < l->alone)
        share = l->alone;
    return share > 0 ? share : 1; /* a rank that has failed sends constants of no machine */
}

/* Most times are short enough for the processor's own division. */
static void advance_link(tune_link *l, int64_t now)
{
    int64_t passed = now - l->at;

    if (l->n > 0 && passed < (int64_t)1 << (62 - MIB - FINE))
        l->level += ((uint64_t)passed << (MIB + FINE)) / (uint64_t)cost(l);
    else if (l->n > 0)
        l->level += (uint64_t)(((__int128)passed << (MIB + FINE)) / cost(l));
    l->at = now;
}

static void swap(link_flow *a, link_flow *b)
{
    link_flow t = *a;

    *a = *b;
    *b = t;
}

/* One long message more, or less: both directions change with the first and the last. */
static void count_long(tune_link *l, int64_t now, int more)
{
    if (l->back)
        advance_link(l->back, now);
    l->nlong += more;
}

void link_add(tune_link *l, int64_t now, int64_t bytes, int id, bool is_long)
{
    int i = l->n;

    advance_link(l, now);
    if (is_long)
        count_long(l, now, 1);
    l->n++;
    l->bytes += bytes;
    l->flow[i] =
        (link_flow){.until = l->level + ((uint64_t)bytes << FINE), .id = id, .is_long = is_long};
    for (int up; i > 0 && l->flow[i].until < l->flow[up = (i - 1) / 2].until; i = up)
        swap(&l->flow[i], &l->flow[up]);
}

int64_t link_next(const tune_link *l)
{
    uint64_t until = l->flow[0].until, left = until > l->level ? until - l->level : 0;

    return l->at + (int64_t)(((__int128)left * cost(l)) >> (MIB + FINE));
}

int link_end(tune_link *l, int64_t now)
{
    int id = l->flow[0].id, i = 0;

    advance_link(l, now);
    if (l->flow[0].is_long)
        count_long(l, now, -1);
    l->flow[0] = l->flow[--l->n];
    for (int child; (child = 2 * i + 1) < l->n; i = child) {
        child += child + 1 < l->n && l->flow[child + 1].until < l->flow[child].until;
        if (l->flow[i].until <= l->flow[child].until)
            break;
        swap(&l->flow[i], &l->flow[child]);
    }
    return id;
}
