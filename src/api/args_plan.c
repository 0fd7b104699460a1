/* SPDX-License-Identifier: BSD-3-Clause */
/* args_plan.c - arguments that have been checked, as selection, a plan and an exec want them.
 *
 * Where a side is one block or equal blocks, an element of its space is a block: so the plan serves
 * every count. Where it is listed, an element is one of the type, and the plan depends on counts
 * and displacements. Where it is typed, an element is a byte of the data (run/typed.h).
 */
#include "api/args_side.h"

#include <stdlib.h>

coll args_coll(const args *a, const facts *f)
{
    return (coll){.kind = a->kind,
                  .p = f->comm->p,
                  .rank = f->comm->rank,
                  .root = a->root,
                  .in_place = f->in_place,
                  .ordered = !f->op.commutes,
                  .symmetric = f->op.symmetric,
                  .whole = !f->op.predefined};
}

/* Counts, then displacements, of what is not empty. Of typed ones the bytes of the data, and where
 * typed_add puts them. */
static void fill_key(const args_side *s, const facts_side *f, int64_t *v)
{
    for (int64_t i = 0, at = 0; i < f->n; i++) {
        if (f->extent == COLL_TYPED) {
            side_block_bytes(s, (int)i, &v[i]);
            v[f->n + i] = at;
            at += v[i] ? v[i] + TYPED_GAP : 0;
            continue;
        }
        v[i] = f->type.size ? side_count(s, (int)i) : 0;
        v[f->n + i] = v[i] ? side_displ(s, (int)i) - f->low : 0;
    }
}

/* The same where the blocks lie one behind the other. */
static void fill_sized(const args_side *s, const facts *f, int64_t *v)
{
    const datatype *type = f->recv.extent ? &f->recv.type : &f->send.type;
    int p = f->comm->p;

    for (int64_t i = 0, at = 0; i < p; i++) {
        v[i] = type->size ? side_count(s, (int)i) : 0;
        v[p + i] = at;
        at += v[i];
    }
}

int64_t args_key_bytes(const plan_key *key, const facts *f, int to)
{
    if (f->in_place)
        return key->v[to] * f->recv.type.size;
    return key->v[2 * f->recv.n + to] * f->send.type.size;
}

/* Is the data of what is moved, and may be cut, anything else than a run of bytes? Then its parts
 * are packed. */
static bool packs(const args *a, const facts *f)
{
    bool blocks = a->kind == COLL_allgather || a->kind == COLL_alltoall;

    if (a->kind != COLL_bcast && !blocks)
        return false;
    return !datatype_is_run(&f->recv.type) ||
           (blocks && f->send.extent && !datatype_is_run(&f->send.type));
}

plan_key *args_key(const args *a, const facts *f, plan_key *small, size_t *size)
{
    bool sized = coll_shapes[a->kind].send == COLL_SIZED;
    size_t in = f->recv.extent >= COLL_LISTED ? 2 * (size_t)f->recv.n : 0;
    size_t out = f->send.extent >= COLL_LISTED ? 2 * (size_t)f->send.n : 0;
    size_t words = in + out + (sized ? 2 * (size_t)f->comm->p : 0);
    plan_key *key = small;

    *size = sizeof *key + words * sizeof *key->v;
    if (words)
        key = malloc(*size);
    if (!key)
        return NULL;
    *key = (plan_key){.kind = (uint16_t)a->kind,
                      .root = a->root,
                      .in_place = f->in_place,
                      .ordered = !f->op.commutes,
                      .symmetric = f->op.symmetric,
                      .whole = !f->op.predefined,
                      .packs = packs(a, f),
                      .send_empty = args_my_bytes(f) == 0,
                      .recv_empty = args_my_bytes(f) == 0};
    if (coll_has(a->kind, COLL_NEIGHBORS)) /* those before me may send what I do not */
        key->send_empty = f->send.mine * f->send.type.size == 0;
    if (sized)
        fill_sized(&a->recv, f, key->v);
    if (in)
        fill_key(&a->recv, &f->recv, key->v);
    if (out)
        fill_key(&a->send, &f->send, key->v + in);
    return key;
}

void args_key_free(plan_key *key, const plan_key *small)
{
    if (key != small)
        free(key);
}

/* The blocks of a side, each with its type. */
static int typed_of(const args_side *s, const facts_side *f, typed_blocks **result)
{
    typed_blocks *t;
    int error = MPI_SUCCESS;

    if (f->extent != COLL_TYPED)
        return MPI_SUCCESS;
    t = typed_make(f->n);
    if (!t)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < f->n && !error; i++)
        if (side_count(s, i) > 0)
            error = typed_add(t, s->lists->types[i], side_count(s, i), side_displ(s, i));
    *result = t;
    return error;
}

int args_binding(const args *a, const facts *f, binding *b)
{
    int error;

    *b = (binding){.sendtype = MPI_DATATYPE_NULL,
                   .recvtype = MPI_DATATYPE_NULL,
                   .op = f->op,
                   .packs = packs(a, f),
                   .error = f->error};
    if (f->recv.extent) {
        b->recvbuf = (char *)a->recv.buffer + f->recv.low * f->recv.type.extent;
        b->recvtype = f->recv.type.type;
        b->recvcount = side_unit(a, f->recv.extent, &a->recv);
    }
    if (f->send.extent) {
        b->sendbuf = (char *)a->send.buffer + f->send.low * f->send.type.extent;
        b->sendtype = f->send.type.type;
        b->sendcount = side_unit(a, f->send.extent, &a->send);
    }
    error = typed_of(&a->recv, &f->recv, &b->recvblocks);
    if (!error)
        error = typed_of(&a->send, &f->send, &b->sendblocks);
    if (error)
        bind_drop(b);
    return error;
}
