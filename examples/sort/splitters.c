/* SPDX-License-Identifier: BSD-3-Clause */
/* splitters.c - see splitters.h. */
#include "splitters.h"

#include <stdlib.h>

enum { WORDS = sizeof(place) / sizeof(uint64_t) };

static int64_t between(int64_t low, int64_t i, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

/* ---- samples ---- */

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static void take_samples(exchange *e, const slice *s)
{
    int n = e->sample_counts[e->rank] / WORDS;

    for (int i = 0; i < n; i++) {
        size_t at = (2 * (size_t)i + 1) * (size_t)s->n / (2 * (size_t)n);
        e->samples[i] = (place){s->keys[at], s->first + at};
    }
}

/* On rank 0. Without any key all buckets begin where they like. */
static void choose_splitters(exchange *e)
{
    int n = (e->sample_displs[e->p - 1] + e->sample_counts[e->p - 1]) / WORDS;

    qsort(e->all_samples, (size_t)n, sizeof *e->all_samples, compare_places);
    e->splitters[0] = (place){0, 0};
    for (int b = 1; b < e->buckets && n > 0; b++)
        e->splitters[b] = e->all_samples[(long long)b * n / e->buckets];
}

/* How many of my keys lie before it. */
static int cut(const slice *s, const place *at)
{
    int less = keys_less(s->keys, s->n, at->key), up_to = keys_up_to(s->keys, s->n, at->key);

    return (int)between(less, (int64_t)(at->position - s->first), up_to);
}

void splitters_sampled(exchange *e, const slice *s, int cuts[])
{
    take_samples(e, s);
    exchange_do(e, SAMPLES);
    if (e->rank == 0)
        choose_splitters(e);
    exchange_do(e, SPLITTERS);
    for (int b = 0; b < e->buckets; b++)
        cuts[b] = cut(s, &e->splitters[b]);
    cuts[e->buckets] = s->n;
}

/* ---- halving ---- */

/* How many keys shall lie before bucket b. */
static uint64_t target(const exchange *e, const slice *s, int b)
{
    return s->total * (uint64_t)b / (uint64_t)e->buckets;
}

static void find_range(exchange *e, const slice *s, key *least, key *greatest)
{
    e->range[0] = key_to_signed(s->n > 0 ? ~s->keys[0] : 0);
    e->range[1] = key_to_signed(s->n > 0 ? s->keys[s->n - 1] : 0);
    exchange_do(e, RANGE);
    *greatest = key_from_signed(e->range[1]);
    *least = s->total > 0 ? ~key_from_signed(e->range[0]) : *greatest;
}

/* all_probes[b]: the least key up to which there are as many as shall lie before bucket b. */
static void find_keys(exchange *e, const slice *s)
{
    key least, greatest, *low = allocated((size_t)e->pieces, 2 * sizeof *low), *high;

    high = low + e->pieces;
    find_range(e, s, &least, &greatest);
    for (int i = 0; i < e->pieces; i++) {
        low[i] = least;
        high[i] = greatest;
    }
    for (key width = greatest - least; width > 0; width /= 2) {
        for (int i = 0; i < e->pieces; i++)
            e->probes[i] = low[i] + (high[i] - low[i]) / 2;
        exchange_do(e, PROBES);
        for (int b = 0; b < e->buckets; b++)
            e->up_to[b] = (uint64_t)keys_up_to(s->keys, s->n, e->all_probes[b]);
        exchange_do(e, RANKS);
        for (int i = 0; i < e->pieces; i++)
            if (e->ranks[i] >= target(e, s, e->rank * e->pieces + i))
                high[i] = e->probes[i];
            else
                low[i] = e->probes[i] + 1;
    }
    for (int i = 0; i < e->pieces; i++)
        e->probes[i] = high[i];
    exchange_do(e, PROBES);
    free(low);
}

/* Of the keys that equal the one found, those of the lowest ranks lie before the bucket. */
void splitters_exact(exchange *e, const slice *s, int cuts[])
{
    find_keys(e, s);
    for (int b = 0; b < e->buckets; b++) {
        cuts[b] = keys_less(s->keys, s->n, e->all_probes[b]);
        e->less[b] = (uint64_t)cuts[b];
        e->equal[b] = (uint64_t)(keys_up_to(s->keys, s->n, e->all_probes[b]) - cuts[b]);
    }
    exchange_start(e, LESS);
    exchange_start(e, EQUAL);
    exchange_finish(e, EQUAL);
    exchange_finish(e, LESS);
    for (int b = 0; b < e->buckets; b++) {
        int64_t wanted = (int64_t)(target(e, s, b) - e->less[b] - e->before[b]);
        cuts[b] += (int)between(0, wanted, (int64_t)e->equal[b]);
    }
    cuts[e->buckets] = s->n;
}
