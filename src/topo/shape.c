/* SPDX-License-Identifier: BSD-3-Clause */
/* shape.c - see shape.h. */
#include "topo/shape.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZES = 64, MAX_LINE = 1024 };

/* One word of a shape: `node:4,2@cyclic`. */
typedef struct part {
    int n, size[MAX_SIZES]; /* n == 0: not given */
    bool cyclic;
} part;

typedef struct shape {
    part of[TOPO_KINDS];
} shape;

typedef struct complaint {
    char *text;
    size_t size;
} complaint;

__attribute__((format(printf, 2, 3))) static bool wrong(const complaint *c, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(c->text, c->size, format, list);
    va_end(list);
    return false;
}

/* FNV-1a, 64 bits. */
uint64_t shape_identity(const char *name)
{
    uint64_t hash = 14695981039346656037u;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash ? hash : 1;
}

/* ---- parse ---- */

/* "4", "4,2,1" */
static bool parse_sizes(const char *word, char *text, topo_kind kind, part *to,
                        const complaint *why)
{
    char *at = text;

    do {
        char *end;
        long n = strtol(at, &end, 10);

        if (end == at || n < 1 || n > INT_MAX || (*end && *end != ','))
            return wrong(why, "%.64s: the size must be a number from 1 on, or several: 4,2,1",
                         word);
        if (to->n == MAX_SIZES)
            return wrong(why, "%.64s: more than %d sizes", word, MAX_SIZES);
        to->size[to->n++] = (int)n;
        at = *end ? end + 1 : NULL;
    } while (at);
    if (to->n > 1 && kind != TOPO_NODE)
        return wrong(why, "%.64s: only nodes may be of several sizes", word);
    return true;
}

static bool parse_shape_word(char *word, int *last, shape *to, const complaint *why)
{
    char whole[MAX_LINE], *sizes = strchr(word, ':'), *order = strchr(word, '@');
    int kind;

    snprintf(whole, sizeof whole, "%s", word);
    if (order)
        *order++ = '\0';
    if (!sizes)
        return wrong(why, "%.64s: a word must be a level and a size, such as node:4", whole);
    *sizes++ = '\0';
    kind = topo_kind_find(word);
    if (kind == TOPO_KINDS)
        return wrong(why, "%.64s: no such level; there are switch, node, package, numa, l3, core",
                     whole);
    if (kind <= *last)
        return wrong(why, "%.64s: levels go from coarse to fine, each once", whole);
    if (order && (strcmp(order, "cyclic") != 0 || kind == TOPO_SWITCH))
        return wrong(why, "%.64s: only @cyclic may follow, and not after a switch", whole);
    *last = kind;
    to->of[kind].cyclic = order != NULL;
    return parse_sizes(whole, sizes, (topo_kind)kind, &to->of[kind], why);
}

static bool parse_shape(const char *text, shape *to, const complaint *why)
{
    char copy[MAX_LINE], *state = NULL;
    int last = -1;

    if (strlen(text) >= sizeof copy)
        return wrong(why, "the shape is too long");
    strcpy(copy, text);
    for (char *w = strtok_r(copy, " \t\n", &state); w; w = strtok_r(NULL, " \t\n", &state))
        if (!parse_shape_word(w, &last, to, why))
            return false;
    if (last < 0)
        return wrong(why, "empty");
    if (to->of[TOPO_SWITCH].n && !to->of[TOPO_NODE].n)
        return wrong(why, "switch: nodes must follow");
    return true;
}

/* ---- locations of ranks ---- */

static int node_size(const shape *s, int node, int p)
{
    const part *n = &s->of[TOPO_NODE];

    return n->n ? n->size[node % n->n] : p;
}

/* The parts of its node that a rank is in: index among the node's ranks -> package, and so on. */
static void place_inside(const shape *s, int index, int size, location *at)
{
    for (int kind = TOPO_PACKAGE; kind < TOPO_KINDS; kind++) {
        const part *d = &s->of[kind];
        int parts = d->n ? d->size[0] : 1, each = size / parts + (size % parts != 0);

        at->inside[kind] = d->n == 0 ? -1 : d->cyclic ? index % parts : index / each;
        index = d->cyclic ? index / parts : index % each;
        size = each;
    }
}

static void place_rank(const shape *s, int node, int index, int p, location *at)
{
    const part *switches = &s->of[TOPO_SWITCH];

    memset(at, 0, sizeof *at);
    snprintf(at->host, sizeof at->host, "node%d", node);
    at->node = shape_identity(at->host);
    if (switches->n)
        at->switches[0] = (uint64_t)(node / switches->size[0]) + 1;
    place_inside(s, index, node_size(s, node, p), at);
}

static void place_blocks(const shape *s, int p, location *at)
{
    int node = 0, index = 0;

    for (int r = 0; r < p; r++) {
        place_rank(s, node, index, p, &at[r]);
        if (++index == node_size(s, node, p)) {
            node++;
            index = 0;
        }
    }
}

/* Deal to as many nodes as the ranks fill; one that is full is left out. */
static void place_cyclic(const shape *s, int p, location *at)
{
    int nodes = 0, round = 0;

    for (int64_t room = 0; room < p; nodes++)
        room += node_size(s, nodes, p);
    for (int r = 0, node = 0; r < p; node++) {
        if (node == nodes) {
            node = 0;
            round++;
        }
        if (round < node_size(s, node, p))
            place_rank(s, node, round, p, &at[r++]);
    }
}

/* ---- a file ---- */

/* "n07 0 1": node and package by name, inside what is before them. */
static bool parse_line(char *line, int number, location *at, const complaint *why)
{
    char *state = NULL, *word = strtok_r(line, " \t\r\n", &state);

    memset(at, 0, sizeof *at);
    if (!word)
        return wrong(why, "line %d: empty; it must name the node of rank %d", number, number - 1);
    if (strlen(word) >= sizeof at->host)
        return wrong(why, "line %d: the name of a node has at most %d characters", number,
                     TOPO_HOST - 1);
    strcpy(at->host, word);
    at->node = shape_identity(word);
    for (int kind = TOPO_PACKAGE; kind < TOPO_KINDS; kind++) {
        word = word ? strtok_r(NULL, " \t\r\n", &state) : NULL;
        at->inside[kind] = word ? (int32_t)(shape_identity(word) & INT32_MAX) : -1;
    }
    if (word && strtok_r(NULL, " \t\r\n", &state))
        return wrong(why, "line %d: more than node, package, NUMA node, L3 and core", number);
    return true;
}

static bool read_location_file(const char *name, int p, location *at, const complaint *why)
{
    FILE *file = fopen(name, "r");
    char line[MAX_LINE];
    int n = 0;
    bool good = true;

    if (!file)
        return wrong(why, "neither a shape such as node:4 nor a file that can be read: %s",
                     strerror(errno));
    while (good && n < p && fgets(line, sizeof line, file)) {
        good = strchr(line, '\n') || feof(file)
                   ? parse_line(line, n + 1, &at[n], why)
                   : wrong(why, "line %d: too long, or not text", n + 1);
        n++;
    }
    if (ferror(file))
        good = wrong(why, "neither a shape such as node:4 nor a file that can be read: %s",
                     strerror(errno));
    fclose(file);
    if (good && n < p)
        return wrong(why, "the file has %d lines, for %d ranks", n, p);
    return good;
}

bool shape_locations(const char *text, int p, location *at, char *why, size_t size)
{
    complaint to = {why, size};
    shape s = {0};

    if (strchr(text, '/') || (!strchr(text, ':') && strcmp(text, "none") != 0))
        return read_location_file(text, p, at, &to);
    if (strcmp(text, "none") != 0 && !parse_shape(text, &s, &to))
        return false;
    if (s.of[TOPO_NODE].cyclic)
        place_cyclic(&s, p, at);
    else
        place_blocks(&s, p, at);
    return true;
}
