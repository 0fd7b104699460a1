/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c - see place.h. */
#include "tune/place.h"

#include <stdlib.h>

/* Does this rank share its node with rank 0? */
static bool is_near(const place *m, int rank)
{
    return !m->t || m->t->nodes == 1 || m->t->node[rank] == m->t->node[0];
}

/* Some ranks of the first node, evenly, the last one among them. Returns how many ranks it has. */
static int sample(const place *m, int who[PLACE_SAMPLES])
{
    int n = 0, i = 0;

    for (int r = 0; r < m->p; r++)
        n += is_near(m, r);
    for (int r = 0, k = 0; k < PLACE_SAMPLES && r < m->p; r++)
        if (is_near(m, r) && i++ == (int)((int64_t)(n - 1) * k / (PLACE_SAMPLES - 1)))
            for (; k < PLACE_SAMPLES && i - 1 == (int)((int64_t)(n - 1) * k / (PLACE_SAMPLES - 1));
                 k++)
                who[k] = r;
    return n;
}

void place_make(place *m, int p, const topo *t, bool alike)
{
    *m = (place){.p = p, .t = t};
    if (alike)
        fold_make(&m->fold, t, p);
    m->near = sample(m, m->sample);
}

void place_free(place *m)
{
    fold_free(&m->fold);
    topo_free(m->made);
    *m = (place){0};
}

/* Is the k-th rank of a node one of as many as there are to be, evenly? */
static bool is_taken(int k, int ranks, int most)
{
    int64_t before = (int64_t)(k - 1) * ranks, here = (int64_t)k * ranks;

    return ranks >= most || k == 0 || here / most > before / most;
}

/* The first nodes of a machine, as many as are asked for, with so many of `most` ranks in them. */
static topo *first_nodes(const topo *t, int nodes, int ranks, int most, int *p)
{
    location *at = calloc((size_t)t->p, sizeof *at);
    int *seen = calloc((size_t)nodes, sizeof *seen);
    const topo_level *inner = topo_inner(t);
    topo *result = NULL;
    int n = 0;

    for (int r = 0; at && seen && r < t->p; r++)
        if (t->node[r] < nodes && is_taken(seen[t->node[r]]++, ranks, most)) {
            at[n].node = 1 + (uint64_t)t->node[r];
            for (int i = 0; i < TOPO_KINDS; i++)
                at[n].inside[i] = -1;
            if (inner)
                at[n].inside[inner->kind] = inner->region[r];
            n++;
        }
    if (n > 0)
        result = topo_make(at, n);
    free(seen);
    free(at);
    *p = n;
    return result;
}

static bool make_part(place *part, const place *whole, int units, bool alike)
{
    bool nodes = whole->t && whole->t->nodes > 1;
    int p = units;
    topo *made = nodes ? first_nodes(whole->t, units, 1, 1, &p) : NULL;

    if (nodes && !made)
        return false;
    place_make(part, p, made, alike);
    part->made = made;
    return true;
}

int place_units(const place *m)
{
    return m->t && m->t->nodes > 1 ? m->t->nodes : m->p;
}

int place_nodes(const place *m)
{
    return m->t ? m->t->nodes : 1;
}

int place_most(const place *m)
{
    int most = 0, *ranks = NULL;

    if (!m->t || m->t->nodes == 1)
        return m->p;
    ranks = calloc((size_t)m->t->nodes, sizeof *ranks);
    for (int r = 0; ranks && r < m->p; r++)
        if (++ranks[m->t->node[r]] > most)
            most = ranks[m->t->node[r]];
    free(ranks);
    return most;
}

bool place_make_smaller(place *part, const place *whole, int nodes, int ranks)
{
    int p = ranks;
    topo *made = NULL;

    if (whole->t && whole->t->nodes > 1 &&
        !(made = first_nodes(whole->t, nodes, ranks, place_most(whole), &p)))
        return false;
    place_make(part, p, made, false);
    part->made = made;
    return true;
}

void place_make_parts(place part[PLACE_PARTS], const place *whole, bool alike)
{
    int units = place_units(whole);
    int least = (int)(64 * (int64_t)units / whole->p), n = (units & (units - 1)) == 0 ? 2 : 3;

    for (int i = 0; i < PLACE_PARTS; i++)
        part[i] = (place){0};
    while (4 * n <= least)
        n *= 2;
    for (int i = 0; i < PLACE_PARTS && n << i < units; i++)
        if (!make_part(&part[i], whole, n << i, alike))
            break;
    if (!part[1].p)
        place_free(&part[0]);
}

/* ---- the nearest machine of equal nodes ---- */

typedef struct sizes {
    int nodes, most, least; /* ranks of a node; `least` but for the smallest one */
    int smallest, largest;  /* nodes */
} sizes;

static sizes sizes_of(const topo *t, const int *ranks)
{
    sizes s = {.nodes = t->nodes};

    for (int i = 1; i < t->nodes; i++) {
        s.smallest = ranks[i] < ranks[s.smallest] ? i : s.smallest;
        s.largest = ranks[i] > ranks[s.largest] ? i : s.largest;
    }
    s.most = s.least = ranks[s.largest];
    for (int i = 0; i < t->nodes; i++)
        if (i != s.smallest && ranks[i] < s.least)
            s.least = ranks[i];
    return s;
}

/* Of nodes that are nearly equal: how many equal ones, of how many ranks. */
static bool make_equal(const sizes *s, int smallest, int p, int *nodes, int *ranks)
{
    *nodes = s->nodes;
    *ranks = s->most;
    if (smallest < s->most - 1 && s->least == s->most) {
        *nodes -= 2 * smallest < s->most;
        return *nodes > 1;
    }
    if (s->nodes * s->most - p > p - s->nodes * (s->most - 1))
        (*ranks)--;
    return smallest >= s->most - 1 && *ranks > 0;
}

typedef enum order { FILLED, DEALT, MIXED } order;

static order order_of(const topo *t, int p)
{
    bool filled = true, dealt = true;

    for (int r = 1; r < p; r++) {
        filled &= t->node[r] >= t->node[r - 1];
        dealt &= t->node[r] == t->node[r - 1] + 1 || t->node[r] == 0;
    }
    return filled ? FILLED : dealt ? DEALT : MIXED;
}

/* inner: of the ranks of one node, in their order, of which every `by`-th is taken; NULL: there are
 * no regions inside. */
static topo *equal_nodes(int nodes, int ranks, order o, const topo_level *inner, const int *of,
                         int by)
{
    location *at = calloc((size_t)nodes * (size_t)ranks, sizeof *at);
    topo *result = NULL;

    for (int r = 0; at && r < nodes * ranks; r++) {
        int node = o == FILLED ? r / ranks : r % nodes, k = o == FILLED ? r % ranks : r / nodes;
        at[r].node = 1 + (uint64_t)node;
        for (int i = 0; i < TOPO_KINDS; i++)
            at[r].inside[i] = -1;
        if (inner)
            at[r].inside[inner->kind] = inner->region[of[k * by]];
    }
    if (at)
        result = topo_make(at, nodes * ranks);
    free(at);
    return result;
}

static void place_equal(place *m, int nodes, int ranks, order o, const topo_level *inner,
                        const int *of, int by, bool alike)
{
    topo *made = equal_nodes(nodes, ranks, o, inner, of, by);

    if (!made)
        return;
    place_make(m, nodes * ranks, made, alike);
    m->made = made;
}

/* How many ranks each node has; and those of the largest one, in their order. */
typedef struct census {
    int *ranks, *of;
    sizes s;
} census;

static bool census_make(census *x, const place *m)
{
    const topo *t = m->t;
    int n = 0;

    *x = (census){0};
    if (!t || t->nodes < 2)
        return false;
    x->ranks = calloc((size_t)t->nodes + (size_t)m->p, sizeof *x->ranks);
    if (!x->ranks)
        return false;
    x->of = x->ranks + t->nodes;
    for (int r = 0; r < m->p; r++)
        x->ranks[t->node[r]]++;
    x->s = sizes_of(t, x->ranks);
    for (int r = 0; r < m->p; r++)
        if (t->node[r] == x->s.largest)
            x->of[n++] = r;
    return true;
}

void place_make_even(place *even, const place *whole)
{
    census x;
    int nodes, ranks, smallest;
    order o;

    *even = (place){0};
    if (!census_make(&x, whole))
        return;
    o = order_of(whole->t, whole->p);
    smallest = x.ranks[x.s.smallest];
    if (o != MIXED && smallest < x.s.most && make_equal(&x.s, smallest, whole->p, &nodes, &ranks))
        place_equal(even, nodes, ranks, o, topo_inner(whole->t), x.of, 1, true);
    free(x.ranks);
}

void place_make_thin(place *thin, const place *whole, bool alike)
{
    census x;
    int ranks;
    order o;

    *thin = (place){0};
    if (!census_make(&x, whole))
        return;
    o = order_of(whole->t, whole->p);
    ranks = PLACE_FEW / x.s.nodes > 2 ? PLACE_FEW / x.s.nodes : 2;
    if (o != MIXED && 2 * ranks <= x.s.most)
        place_equal(thin, x.s.nodes, ranks, o, topo_inner(whole->t), x.of, x.s.most / ranks, alike);
    free(x.ranks);
}
