/* SPDX-License-Identifier: BSD-3-Clause */
/* known.c - see known.h. */
#include "nbc/plan/known.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

int64_t known_all_bytes;
exec *known_left;
typed_blocks *known_left_blocks;

static known *mortal; /* all calls with derived types: they leave when a type ends */

void known_unref(known *k)
{
    if (--k->refs == 0)
        free(k);
}

void known_use(comm *c, known **set, int way)
{
    known *k = set[way];

    memmove(set + 1, set, (size_t)way * sizeof *set);
    set[0] = k;
    if (k->signature.kind < COLL_KINDS)
        c->latest[k->signature.kind] = k;
}

/* Not freed here if this is the last reference: types cannot be freed under the library's lock. */
static void leave_blocks(typed_blocks *t)
{
    if (!t || atomic_load(&t->refs) > 1) {
        typed_free(t);
        return;
    }
    t->next = known_left_blocks;
    known_left_blocks = t;
}

static void clear_types(known *k)
{
    leave_blocks(k->binding.sendblocks);
    leave_blocks(k->binding.recvblocks);
    k->binding.sendblocks = k->binding.recvblocks = NULL;
    lifetime_unref(k->sendlife);
    lifetime_unref(k->recvlife);
    k->sendlife = k->recvlife = NULL;
    if (k->comm)
        DL_DELETE(mortal, k);
    k->comm = NULL;
}

void known_clear(comm *c, known *k)
{
    while (k->idle) {
        exec *e = k->idle;
        k->idle = e->next;
        known_count(c, e, -1);
        e->known = NULL;
        e->plan = k->plan;
        e->next = known_left;
        known_left = e;
    }
    k->nidle = 0;
    clear_types(k);
    k->plan = NULL;
    k->native = k->settled = false;
}

void known_ends_with(comm *c, known *k, lifetime *send, lifetime *recv)
{
    lifetime_ref(send);
    lifetime_ref(recv);
    k->sendlife = send;
    k->recvlife = recv;
    if (!send && !recv && typed_predefined(k->binding.sendblocks) &&
        typed_predefined(k->binding.recvblocks))
        return;
    k->comm = c;
    DL_PREPEND(mortal, k);
}

/* It leaves the table, whose reference the caller has. */
static void unlist(comm *c, known **slot)
{
    known *k = *slot;

    *slot = NULL;
    if (k->signature.kind < COLL_KINDS && c->latest[k->signature.kind] == k)
        c->latest[k->signature.kind] = NULL;
    known_clear(c, k);
}

static void drop_listed(comm *c, known **slot)
{
    known *k = *slot;

    unlist(c, slot);
    known_unref(k);
}

/* Nobody else knows it. */
static known *take_oldest(comm *c, known **slot)
{
    known *k = *slot;

    if (!k || k->refs > 1) {
        if (k)
            drop_listed(c, slot);
        return calloc(1, sizeof *k);
    }
    unlist(c, slot);
    return k;
}

known *known_add(comm *c, const known_signature *signature, uint64_t hash)
{
    known **set, *k;
    int way = 0;

    if (!c->known)
        c->known = calloc(1, sizeof *c->known);
    set = known_set(c, hash);
    if (!set)
        return NULL;
    while (way < KNOWN_WAYS - 1 && set[way])
        way++;
    k = take_oldest(c, &set[way]);
    if (!k)
        return NULL;
    k->signature = *signature;
    k->lists = false;
    k->hash = hash;
    k->refs = 1;
    set[way] = k;
    known_use(c, set, way);
    return k;
}

void known_forget(comm *c, const struct plan *p)
{
    for (int i = 0; c->known && i < KNOWN_SETS * KNOWN_WAYS; i++) {
        known **slot = &c->known->way[i / KNOWN_WAYS][i % KNOWN_WAYS];
        if (*slot && (!p || (*slot)->plan == p))
            drop_listed(c, slot);
    }
}

static bool is_of(const lifetime *is, const lifetime *l)
{
    return is && (l ? is == l : atomic_load(&is->over));
}

static bool has_block_of(const typed_blocks *t, const lifetime *l)
{
    for (int i = 0; t && i < t->n; i++)
        if (is_of(t->block[i].type.life, l))
            return true;
    return false;
}

static known **known_slot(const known *k)
{
    known **set = known_set(k->comm, k->hash);

    while (*set != k)
        set++;
    return set;
}

void known_forget_type(const lifetime *l)
{
    known *k, *next;

    DL_FOREACH_SAFE (mortal, k, next) {
        if (is_of(k->sendlife, l) || is_of(k->recvlife, l) ||
            has_block_of(k->binding.sendblocks, l) || has_block_of(k->binding.recvblocks, l))
            drop_listed(k->comm, known_slot(k));
    }
}

void known_end(comm *c)
{
    free(c->known);
    c->known = NULL;
}

void known_bound(known *k, exec *e)
{
    e->known = k;
    k->refs++;
}

/* What is the program's is held as long as the exec is. */
static bool has_room_for_exec(const comm *c, const known *k, const exec *e)
{
    if (c->known->bytes + known_bytes(e) > KNOWN_BYTES)
        return false;
    if (!e->bound.reusable)
        return k->nidle < KNOWN_FEW && atomic_load(&datatype_held) < KNOWN_TYPES;
    return k->nidle < KNOWN_FEW ||
           (k->nidle < KNOWN_IDLE && known_all_bytes + known_bytes(e) <= KNOWN_ALL_BYTES);
}

/* Types that hold the distance between two buffers are of no use for others; and much scratch is in
 * the cache only if all calls of a plan use the same; persistent MPI requests name its buffers. */
bool known_keep(comm *c, const struct plan *p, exec *e)
{
    known *k = e->known;
    bool stays = k->plan == p && !e->run.persistent && !e->bound.spanning &&
                 e->bound.memory <= KNOWN_MEMORY && has_room_for_exec(c, k, e);

    if (stays) {
        e->next = k->idle;
        k->idle = e;
        k->nidle++;
        known_count(c, e, 1);
    } else {
        e->known = NULL;
    }
    known_unref(k);
    return stays;
}
