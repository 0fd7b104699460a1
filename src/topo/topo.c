/* SPDX-License-Identifier: BSD-3-Clause */
/* topo.c - see topo.h. O(p log p) per level. */
#include "topo/topo.h"

#include "topo/orders.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[TOPO_KINDS] = {"switch",    "node", "package",
                                              "NUMA node", "L3",   "core"};
static const char *const words[TOPO_KINDS] = {"switch", "node", "package", "numa", "l3", "core"};
static const int distances[TOPO_KINDS] = {10, 5, 4, 3, 2, 1};

const char *topo_kind_name(topo_kind kind)
{
    return names[kind];
}

topo_kind topo_kind_find(const char *word)
{
    int kind = 0;

    while (kind < TOPO_KINDS && strcmp(words[kind], word) != 0)
        kind++;
    return (topo_kind)kind;
}

/* ---- make ---- */

/* What the ranks say. */
typedef struct sayings {
    const char *first;
    size_t stride;
    int p;
} sayings;

static const location *said(const sayings *by, int rank)
{
    return (const void *)(by->first + (size_t)rank * by->stride);
}

/* What a rank is sorted by: the region it is in already, and what distinguishes it inside. */
typedef struct sorted {
    int parent, rank;
    uint64_t key;
} sorted;

static int compare_sorted(const void *left, const void *right)
{
    const sorted *a = left, *b = right;

    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* The identity at one level. A rank with fewer switches above it has its last one there too; one
 * with none at all, its node. */
static uint64_t key_of_location(const location *at, topo_kind kind, int height)
{
    if (kind == TOPO_NODE)
        return at->node;
    if (kind != TOPO_SWITCH)
        return (uint64_t)at->inside[kind];
    while (height > 0 && !at->switches[height])
        height--;
    return at->switches[height] ? at->switches[height] : at->node;
}

/* Number the regions in `region` (any numbers below p) by their lowest ranks. */
static int renumber(int *region, int p, int *number)
{
    int n = 0;

    memset(number, -1, (size_t)p * sizeof *number);
    for (int r = 0; r < p; r++) {
        if (number[region[r]] < 0)
            number[region[r]] = n++;
        region[r] = number[region[r]];
    }
    return n;
}

/* Are all ranks of each region the same? Then nothing has to be sorted. */
static bool are_alike(const sayings *by, topo_kind kind, int height, const int *region, int *first)
{
    bool same = true;

    memset(first, -1, (size_t)by->p * sizeof *first);
    for (int r = 0; same && r < by->p; r++) {
        int *lowest = &first[region[r]];
        if (*lowest < 0)
            *lowest = r;
        same = key_of_location(said(by, r), kind, height) ==
               key_of_location(said(by, *lowest), kind, height);
    }
    return same;
}

/* region[r] becomes the region of rank r at this level, inside its region before. */
static int refine(const sayings *by, topo_kind kind, int height, int *region, sorted *s,
                  int *number)
{
    int n = 0;

    for (int r = 0; r < by->p; r++)
        s[r] = (sorted){region[r], r, key_of_location(said(by, r), kind, height)};
    qsort(s, (size_t)by->p, sizeof *s, compare_sorted);
    for (int i = 0; i < by->p; i++) {
        if (i > 0 && (s[i].parent != s[i - 1].parent || s[i].key != s[i - 1].key))
            n++;
        region[s[i].rank] = n;
    }
    return renumber(region, by->p, number);
}

/* Regions are numbered by their lowest ranks: so they are contiguous if the numbers rise. */
static bool are_contiguous(const int *region, int p)
{
    for (int r = 1; r < p; r++)
        if (region[r] < region[r - 1])
            return false;
    return true;
}

static void fill_members(topo_level *l, const int *region, int p)
{
    for (int r = p - 1; r >= 0;
         r--) /* the end of each range, filled backwards, becomes its start */
        l->member[--l->first[region[r] + 1]] = r;
    for (int i = 0; i < l->n; i++)
        l->first[i] = l->first[i + 1];
    l->first[l->n] = p;
}

static bool level_fill(topo_level *l, const int *region, int p)
{
    size_t n = (size_t)l->n, ranks = (size_t)p;
    bool contiguous = are_contiguous(region, p);

    l->region = malloc(((contiguous ? 1 : 2) * ranks + n + 1) * sizeof *l->region);
    if (!l->region)
        return false;
    l->first = l->region + p;
    l->member = contiguous ? NULL : l->first + l->n + 1;
    memcpy(l->region, region, ranks * sizeof *region);
    memset(l->first, 0, (n + 1) * sizeof *l->first);
    for (int r = 0; r < p; r++)
        l->first[region[r] + 1]++;
    l->least = p;
    l->most = 0;
    for (int i = 0; i < l->n; i++) {
        int size = l->first[i + 1];
        l->least = size < l->least ? size : l->least;
        l->most = size > l->most ? size : l->most;
        l->first[i + 1] += l->first[i];
    }
    if (l->member)
        fill_members(l, region, p);
    return true;
}

/* Does every rank know where it is at this level? */
static bool is_known_level(const sayings *by, topo_kind kind)
{
    for (int r = 0; kind > TOPO_NODE && r < by->p; r++)
        if (said(by, r)->inside[kind] < 0)
            return false;
    return true;
}

/* The partition after one of `before` regions. One that is the same only says, if it is known,
 * that ranks are closer to each other than it seemed. */
static bool add_level(topo *t, const sayings *by, topo_kind kind, int height, int n, int before,
                      const int *region)
{
    int distance = distances[kind] * (height + 1);

    if (n > before) {
        t->level[t->nlevels++] =
            (topo_level){.kind = kind, .height = height, .distance = distance, .n = n};
        return level_fill(&t->level[t->nlevels - 1], region, t->p);
    }
    if (is_known_level(by, kind))
        *(t->nlevels ? &t->level[t->nlevels - 1].distance : &t->far) = distance;
    return true;
}

/* They are the regions of the last level, or all ranks are on one. */
static bool keep_nodes(topo *t, const sayings *by, int n)
{
    t->nodes = n;
    t->host = calloc((size_t)n, sizeof *t->host);
    if (t->nlevels == 0)
        t->zeros = calloc((size_t)t->p, sizeof *t->zeros);
    t->node = t->nlevels ? t->level[t->nlevels - 1].region : t->zeros;
    if (!t->node || !t->host)
        return false;
    for (int r = 0; r < t->p; r++)
        if (!t->host[t->node[r]][0])
            snprintf(t->host[t->node[r]], TOPO_HOST, "%.*s", TOPO_HOST - 1, said(by, r)->host);
    return true;
}

static int switch_levels(const sayings *by)
{
    int n = 0;

    for (int r = 0; r < by->p; r++)
        while (n < TOPO_SWITCHES && said(by, r)->switches[n])
            n++;
    return n;
}

static bool add_levels(topo *t, const sayings *by, int *region, sorted *s, int *number)
{
    int switches = switch_levels(by), before = 1;

    t->far = distances[TOPO_SWITCH] * (switches + 1);
    for (int height = switches; height > -TOPO_KINDS + 1; height--) {
        topo_kind kind = height > 0 ? TOPO_SWITCH : (topo_kind)(TOPO_NODE - height);
        int above = height > 0 ? height - 1 : 0, n = before;

        if (!are_alike(by, kind, above, region, number))
            n = refine(by, kind, above, region, s, number);
        if (!add_level(t, by, kind, above, n, before, region) ||
            (kind == TOPO_NODE && !keep_nodes(t, by, n)))
            return false;
        before = n;
    }
    return true;
}

topo *topo_make_apart(const location *first, size_t stride, int p)
{
    sayings by = {(const char *)first, stride, p};
    topo *t = calloc(1, sizeof *t);
    int *region = calloc((size_t)p * 2, sizeof *region);
    sorted *s = malloc((size_t)p * sizeof *s);
    bool made = false;

    if (t && region && s) {
        t->p = p;
        t->orders = orders_make();
        made = t->orders && add_levels(t, &by, region, s, region + p);
    }
    free(s);
    free(region);
    if (made)
        return t;
    topo_free(t);
    return NULL;
}

topo *topo_make(const location *at, int p)
{
    return topo_make_apart(at, sizeof *at, p);
}

void topo_free(topo *t)
{
    if (!t)
        return;
    for (int i = 0; i < t->nlevels; i++)
        free(t->level[i].region);
    free(t->zeros);
    free(t->host);
    orders_free(t->orders);
    free(t);
}

/* ---- ask ---- */

int topo_regions(const topo *t)
{
    int i = 0;

    while (t && i < t->nlevels && (t->level[i].kind < TOPO_NODE || t->level[i].n == t->p))
        i++;
    return i;
}

int topo_distance(const topo *t, int a, int b)
{
    if (a == b)
        return 0;
    for (int i = t->nlevels - 1; i >= 0; i--)
        if (t->level[i].region[a] == t->level[i].region[b])
            return t->level[i].distance;
    return t->far;
}

const topo_level *topo_inner(const topo *t)
{
    for (int i = 0; t && i < t->nlevels; i++)
        if (t->level[i].kind > TOPO_NODE)
            return &t->level[i];
    return NULL;
}

/* ---- draw ---- */

typedef struct page {
    char *text;
    size_t size, used; /* used: also what did not fit */
} page;

__attribute__((format(printf, 2, 3))) static void say(page *to, const char *format, ...)
{
    size_t left = to->used < to->size ? to->size - to->used : 0;
    va_list list;
    int n;

    va_start(list, format);
    n = vsnprintf(left ? to->text + to->used : NULL, left, format, list);
    va_end(list);
    to->used += n > 0 ? (size_t)n : 0;
}

/* "0-3 8 12-13" */
static void say_ranks(page *to, const topo_level *l, int k, int stop)
{
    for (int end; k < stop; k = end) {
        for (end = k + 1; end < stop && topo_member(l, end) == topo_member(l, end - 1) + 1; end++)
            ;
        say(to, end - k > 1 ? " %d-%d" : " %d", topo_member(l, k), topo_member(l, end - 1));
    }
}

static void draw_region(const topo *t, int level, int region, int depth, page *to)
{
    const topo_level *l = &t->level[level], *finer = l + 1;
    int first = l->first[region], end = l->first[region + 1];

    say(to, "%*s%s %d", 2 * depth, "", names[l->kind], region);
    if (l->kind == TOPO_NODE)
        say(to, " (%s)", t->host[t->node[topo_member(l, first)]]);
    say(to, end - first > 1 ? ": ranks" : ": rank");
    say_ranks(to, l, first, end);
    say(to, "\n");
    for (int i = 0; level + 1 < t->nlevels && finer->n < t->p && i < finer->n; i++)
        if (l->region[topo_member(finer, finer->first[i])] == region)
            draw_region(t, level + 1, i, depth + 1, to);
}

size_t topo_draw(const topo *t, char *text, size_t size)
{
    page to = {text, size, 0};

    say(&to, "%d %s on %d %s", t->p, t->p > 1 ? "ranks" : "rank", t->nodes,
        t->nodes > 1 ? "nodes" : "node");
    if (t->nodes == 1)
        say(&to, " (%s)", t->host[0]);
    for (int i = 0; i < t->nlevels; i++)
        say(&to, "; level %s: %d regions of %d%s%.0d ranks", names[t->level[i].kind], t->level[i].n,
            t->level[i].least, t->level[i].most > t->level[i].least ? " to " : "",
            t->level[i].most > t->level[i].least ? t->level[i].most : 0);
    say(&to, "\n");
    for (int i = 0; t->nlevels && i < t->level[0].n; i++)
        draw_region(t, 0, i, 1, &to);
    return to.used;
}
