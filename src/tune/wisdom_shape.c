/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_shape.c - the shape of a machine in one line, see wisdom.h. */
#include "tune/wisdom.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Keeps the beginning, and the hash and length of all. */
typedef struct writer {
    char text[WISDOM_SHAPE];
    size_t n;
    uint64_t hash;
} writer;

static void put_word(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_word(writer *w, const char *format, ...)
{
    char word[48];
    va_list args;
    size_t n;

    va_start(args, format);
    n = (size_t)vsnprintf(word, sizeof word, format, args);
    va_end(args);
    w->hash = wisdom_hash(w->hash, word, n);
    if (w->n < WISDOM_SHAPE)
        snprintf(w->text + w->n, WISDOM_SHAPE - w->n, "%s", word);
    w->n += n;
}

static void put_level_name(writer *w, const topo_level *l)
{
    static const char *const names[TOPO_KINDS] = {"switch", "node", "package",
                                                  "numa",   "l3",   "core"};

    put_word(w, "%s%s", w->n ? " " : "", names[l->kind]);
    if (l->kind == TOPO_SWITCH && l->height > 0)
        put_word(w, "%d", l->height);
    put_word(w, ":");
}

/* The k-th rank in the order of the level before; NULL: there is none. */
static int rank_at(const topo_level *before, int k)
{
    return before ? topo_member(before, k) : k;
}

static int size_of_region(const topo_level *l, int region)
{
    return l->first[region + 1] - l->first[region];
}

static bool is_first(const topo_level *l, int rank)
{
    return topo_member(l, l->first[l->region[rank]]) == rank;
}

static void put_repeated(writer *w, int size, int times, bool more)
{
    put_word(w, times > 1 ? "%d*%d" : "%d", size, times);
    if (more)
        put_word(w, ",");
}

/* Regions of one size after each other as size*times; if all are equal, just that. */
static void put_sizes(writer *w, const topo_level *l, const topo_level *before, int p)
{
    int size = 0, times = 0;

    if (l->least == l->most) {
        put_word(w, "%d", l->most);
        return;
    }
    for (int k = 0; k < p; k++) {
        int rank = rank_at(before, k), next = size_of_region(l, l->region[rank]);
        if (!is_first(l, rank))
            continue;
        if (times > 0 && next != size) {
            put_repeated(w, size, times, true);
            times = 0;
        }
        size = next;
        times++;
    }
    put_repeated(w, size, times, false);
}

/* Number of a rank in its region. Members ascend. */
static int index_in(const topo_level *l, int rank)
{
    int low = l->first[l->region[rank]], begin = low, high = l->first[l->region[rank] + 1];

    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (topo_member(l, middle) <= rank)
            low = middle;
        else
            high = middle;
    }
    return low - begin;
}

/* One region after the other: where another one begins, it is new. */
static bool is_blocked(const topo_level *l, const topo_level *before, int p)
{
    for (int k = 1; k < p; k++) {
        int rank = rank_at(before, k);
        if (l->region[rank] != l->region[rank_at(before, k - 1)] && !is_first(l, rank))
            return false;
    }
    return true;
}

/* Inside each region before, the first ranks of its parts, then the second ones, ... */
static bool is_cyclic(const topo_level *l, const topo_level *before, int p)
{
    for (int k = 1; k < p; k++) {
        int a = rank_at(before, k - 1), b = rank_at(before, k);
        int round = index_in(l, b) - index_in(l, a);
        if (before && before->region[a] != before->region[b])
            continue;
        if (round < 0 || (round == 0 && l->region[a] > l->region[b]))
            return false;
    }
    return true;
}

static void put_order(writer *w, const topo_level *l, const topo_level *before, int p)
{
    if (is_blocked(l, before, p))
        return;
    if (is_cyclic(l, before, p))
        put_word(w, "@cyclic");
    else
        put_word(w, "@%08x",
                 wisdom_digest(wisdom_hash(WISDOM_HASH, l->region, (size_t)p * sizeof *l->region)));
}

static void put_short(const topo *t, uint64_t hash, char *text, size_t size)
{
    writer w = {.n = 0};
    enum { KEPT = WISDOM_SHAPE - 1 - 18 };

    for (int i = 0; i < t->nlevels; i++) {
        put_level_name(&w, &t->level[i]);
        put_word(&w, "%d-%d", t->level[i].least, t->level[i].most);
    }
    w.n = w.n < KEPT ? w.n : KEPT;
    while (w.text[w.n - 1] == ' ') /* one blank only, if it was cut after one */
        w.n--;
    snprintf(text, size, "%.*s ~%016llx", (int)w.n, w.text, (unsigned long long)hash);
}

void wisdom_shape(const topo *t, char *text, size_t size)
{
    writer w = {.hash = WISDOM_HASH};
    const topo_level *before = NULL, *l;

    for (int i = 0; t && i < t->nlevels; i++, before = l) {
        l = &t->level[i];
        put_level_name(&w, l);
        put_sizes(&w, l, before, t->p);
        put_order(&w, l, before, t->p);
    }
    if (w.n == 0)
        snprintf(text, size, "one-place");
    else if (w.n < WISDOM_SHAPE)
        snprintf(text, size, "%s", w.text);
    else
        put_short(t, w.hash, text, size);
}
