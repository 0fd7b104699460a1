/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_pick.c - see wisdom_pick.h. */
#include "tune/wisdom_pick.h"

#include "tune/size.h"

#include <string.h>

enum {
    ORDERED = 1,
    WHOLE = 2,
    IN_PLACE = 4,
    BLOCK = 8,
    ORDER_SHIFT = 4,
    ORDER_MASK = 3 << ORDER_SHIFT,
    SERVER = 64,
    NATIVE = 128
};

_Static_assert((int)COLL_KINDS <= 256 && (int)SIZE_CLASSES <= 256 && (int)ORDERS <= 4, "one byte");

static void put(unsigned char *to, unsigned value, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static unsigned get(const unsigned char *from, int n)
{
    unsigned value = 0;

    for (int i = 0; i < n; i++)
        value |= (unsigned)from[i] << 8 * i;
    return value;
}

static unsigned flags_of(const verdict *v)
{
    return (v->key.ordered ? ORDERED : 0) | (v->key.whole ? WHOLE : 0) |
           (v->key.in_place ? IN_PLACE : 0) | (v->choice.form == FORM_BLOCK ? BLOCK : 0) |
           (unsigned)v->choice.order << ORDER_SHIFT | (v->key.server ? SERVER : 0) |
           (v->native ? NATIVE : 0);
}

static void pack(const verdict *v, unsigned char *to)
{
    put(to, v->key.kind, 1);
    put(to + 1, (unsigned)v->key.class, 1);
    put(to + 2, flags_of(v), 1);
    put(to + 3, (unsigned)v->choice.variant, 1);
    put(to + 4, (unsigned)v->choice.algo, 2);
    put(to + 6, (unsigned)v->choice.parameter, 4);
}

size_t wisdom_pick(wisdom *w, int p, const char *shape, void *bytes, size_t size)
{
    unsigned char *to = bytes;
    size_t need = 0;

    for (const verdict *v = NULL; (v = wisdom_next(w, v));)
        if (v->key.p == p && strcmp(v->key.shape, shape) == 0)
            need += WISDOM_PICKED;
    if (need > size)
        return need;
    for (const verdict *v = NULL; (v = wisdom_next(w, v));)
        if (v->key.p == p && strcmp(v->key.shape, shape) == 0) {
            pack(v, to);
            to += WISDOM_PICKED;
        }
    return need;
}

/* Are these bytes what pack makes of what is kept of them? */
static bool is_whole(const wisdom *w, const wisdom_key *key, const unsigned char *from)
{
    unsigned char again[WISDOM_PICKED];

    pack(wisdom_find(w, key), again);
    return memcmp(again, from, sizeof again) == 0;
}

/* Whatever the bytes are: wisdom_add finds out what cannot be. */
static void unpack(const unsigned char *from, verdict *v)
{
    unsigned flags = from[2];

    v->key.kind = (coll_kind)from[0];
    v->key.class = from[1];
    v->key.ordered = flags & ORDERED;
    v->key.whole = flags & WHOLE;
    v->key.in_place = flags & IN_PLACE;
    v->key.server = flags & SERVER;
    v->native = flags & NATIVE;
    v->choice = (choice){.algo = (int)get(from + 4, 2),
                         .form = flags & BLOCK ? FORM_BLOCK : FORM_STEP,
                         .parameter = (int)get(from + 6, 4),
                         .variant = from[3],
                         .order = (coll_order)((flags & ORDER_MASK) >> ORDER_SHIFT)};
}

wisdom *wisdom_take(int p, const char *shape, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    size_t length = strlen(shape);
    verdict v = {.key.p = p};
    wisdom *w = length < WISDOM_SHAPE && size % WISDOM_PICKED == 0 ? wisdom_make() : NULL;

    if (!w)
        return NULL;
    memcpy(v.key.shape, shape, length);
    for (size_t i = 0; i < size; i += WISDOM_PICKED) {
        unpack(from + i, &v);
        if (wisdom_find(w, &v.key) || wisdom_add(w, &v) || !is_whole(w, &v.key, from + i)) {
            wisdom_free(w);
            return NULL;
        }
    }
    return w;
}
