/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom.c - the table of verdicts, see wisdom.h. */
#include "tune/wisdom.h"

#include "tune/planner.h"
#include "tune/size.h"

#include <limits.h>
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
    bool sorted;
    uint64_t digest; /* sum of digest_of all */
};

wisdom *wisdom_make(void)
{
    wisdom *w = calloc(1, sizeof *w);

    return w;
}

void wisdom_forget(wisdom *w)
{
    entry *e, *next;

    HASH_ITER (hh, w->entries, e, next) {
        HASH_DEL(w->entries, e);
        free(e);
    }
    w->sorted = false;
    w->digest = 0;
}

void wisdom_free(wisdom *w)
{
    if (w)
        wisdom_forget(w);
    free(w);
}

size_t wisdom_count(const wisdom *w)
{
    return HASH_COUNT(w->entries);
}

uint32_t wisdom_digest_of(const wisdom *w)
{
    return wisdom_digest(w->digest);
}

/* Of what all ranks must know alike. Mixed, because such digests are added up, and what FNV makes
 * of a few bytes nearly adds up, too: verdicts that had swapped their choices would be the same. */
static uint64_t digest_of(const verdict *v)
{
    const choice *c = &v->choice;
    const int chosen[] = {c->algo,    (int)c->form,  c->parameter,
                          c->variant, (int)c->order, v->native};
    uint64_t hash = wisdom_hash(WISDOM_HASH, &v->key, sizeof v->key);

    hash = wisdom_hash(hash, chosen, sizeof chosen);
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
    return (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
}

/* ---- keys ---- */

/* Do all ranks give MPI_IN_PLACE if one does? So it is where MPI says "at all processes"; a rank of
 * scan and of reduce_scatter may give it alone, and so does the root of the others. */
static bool alike_in_place(coll_kind kind)
{
    return coll_shapes[kind].recv != COLL_NONE &&
           (kind == COLL_allreduce ||
            !(coll_has(kind, COLL_REDUCES) || coll_has(kind, COLL_ROOTED)));
}

/* The same key for the same call, whatever is behind the end of the shape. */
static wisdom_key tidy(const wisdom_key *key)
{
    wisdom_key k = *key;
    const char *end = memchr(k.shape, '\0', WISDOM_SHAPE);
    size_t n = end ? (size_t)(end - k.shape) : WISDOM_SHAPE;

    memset(k.shape + n, 0, WISDOM_SHAPE - n);
    return k;
}

wisdom_key wisdom_key_of(const coll *c, int64_t bytes, const char *shape)
{
    bool reduces = coll_has(c->kind, COLL_REDUCES);
    wisdom_key k = {.kind = c->kind,
                    .p = c->p,
                    .class = planner_class(c->kind, c->p, bytes),
                    .ordered = reduces && c->ordered,
                    .whole = reduces && c->whole,
                    .in_place = c->in_place && alike_in_place(c->kind)};
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

int64_t wisdom_ns(double seconds)
{
    if (!(seconds > 1e-9))
        return 1;
    return seconds < 9e9 ? (int64_t)(seconds * 1e9 + 0.5) : INT64_MAX;
}

/* ---- what can be right ---- */

/* Words of letters, digits and the marks of wisdom_shape, one blank between them: what a line of
 * text holds as it is. */
static bool is_shape(const char *text)
{
    static const char marks[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                ":,*-@~._";
    size_t n = strnlen(text, WISDOM_SHAPE);

    if (n == 0 || n == WISDOM_SHAPE || text[0] == ' ' || text[n - 1] == ' ')
        return false;
    for (size_t i = 0; i < n; i++)
        if (text[i] == ' ' ? text[i - 1] == ' ' : !strchr(marks, text[i]))
            return false;
    return true;
}

static const char *wrong_key(const wisdom_key *k)
{
    if ((unsigned)k->kind >= COLL_KINDS)
        return "no such collective";
    if (k->p < 1)
        return "not a number of ranks";
    if (k->class < 0 || k->class >= SIZE_CLASSES)
        return "not a number of bytes";
    if ((k->ordered || k->whole) && !coll_has(k->kind, COLL_REDUCES))
        return "this collective has no operation";
    if (k->server && k->class % 4 != 0)
        return "not the first size of an octave";
    if (k->in_place && !alike_in_place(k->kind))
        return "not all ranks know that it is in place";
    return is_shape(k->shape) ? NULL : "not a shape";
}

/* It must be what comes back if it is printed and read. */
static const char *wrong_choice(const wisdom_key *k, const choice *c)
{
    coll call = {.kind = k->kind, .p = k->p, .ordered = k->ordered, .whole = k->whole};
    int variants = 0;
    const algo *a;

    if (c->algo < 0 || c->algo >= algo_count || !algo_serves(algo_table[c->algo], k->kind))
        return "no such algorithm of this collective";
    a = algo_table[c->algo];
    while (a->variants && a->variants[variants])
        variants++;
    if (c->variant < 0 || c->variant >= (variants ? variants : 1))
        return "no such variant";
    if ((unsigned)c->form > FORM_BLOCK || (c->form != FORM_STEP && !a->has_forms))
        return "no such form";
    if ((unsigned)c->order >= ORDERS || (c->order != ORDER_PLACE && !a->orders))
        return "no such order";
    if (c->parameter < 0 || c->parameter != algo_parameter_for(a, c->parameter, k->p))
        return "not possible as this algorithm's parameter";
    return algo_refuses(a, &call);
}

static const char *wrong(const verdict *v)
{
    const char *why = wrong_key(&v->key);

    if (!why && !v->key.server)
        why = wrong_choice(&v->key, &v->choice);
    if (why)
        return why;
    if (v->ns < 0 || v->starts < 0 || (v->ns == 0) != (v->starts == 0))
        return "not a time and a number of starts";
    return NULL;
}

/* ---- the table ---- */

static entry *find(const wisdom *w, const wisdom_key *tidied)
{
    entry *e;

    HASH_FIND(hh, w->entries, tidied, sizeof *tidied, e);
    return e;
}

const verdict *wisdom_find(const wisdom *w, const wisdom_key *key)
{
    wisdom_key k = tidy(key);
    const entry *e = find(w, &k);

    return e ? &e->verdict : NULL;
}

/* With no verdict yet. NULL: out of memory. */
static entry *insert(wisdom *w, const wisdom_key *tidied)
{
    entry *e = malloc(sizeof *e);

    if (!e)
        return NULL;
    e->verdict.key = *tidied;
    HASH_ADD_KEYPTR(hh, w->entries, &e->verdict.key, sizeof e->verdict.key, e);
    if (e->hh.tbl) {
        w->sorted = false;
        return e;
    }
    free(e);
    return NULL;
}

const char *wisdom_add(wisdom *w, const verdict *v)
{
    const char *why = wrong(v);
    verdict copy = *v;
    entry *e;

    if (why)
        return why;
    copy.key = tidy(&v->key);
    if (v->key.server)
        copy.choice = (choice){0};
    copy.native = v->key.server && v->native;
    copy.choice.order_named = algo_table[copy.choice.algo]->orders;
    copy.choice.by_rule = copy.choice.provisional = false;
    e = find(w, &copy.key);
    if (e)
        w->digest -= digest_of(&e->verdict);
    else if (!(e = insert(w, &copy.key)))
        return "out of memory";
    w->digest += digest_of(&copy);
    e->verdict = copy;
    return NULL;
}

bool wisdom_merge(wisdom *w, wisdom *later)
{
    for (const verdict *v = NULL; (v = wisdom_next(later, v));)
        if (wisdom_add(w, v))
            return false;
    return true;
}

/* ---- in order ---- */

static int compare_numbers(int a, int b)
{
    return (a > b) - (a < b);
}

static int compare(const entry *left, const entry *right)
{
    const wisdom_key *a = &left->verdict.key, *b = &right->verdict.key;
    int order = compare_numbers((int)a->kind, (int)b->kind);

    order = order ? order : compare_numbers(a->p, b->p);
    order = order ? order : strcmp(a->shape, b->shape);
    order = order ? order : compare_numbers(a->ordered, b->ordered);
    order = order ? order : compare_numbers(a->whole, b->whole);
    order = order ? order : compare_numbers(a->in_place, b->in_place);
    order = order ? order : compare_numbers(a->server, b->server);
    return order ? order : compare_numbers(a->class, b->class);
}

const verdict *wisdom_next(wisdom *w, const verdict *before)
{
    const entry *e = (const void *)before;

    if (!w->sorted) { /* else nothing is written: others may be reading, too */
        HASH_SORT(w->entries, compare);
        w->sorted = true;
    }
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
