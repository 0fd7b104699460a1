/* SPDX-License-Identifier: BSD-3-Clause */
/* checked.c - a call as a plan and an exec want it.
 *
 * Where a side is one block or equal blocks, an element of its space is a block: so the plan serves
 * every count. Where it is listed, an element is one of the type, and the plan depends on counts
 * and displacements. Where it is typed, an element is a byte of the data (run/typed.h).
 */
#include "api/checked.h"

#include <stdlib.h>

int lists_block_bytes(const args_lists *l, int i, int64_t *bytes)
{
    datatype type;
    int error;

    *bytes = 0;
    if (lists_count(l, i) <= 0)
        return MPI_SUCCESS;
    error = datatype_describe(l->types[i], &type);
    return !error && __builtin_mul_overflow(lists_count(l, i), type.size, bytes) ? MPI_ERR_COUNT
                                                                                 : error;
}

int64_t call_room_of(const call *c, int i)
{
    if (c->recv.extent < COLL_LISTED || i == c->coll.rank)
        return c->room.own;
    return lists_count(c->recv.lists, i) * c->room.item;
}

/* Counts of all blocks, then displacements; 0 for empty ones. For blocks with types of their own:
 * bytes of the data, then the offsets at which typed_add puts it. */
static void fill_key(const call_side *s, int64_t *v)
{
    for (int64_t i = 0, at = 0; i < s->n; i++) {
        if (s->extent == COLL_TYPED) {
            lists_block_bytes(s->lists, (int)i, &v[i]);
            v[s->n + i] = at;
            at += v[i] ? v[i] + TYPED_GAP : 0;
            continue;
        }
        v[i] = s->type.size ? lists_count(s->lists, (int)i) : 0;
        v[s->n + i] = v[i] ? lists_displ(s->lists, (int)i) - s->low : 0;
    }
}

/* The same for the room: its blocks lie one after the other. */
static void fill_room(const call *c, int64_t *v)
{
    for (int64_t i = 0, at = 0; i < c->recv.n; i++) {
        v[i] = call_room_of(c, (int)i);
        v[c->recv.n + i] = at;
        at += v[i];
    }
}

/* The same for what all ranks receive, where the senders need all lengths (SIZED). */
static void fill_sized(const call *c, int64_t *v)
{
    const call_side *s = &c->recv; /* all ranks receive */

    for (int64_t i = 0, at = 0; i < c->coll.p; i++) {
        v[i] = s->type.size ? lists_count(s->lists, (int)i) : 0;
        v[c->coll.p + i] = at;
        at += v[i];
    }
}

int64_t call_key_bytes(const plan_key *key, const call *c, int to)
{
    if (c->coll.in_place)
        return key->v[to] * c->recv.type.size;
    return key->v[2 * c->recv.n + to] * c->send.type.size;
}

static bool is_empty_side(const call_side *s)
{
    return s->mine * s->type.size == 0;
}

plan_key *call_key(const call *c, plan_key *small, size_t *size)
{
    bool sized = coll_shapes[c->coll.kind].send == COLL_SIZED;
    size_t in = c->recv.extent >= COLL_LISTED ? 2 * (size_t)c->recv.n : 0;
    size_t out = c->send.extent >= COLL_LISTED ? 2 * (size_t)c->send.n : 0;
    size_t words = in + out + (sized ? 2 * (size_t)c->coll.p : 0);
    bool empty = is_empty_side(c->recv.extent ? &c->recv : &c->send);
    plan_key *key = small;

    *size = sizeof *key + words * sizeof *key->v;
    if (words)
        key = malloc(*size);
    if (!key)
        return NULL;
    *key = (plan_key){.kind = (uint16_t)c->coll.kind,
                      .root = c->coll.root,
                      .in_place = c->coll.in_place,
                      .noncommutative = c->coll.noncommutative,
                      .symmetric = c->coll.symmetric,
                      .user_op = c->coll.user_op,
                      .packs = c->packs,
                      .send_empty = empty,
                      .recv_empty = empty};
    if (coll_has(c->coll.kind, COLL_NEIGHBORS)) /* those before me may send what I do not */
        key->send_empty = is_empty_side(&c->send);
    if (sized)
        fill_sized(c, key->v);
    if (in && c->room.bytes)
        fill_room(c, key->v);
    else if (in)
        fill_key(&c->recv, key->v);
    if (out)
        fill_key(&c->send, key->v + in);
    return key;
}

void call_key_free(plan_key *key, const plan_key *small)
{
    if (key != small)
        free(key);
}

/* The blocks of a side, each with its type. */
static int typed_of(const call_side *s, typed_blocks **result)
{
    const args_lists *l = s->lists;
    typed_blocks *t;
    int error = MPI_SUCCESS;

    if (s->extent != COLL_TYPED)
        return MPI_SUCCESS;
    t = typed_make(s->n);
    if (!t)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < s->n && !error; i++)
        if (lists_count(l, i) > 0)
            error = typed_add(t, l->types[i], lists_count(l, i), lists_displ(l, i));
    *result = t;
    return error;
}

static void *first_byte(const call_side *s)
{
    return (char *)s->buffer + s->low * s->type.extent;
}

int call_binding(const call *c, binding *b)
{
    int error;

    *b = (binding){.sendtype = MPI_DATATYPE_NULL,
                   .recvtype = MPI_DATATYPE_NULL,
                   .op = c->op,
                   .packs = c->packs,
                   .error = c->error,
                   .own_sent = c->own_sent,
                   .own_room = c->own_room};
    if (c->recv.extent) {
        b->recvbuf = first_byte(&c->recv);
        b->recvtype = c->recv.type.type;
        b->recvcount = c->recv.count;
    }
    if (c->send.extent) {
        b->sendbuf = first_byte(&c->send);
        b->sendtype = c->send.type.type;
        b->sendcount = c->send.count;
    }
    if (c->room.bytes) {
        b->recvbuf = b->room = malloc((size_t)c->room.bytes);
        if (!b->room)
            return MPI_ERR_NO_MEM;
    }
    error = typed_of(&c->recv, &b->recvblocks);
    if (!error)
        error = typed_of(&c->send, &b->sendblocks);
    if (error)
        bind_drop(b);
    return error;
}
