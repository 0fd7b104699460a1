/* SPDX-License-Identifier: BSD-3-Clause */
/* signature.c - see signature.h. */
#include "api/signature.h"

#include "nbc/plan/plan.h"

#include <stddef.h>

/* ---- make ---- */

/* Each field has a factor of its own, so that the multiplications do not wait for each other. */
static uint64_t hash_of_signature(const known_signature *s)
{
    uint64_t small = (uint64_t)(uint32_t)s->kind << 40 ^ (uint64_t)(uint32_t)s->algo << 34 ^
                     (uint64_t)(uint32_t)s->in_place << 32 ^ (uint32_t)s->root;
    uint64_t h = small * 0x9e3779b97f4a7c15 + s->op * 0xbf58476d1ce4e5b9 +
                 s->sendtype * 0x94d049bb133111eb + s->recvtype * 0xd6e8feb86659fd93 +
                 (uint64_t)s->sendcount * 0xa0761d6478bd642f +
                 (uint64_t)s->recvcount * 0xe7037ed1a0b428db;

    return h ^ h >> 29;
}

static uint64_t hash_list(uint64_t h, const args_lists *l, int n)
{
    for (int i = 0; lists_have_counts(l) && i < n; i++)
        h = (h ^ (uint64_t)lists_count(l, i)) * 0x9e3779b97f4a7c15;
    return h ^ h >> 31;
}

static uint64_t hash_lists(const args *a, const comm *c, uint64_t h)
{
    const coll_neighbors *neighbors = comm_neighbors(c, a->kind);
    coll_sides has = coll_sides_of(a->kind, c->rank, a->root, args_in_place(a));

    if (coll_shapes[a->kind].send == COLL_SIZED)
        return hash_list(h, a->recv.lists, c->p);
    if (has.recv >= COLL_LISTED)
        h = hash_list(h, a->recv.lists, neighbors ? neighbors->nsources : c->p);
    if (has.send >= COLL_LISTED)
        h = hash_list(h, a->send.lists, neighbors ? neighbors->ndestinations : c->p);
    return h;
}

/* The sum of the counts, if all ranks know it. It may wrap. */
static int64_t common_count(const args *a, int p)
{
    const args_lists *l = a->recv.lists;
    uint64_t sum = (uint64_t)a->recv.count;

    for (int i = 0; coll_has_common_size(a->kind) && lists_have_counts(l) && i < p; i++)
        sum += (uint64_t)lists_count(l, i);
    return (int64_t)sum;
}

/* It includes arguments that only other ranks use: they rarely change, and to leave them out would
 * need a look at the shape. */
signature signature_of(const args *a, const comm *c)
{
    signature s = {.exact = {.kind = (int32_t)a->kind,
                             .algo = a->algo,
                             .root = a->root,
                             .in_place = signature_in_place(a),
                             .sendtype = signature_number(a->send.type),
                             .recvtype = signature_number(a->recv.type),
                             .op = (uint64_t)(uintptr_t)a->op,
                             .sendcount = a->send.count,
                             .recvcount = a->recv.count}};

    s.hash = hash_of_signature(&s.exact);
    s.by_sum = s.exact;
    s.by_sum_hash = s.hash;
    s.lists = coll_is_v(a->kind);
    if (!s.lists)
        return s;
    s.hash = hash_lists(a, c, s.hash);
    s.by_sum.kind |= KNOWN_BY_SUM;
    s.by_sum.recvcount = common_count(a, c->p);
    s.by_sum_hash = hash_of_signature(&s.by_sum);
    return s;
}

/* ---- compare ---- */

static bool same_list(const args_lists *l, int n, const int64_t *counts, const int64_t *displs)
{
    if (!lists_have_counts(l) || (displs && !lists_have_displs(l)))
        return false;
    for (int i = 0; i < n; i++)
        if (lists_count(l, i) != counts[i] ||
            (displs && counts[i] && lists_displ(l, i) != displs[i]))
            return false;
    return true;
}

/* The plan knows the bytes of every block, and `t` those that are not empty. */
static bool same_typed_blocks(const args_lists *l, int n, const int64_t *bytes,
                              const typed_blocks *t)
{
    const typed_block *b = t->block;

    if (!lists_have_counts(l) || !lists_have_displs(l) || !l->types)
        return false;
    for (int i = 0; i < n; i++) {
        if ((lists_count(l, i) != 0) != (bytes[i] != 0))
            return false;
        if (bytes[i] == 0)
            continue;
        if (b->given != l->types[i] || b->count != lists_count(l, i) ||
            b->offset != lists_displ(l, i))
            return false;
        b++;
    }
    return true;
}

static bool same_side(const args_lists *l, coll_extent extent, int n, const int64_t **v,
                      const typed_blocks *t)
{
    const int64_t *counts = *v;

    if (extent < COLL_LISTED)
        return true;
    *v += 2 * (ptrdiff_t)n;
    return extent == COLL_TYPED ? same_typed_blocks(l, n, counts, t)
                                : same_list(l, n, counts, counts + n);
}

/* As they are in the plan's key: call_key. */
bool signature_has_lists(const args *a, const known *k)
{
    const binding *b = &k->binding;
    const int64_t *v;

    if (!k->plan)
        return false;
    v = k->plan->key.v;
    if (coll_shapes[a->kind].send == COLL_SIZED)
        return same_list(a->recv.lists, k->nrecv, v, NULL);
    return same_side(a->recv.lists, k->has.recv, k->nrecv, &v, b->recvblocks) &&
           same_side(a->send.lists, k->has.send, k->nsend, &v, b->sendblocks);
}
