/* SPDX-License-Identifier: BSD-3-Clause */
/* reorder.c - the messages of each pattern, the heuristic for it, and whether its order is better
 * than what was. Which free rank is the closest is found by rank_pool.c. See reorder.h.
 */
#include "topo/reorder.h"

#include "topo/orders.h"
#include "topo/rank_pool.h"

#include <stdlib.h>
#include <string.h>

/* ---- the messages of a pattern ---- */

static int log2_ceil(int n)
{
    int log = 0;

    while (n > 1 << log)
        log++;
    return log;
}

static int lowest_bit(int i)
{
    return i & -i;
}

/* Members of a binomial subtree. */
static int subtree_size(int i, int n)
{
    return lowest_bit(i) < n - i ? lowest_bit(i) : n - i;
}

/* The blocks that Sparbit sends over distance d among n, see allgather_sparbit.c. */
static int64_t sparbit_blocks(int n, int distance)
{
    int last = lowest_bit(n), data = 1;
    unsigned ignore_steps = (~((unsigned)n / (unsigned)last) | 1) * (unsigned)last;

    for (int d = (1 << log2_ceil(n)) / 2; d > distance; d /= 2)
        data = 2 * data - (((unsigned)d & ignore_steps) != 0);
    return data - (((unsigned)distance & ignore_steps) != 0);
}

static bool tree_message(reorder_pattern pattern, int n, int64_t k, int *from, int *to,
                         int64_t *blocks)
{
    int child = (int)k + 1, parent = child - lowest_bit(child);

    if (child >= n)
        return false;
    *from = pattern == REORDER_GATHER ? child : parent;
    *to = pattern == REORDER_GATHER ? parent : child;
    *blocks = pattern == REORDER_GATHER ? subtree_size(child, n) : 1;
    return true;
}

bool reorder_message(reorder_pattern pattern, int n, int64_t *k, int *from, int *to,
                     int64_t *blocks)
{
    int64_t number = (*k)++;
    int i = (int)(number % n), d = 1 << number / n;

    if (pattern == REORDER_BROADCAST || pattern == REORDER_GATHER)
        return tree_message(pattern, n, number, from, to, blocks);
    if (d >= n || (pattern == REORDER_RING && d > 1))
        return false;
    *from = i;
    *to = (i + d) % n;
    *blocks = n - 1; /* ring */
    if (pattern == REORDER_DOUBLING) {
        *to = (i ^ d) < n ? i ^ d : i;
        *blocks = d;
    } else if (pattern == REORDER_BRUCK) {
        *to = (i - d + n) % n;
        *blocks = d < n - d ? d : n - d;
    } else if (pattern == REORDER_SPARBIT) {
        *blocks = sparbit_blocks(n, d);
    }
    return true;
}

int64_t reorder_cost(reorder_pattern pattern, const topo *t, const int *order, int n)
{
    int64_t sum = 0, k = 0, blocks;
    int from, to;

    while (reorder_message(pattern, n, &k, &from, &to, &blocks))
        sum += blocks * topo_distance(t, order[from], order[to]);
    return sum;
}

/* ---- the heuristics: which index comes next, and next to which ---- */

typedef struct mapping {
    rank_pool pool;
    int n;
    int *order; /* -1: not yet */
} mapping;

static void map_beside(mapping *m, int index, int reference)
{
    m->order[index] = rank_pool_take(&m->pool, m->order[reference]);
}

static bool is_free(const mapping *m, int index)
{
    return m->order[index] < 0;
}

/* RMH: one after the other. */
static void map_chain(mapping *m)
{
    for (int i = 1; i < m->n; i++)
        map_beside(m, i, i - 1);
}

/* The index at this distance in the pattern: two of them for Bruck, of which a free one. */
static int partner(const mapping *m, reorder_pattern pattern, int reference, int d)
{
    int down;

    if (pattern == REORDER_DOUBLING)
        return reference ^ d;
    down = (reference - d + m->n) % m->n;
    return is_free(m, down) ? down : (reference + d) % m->n;
}

/* RDMH: partners of the last steps first, two for each reference; then the second one is it. One
 * that has none left hands over to the first index that has: only away from powers of two. */
static void map_doubling(mapping *m, reorder_pattern pattern)
{
    int largest = (1 << log2_ceil(m->n)) / 2, reference = 0, mapped = 0, d = largest, stuck = 0;

    for (int left = m->n - 1; left > 0;) {
        while (d > 0 && !is_free(m, partner(m, pattern, reference, d)))
            d /= 2;
        if (d == 0) {
            while (!is_free(m, stuck) && stuck + 1 < m->n)
                stuck++;
            map_beside(m, stuck, reference);
            reference = stuck;
            left--;
            mapped = 0;
            d = largest;
            continue;
        }
        int index = partner(m, pattern, reference, d);
        map_beside(m, index, reference);
        left--;
        if (++mapped == 2) {
            reference = index;
            mapped = 0;
            d = largest;
        }
    }
}

/* BBMH: depth first, children with small subtrees before those with large ones. */
static void map_broadcast(mapping *m, int reference)
{
    for (int d = 1; reference + d < m->n && !(reference & d); d *= 2) {
        map_beside(m, reference + d, reference);
        map_broadcast(m, reference + d);
    }
}

/* BGMH: the heaviest edges of the tree first. */
static void map_gather(mapping *m)
{
    for (int d = (1 << log2_ceil(m->n)) / 2; d > 0; d /= 2)
        for (int reference = 0; reference + d < m->n; reference += 2 * d)
            map_beside(m, reference + d, reference);
}

static void map_pattern(mapping *m, reorder_pattern pattern)
{
    switch (pattern) {
    case REORDER_DOUBLING:
    case REORDER_BRUCK:
        map_doubling(m, pattern);
        break;
    case REORDER_BROADCAST:
        map_broadcast(m, 0);
        break;
    case REORDER_GATHER:
        map_gather(m);
        break;
    default:
        map_chain(m);
    }
}

static void as_given(const int *ranks, int n, int *order)
{
    for (int i = 0; i < n; i++)
        order[i] = ranks ? ranks[i] : i;
}

/* order holds the ranks: of equally close ones the first in this list is taken. */
static bool map_list(reorder_pattern pattern, const topo *t, int n, int *order)
{
    mapping m = {.n = n, .order = order};

    if (n < 3 || (pattern == REORDER_DOUBLING && (n & (n - 1)) != 0))
        return true;
    if (!rank_pool_make(&m.pool, t, order, n))
        return false;
    memset(order + 1, -1, ((size_t)n - 1) * sizeof *order);
    map_pattern(&m, pattern);
    rank_pool_free(&m.pool);
    return true;
}

bool reorder_always(reorder_pattern pattern, const topo *t, const int *ranks, int n, int *order)
{
    as_given(ranks, n, order);
    return map_list(pattern, t, n, order);
}

/* A rank and how many of its region come before it. */
typedef struct turn {
    int before, index, rank;
} turn;

static int compare_turns(const void *left, const void *right)
{
    const turn *a = left, *b = right;

    if (a->before != b->before)
        return a->before < b->before ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Sort the list so that it takes one rank of each node in turn; or region of the coarsest level. */
static bool deal(const topo *t, int n, int *list)
{
    const topo_level *l = &t->level[topo_regions(t) % t->nlevels];
    const int *region = l->region;
    int *count = calloc((size_t)l->n, sizeof *count);
    turn *turns = malloc((size_t)n * sizeof *turns);

    bool made = count && turns;

    for (int i = 0; made && i < n; i++)
        turns[i] = (turn){count[region[list[i]]]++, i, list[i]};
    if (made) {
        qsort(turns, (size_t)n, sizeof *turns, compare_turns);
        for (int i = 0; i < n; i++)
            list[i] = turns[i].rank;
    }
    free(turns);
    free(count);
    return made;
}

/* BGMH leaves to chance which of equally far ranks is taken. One in a region that has not been used
 * yet keeps room around it for its subtree: if that is better, it is the order. */
static bool try_dealt(const topo *t, const int *ranks, int n, int *order)
{
    int *dealt = malloc((size_t)n * sizeof *dealt);
    bool done = dealt != NULL;

    if (done) {
        as_given(ranks, n, dealt);
        done = deal(t, n, dealt) && map_list(REORDER_GATHER, t, n, dealt);
    }
    if (done &&
        reorder_cost(REORDER_GATHER, t, dealt, n) < reorder_cost(REORDER_GATHER, t, order, n))
        memcpy(order, dealt, (size_t)n * sizeof *order);
    free(dealt);
    return done;
}

/* order: as given. */
static bool find_order(reorder_pattern pattern, const topo *t, const int *ranks, int n, int *order)
{
    int64_t before = reorder_cost(pattern, t, order, n);

    if (!reorder_always(pattern, t, ranks, n, order))
        return false;
    if (pattern == REORDER_GATHER && !try_dealt(t, ranks, n, order))
        return false;
    if (reorder_cost(pattern, t, order, n) >= before)
        as_given(ranks, n, order);
    return true;
}

/* Are all as far from each other? In one region of the finest level, or each in another one of the
 * coarsest, which are numbered as their first ranks are. */
static bool are_equidistant(const topo *t, const int *order, int n)
{
    const int *coarse = t->level[0].region, *fine = t->level[t->nlevels - 1].region;
    bool together = true, apart = true;

    for (int i = 1; i < n && (together || apart); i++) {
        together &= fine[order[i]] == fine[order[0]];
        apart &= coarse[order[i]] > coarse[order[i - 1]];
    }
    return together || apart;
}

bool reorder_ranks(reorder_pattern pattern, const topo *t, const int *ranks, int n, int *order)
{
    as_given(ranks, n, order);
    if (!t || t->nlevels == 0 || n < 3 || are_equidistant(t, order, n) ||
        orders_find(t->orders, pattern, ranks, n, order))
        return true;
    return find_order(pattern, t, ranks, n, order) &&
           orders_keep(t->orders, pattern, ranks, n, order);
}
