/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom.c - the table of verdicts, see wisdom.h. */
#include "tune/wisdom.h"

#include "tune/planner.h"
#include "tune/size.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

_Static_assert(sizeof(wisdom_key) == sizeof(coll_kind) + 2 * sizeof(int) + 4 + WISDOM_SHAPE,
               "no padding");

typedef struct entry {
    verdict verdict; /* first: wisdom_next gets it back */
    UT_hash_handle hh;
} entry;

struct wisdom {
    entry *entries;
    uint64_t digest; /* sum of digest_of_verdict of all */
    atomic_int holders;
};

wisdom *wisdom_make(void)
{
    wisdom *w = calloc(1, sizeof *w);

    return w ? wisdom_hold(w) : NULL;
}

wisdom *wisdom_hold(wisdom *w)
{
    atomic_fetch_add(&w->holders, 1);
    return w;
}

void wisdom_free(wisdom *w)
{
    entry *e, *next;

    if (!w || atomic_fetch_sub(&w->holders, 1) > 1)
        return;
    HASH_ITER (hh, w->entries, e, next) {
        HASH_DEL(w->entries, e);
        free(e);
    }
    free(w);
}

/* ---- keys ---- */

/* Do all ranks give MPI_IN_PLACE if one does? So it is where MPI says "at all processes"; a rank of
 * scan and of reduce_scatter may give it alone, and so does the root of the others. */
static bool same_in_place(coll_kind kind)
{
    return coll_shapes[kind].recv != COLL_NONE &&
           (kind == COLL_allreduce ||
            !(coll_has(kind, COLL_REDUCES) || coll_has(kind, COLL_ROOTED)));
}

wisdom_key wisdom_key_of(const coll *c, int64_t bytes, const char *shape)
{
    bool reduces = coll_has(c->kind, COLL_REDUCES);
    wisdom_key k = {.kind = c->kind,
                    .p = c->p,
                    .class = planner_class(c->kind, c->p, bytes),
                    .noncommutative = reduces && c->noncommutative,
                    .user_op = reduces && c->user_op,
                    .in_place = c->in_place && same_in_place(c->kind)};
    size_t n = strlen(shape);

    memcpy(k.shape, shape, n < WISDOM_SHAPE ? n : WISDOM_SHAPE - 1);
    return k;
}

wisdom_key wisdom_server_key(const wisdom_key *key)
{
    wisdom_key k = *key;

    k.server = true;
    k.class -= k.class % 4;
    return k;
}

int64_t wisdom_bytes(const wisdom_key *key)
{
    int64_t all, least = size_least(key->class);

    if (coll_is_vector(key->kind))
        return least;
    return __builtin_mul_overflow(least, key->p, &all) ? INT64_MAX : all;
}

/* ---- what can be right ---- */

/* Words of letters, digits and the marks of wisdom_shape, one blank between them: what a line of
 * text holds as it is. */
static bool is_shape(const char *text)
{
    static const char marks[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                ":,*-@~._ ";

    return *text && !text[strspn(text, marks)] && !strstr(text, "  ");
}

static const char *wrong(const verdict *v)
{
    const wisdom_key *k = &v->key;

    if (k->in_place && !same_in_place(k->kind))
        return "not all ranks know that it is in place";
    if (!is_shape(k->shape))
        return "not a shape";
    if ((v->ns == 0) != (v->starts == 0))
        return "not a time and a number of starts";
    if (k->server)
        return NULL;
    return algo_refuses(algo_table[v->choice.algo], &(coll){.kind = k->kind,
                                                            .p = k->p,
                                                            .noncommutative = k->noncommutative,
                                                            .user_op = k->user_op});
}

/* ---- the table ---- */

size_t wisdom_count(const wisdom *w)
{
    return HASH_COUNT(w->entries);
}

const verdict *wisdom_find(const wisdom *w, const wisdom_key *key)
{
    entry *e;

    HASH_FIND(hh, w->entries, key, sizeof *key, e);
    return e ? &e->verdict : NULL;
}

/* A digest of what must be the same on all ranks. It is mixed, because the digests of all verdicts
 * are added up: without that, verdicts that had swapped their choices would have nearly the same
 * sum. */
static uint64_t digest_of_verdict(const verdict *v)
{
    const choice *c = &v->choice;
    const int chosen[] = {c->algo,    (int)c->form,  c->parameter,
                          c->variant, (int)c->order, v->native};
    uint64_t hash = wisdom_hash(WISDOM_HASH, &v->key, sizeof v->key);

    hash = wisdom_hash(hash, chosen, sizeof chosen);
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
    return (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
}

uint32_t wisdom_digest_of(const wisdom *w)
{
    return wisdom_digest(w->digest);
}

/* With no digest yet. NULL: out of memory. */
static entry *insert_verdict(wisdom *w, const wisdom_key *key)
{
    entry *e = malloc(sizeof *e);

    if (!e)
        return NULL;
    e->verdict.key = *key;
    HASH_ADD(hh, w->entries, verdict.key, sizeof *key, e);
    if (e->hh.tbl)
        return e;
    free(e);
    return NULL;
}

const char *wisdom_add(wisdom *w, const verdict *v)
{
    const char *why = wrong(v);
    entry *e;

    if (why)
        return why;
    HASH_FIND(hh, w->entries, &v->key, sizeof v->key, e);
    if (e)
        w->digest -= digest_of_verdict(&e->verdict);
    else if (!(e = insert_verdict(w, &v->key)))
        return "out of memory";
    e->verdict = *v;
    w->digest += digest_of_verdict(v);
    return NULL;
}

bool wisdom_merge(wisdom *w, const wisdom *later)
{
    for (const verdict *v = NULL; (v = wisdom_next(later, v));)
        if (wisdom_add(w, v))
            return false;
    return true;
}

/* ---- in order ---- */

static uint64_t first_part(const wisdom_key *k)
{
    return (uint64_t)k->kind << 32 | (unsigned)k->p;
}

static int last_part(const wisdom_key *k)
{
    return (8 * k->noncommutative + 4 * k->user_op + 2 * k->in_place + k->server) * SIZE_CLASSES +
           k->class;
}

static int compare_entries(const entry *left, const entry *right)
{
    const wisdom_key *a = &left->verdict.key, *b = &right->verdict.key;
    int order;

    if (first_part(a) != first_part(b))
        return first_part(a) < first_part(b) ? -1 : 1;
    order = strcmp(a->shape, b->shape);
    return order ? order : last_part(a) - last_part(b);
}

void wisdom_sort(wisdom *w)
{
    HASH_SORT(w->entries, compare_entries);
}

const verdict *wisdom_next(const wisdom *w, const verdict *before)
{
    const entry *e = (const void *)before;

    e = e ? e->hh.next : w->entries;
    return e ? &e->verdict : NULL;
}

/* ---- a hash ---- */

uint64_t wisdom_hash(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}
