/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_pool.c - see rank_pool.h.
 *
 * Distances come from nested regions, so all ranks of the smallest region around a rank that has a
 * free one are equally close to it. Each region keeps its ranks in the order of the list and a
 * pointer to the first that may be free: to find one costs a step per level, and the pointers pass
 * every rank once.
 */
#include "topo/rank_pool.h"

#include <stdlib.h>
#include <string.h>

static int region_at(const rank_pool *q, int level, int rank)
{
    return level < q->levels ? q->t->level[level].region[rank] - q->low[level] : 0;
}

/* How many regions from the first to the last. */
static int span_level(rank_pool *q, int level, int n)
{
    const int *region = level < q->levels ? q->t->level[level].region : NULL;
    int low = region ? region[q->rank[0]] : 0, high = low;

    for (int i = 1; region && i < n; i++) {
        int r = region[q->rank[i]];
        low = r < low ? r : low;
        high = r > high ? r : high;
    }
    q->low[level] = low;
    return high - low + 1;
}

/* The list at one level, in its order. */
static void fill_level(rank_pool *q, int level, int *end, int regions, int n)
{
    int *next = q->next[level];

    memset(end, 0, (size_t)regions * sizeof *end);
    for (int i = 0; i < n; i++)
        end[region_at(q, level, q->rank[i])]++;
    for (int r = 0, sum = 0; r < regions; r++) {
        next[r] = sum;
        sum += end[r];
        end[r] = next[r];
    }
    for (int i = 0; i < n; i++)
        q->member[level][end[region_at(q, level, q->rank[i])]++] = i;
    q->end[level] = end;
}

bool rank_pool_make(rank_pool *q, const topo *t, int *ranks, int n)
{
    size_t regions = 0, members = (size_t)n * ((size_t)t->nlevels + 2);
    int spans[RANK_POOL_LEVELS], *numbers;

    *q = (rank_pool){.t = t, .levels = t->nlevels, .rank = ranks};
    for (int i = 0; i <= q->levels; i++)
        regions += (size_t)(spans[i] = span_level(q, i, n));
    numbers = malloc((2 * regions + members) * sizeof *numbers + (size_t)n * sizeof *q->taken);
    if (!numbers)
        return false;
    q->rank = memcpy(numbers, ranks, (size_t)n * sizeof *ranks);
    numbers += n;
    for (int i = 0; i <= q->levels; i++) {
        q->next[i] = numbers;
        q->member[i] = numbers + 2 * spans[i];
        fill_level(q, i, numbers + spans[i], spans[i], n);
        numbers = q->member[i] + n;
    }
    q->taken = memset(numbers, false, (size_t)n * sizeof *q->taken);
    q->taken[0] = true;
    return true;
}

/* The index of a free rank of the region at this level, or -1. */
static int first_free(rank_pool *q, int level, int region)
{
    int *next = &q->next[level][region];

    while (*next < q->end[level][region] && q->taken[q->member[level][*next]])
        ++*next;
    return *next < q->end[level][region] ? q->member[level][*next] : -1;
}

int rank_pool_take(rank_pool *q, int rank)
{
    int found = -1;

    for (int i = q->levels - 1; i >= 0 && found < 0; i--)
        found = first_free(q, i, region_at(q, i, rank));
    if (found < 0)
        found = first_free(q, q->levels, 0);
    q->taken[found] = true;
    return q->rank[found];
}

void rank_pool_free(rank_pool *q)
{
    free(q->rank);
}
