/* SPDX-License-Identifier: BSD-3-Clause */
/* decision_tables.c - see decision_tables.h. */
#include "api/decision_tables.h"

#include "nbc/process/process.h"

#include <stdlib.h>
#include <string.h>
/* uthash's own would look at each byte, and mostly nothing is forbidden. */
#define HASH_FUNCTION(call, length, hash) (hash) = hash_of(call)
#define HASH_NONFATAL_OOM                 1
#include <uthash.h>
#include <utlist.h>

typedef struct entry {
    UT_hash_handle hh;
    decision_call call;
    decided decided;
} entry;

static unsigned hash_of(const decision_call *call)
{
    uint64_t h = call->key;

    for (size_t i = 0; i < sizeof call->without.word / sizeof *call->without.word; i++)
        h = (h ^ call->without.word[i]) * 0x9e3779b97f4a7c15;
    return (unsigned)(h >> 32);
}

/* What decisions depend on, as numbers. */
typedef struct outline {
    size_t n;
    int32_t word[];
} outline;

typedef struct table {
    uint64_t number; /* comm.decisions of those that use it */
    outline *outline;
    entry *entries;
    struct table *prev, *next;
} table;

static table *tables; /* most recently used first. Library lock, as all here */
static int ntables;
static size_t bytes; /* of all outlines */
static uint64_t made;

static size_t outline_bytes(const outline *o)
{
    return sizeof *o + o->n * sizeof *o->word;
}

static void add_level(const topo_level *l, int p, int32_t **at)
{
    *(*at)++ = (int32_t)l->kind;
    *(*at)++ = l->height;
    *(*at)++ = l->distance;
    memcpy(*at, l->region, (size_t)p * sizeof **at);
    *at += p;
}

/* NULL: out of memory. Wisdom counts only where all ranks have the same. */
static outline *outline_of(const comm *c)
{
    const topo *t = c->topo;
    uint16_t machine[CONSTANTS_PACKED];
    size_t n = 5 + CONSTANTS_PACKED + (size_t)t->nlevels * (3 + (size_t)c->p);
    outline *o = malloc(sizeof *o + n * sizeof *o->word);
    int32_t *at;

    if (!o)
        return NULL;
    o->n = n;
    at = o->word;
    *at++ = c->p;
    *at++ = t->far;
    *at++ = t->nlevels;
    *at++ = c->knows_alike;
    *at++ = c->knows_alike ? (int32_t)wisdom_digest_of(c->knows) : 0;
    constants_pack(&c->machine, machine);
    for (int i = 0; i < CONSTANTS_PACKED; i++)
        *at++ = machine[i];
    for (int i = 0; i < t->nlevels; i++)
        add_level(&t->level[i], c->p, &at);
    return o;
}

static void clear(table *t)
{
    entry *e, *next;

    HASH_ITER (hh, t->entries, e, next) {
        HASH_DEL(t->entries, e);
        free(e);
    }
}

static void drop(table *t)
{
    DL_DELETE(tables, t);
    ntables--;
    bytes -= outline_bytes(t->outline);
    clear(t);
    free(t->outline);
    free(t);
}

static table *find_number(uint64_t number)
{
    table *t;

    DL_FOREACH (tables, t) {
        if (t->number == number)
            break;
    }
    return t;
}

static table *find_outline(const outline *o)
{
    table *t;

    DL_FOREACH (tables, t) {
        if (t->outline->n == o->n && memcmp(t->outline->word, o->word, o->n * sizeof *o->word) == 0)
            break;
    }
    return t;
}

/* Takes the outline over. */
static table *make(outline *o)
{
    table *t = calloc(1, sizeof *t);

    if (!t) {
        free(o);
        return NULL;
    }
    *t = (table){.number = ++made, .outline = o};
    DL_PREPEND(tables, t);
    ntables++;
    bytes += outline_bytes(o);
    while (ntables > TABLES || (bytes > TABLES_BYTES && ntables > 1))
        drop(tables->prev); /* the last one */
    return t;
}

/* That of the communicator, the first in the list from now on. NULL: out of memory, or its ranks
 * could not tell each other where they are, and all calls fail. */
static table *table_of(comm *c)
{
    table *t = c->decisions ? find_number(c->decisions) : NULL;
    outline *o = t || !c->topo ? NULL : outline_of(c);

    if (o)
        t = find_outline(o);
    if (t) {
        free(o);
        DL_DELETE(tables, t);
        DL_PREPEND(tables, t);
    } else if (o) {
        t = make(o);
    }
    c->decisions = t ? t->number : 0;
    return t;
}

bool decision_tables_find(comm *c, const decision_call *call, decided *result)
{
    entry *e = NULL;

    process_lock();
    table *t = table_of(c);
    if (t)
        HASH_FIND(hh, t->entries, call, sizeof *call, e);
    if (e)
        *result = e->decided;
    process_unlock();
    return e != NULL;
}

/* Two threads may both have found it; what was tried may have been tried again. */
void decision_tables_keep(comm *c, const decision_call *call, const decided *result)
{
    entry *e = malloc(sizeof *e), *known = NULL;

    if (!e)
        return;
    e->call = *call;
    e->decided = *result;
    process_lock();
    table *t = table_of(c);
    if (t)
        HASH_FIND(hh, t->entries, call, sizeof *call, known);
    if (known)
        known->decided = *result;
    if (t && !known && HASH_COUNT(t->entries) >= TABLE_CALLS)
        clear(t);
    if (t && !known)
        HASH_ADD(hh, t->entries, call, sizeof e->call, e);
    bool kept = t && !known && e->hh.tbl;
    process_unlock();
    if (!kept)
        free(e);
}

void decision_tables_leave(comm *c)
{
    process_lock();
    c->decisions = 0;
    process_unlock();
}
