/* SPDX-License-Identifier: BSD-3-Clause */
/* bind.c - see bind.h. */
#include "nbc/run/bind.h"

#include "nbc/node/shared_heap.h"
#include "nbc/process/native_mpi.h"
#include "nbc/run/shm.h"
#include "nbc/run/wire.h"

#include <stdlib.h>

enum { SCRATCH_LEAST = 16384 }; /* tuning: bytes of scratch that others may read */

void bind_release_op(bound *b)
{
    if (b->holds_op)
        operation_release(&b->given.op);
    b->holds_op = false;
}

void bind_release(bound *b)
{
    for (int i = 0; i < b->sched->nmessages; i++)
        if (b->messages[i].made) {
            native_mpi.Type_free(&b->messages[i].type);
            b->messages[i].made = false;
        }
    for (int space = 0; space < SPACES; space++) {
        datatype_release(&b->space[space].type);
        typed_free(b->space[space].blocks);
        b->space[space].blocks = NULL;
        free(b->space[space].room_at);
        b->space[space].room_at = NULL;
    }
    bind_release_op(b);
    b->resolved = false;
    free(b->pack);
    if (b->scratch_shared)
        shared_heap_give(b->scratch, (size_t)b->scratch_shared);
    else
        free(b->scratch);
    b->scratch_shared = 0;
    b->pack = b->scratch = NULL;
    b->memory = 0;
    free(b->given.room);
    b->given.room = NULL;
    b->reusable = b->spanning = false;
    b->given.sendtype = b->given.recvtype = MPI_DATATYPE_NULL;
}

/* A type of MPI_DATATYPE_NULL: there is no such side; elements of it are tokens without data. */
static int bind_space(const bound *b, space_binding *s, MPI_Datatype type, int64_t count)
{
    bool none = type == MPI_DATATYPE_NULL;
    int error = datatype_describe(none ? MPI_BYTE : type, &s->type);

    s->given = none ? MPI_BYTE : type;
    s->count = none ? 0 : count;
    s->parts = b->sched->parts;
    return error ? error : datatype_hold(&s->type);
}

/* What is only moved is cut into bytes: so its parts are the same on all ranks, whatever types they
 * give. */
static bool cuts_bytes(const bound *b, const binding *given)
{
    return b->sched->parts > 1 && given->op.op == MPI_OP_NULL;
}

/* What is cut into bytes does not hold the program's type: when its handle comes again, it may be
 * that of another one. */
static int bind_side(bound *b, const binding *given, space_binding *r, MPI_Datatype type,
                     int64_t count)
{
    int error = bind_space(b, r, type, count);

    b->reusable = b->reusable && r->type.predefined;
    if (error || !cuts_bytes(b, given) || given->packs)
        return error;
    datatype_release(&r->type);
    return bind_space(b, r, MPI_PACKED, r->count * r->type.size);
}

static int bind_scratch_type(bound *b, const binding *given)
{
    const space_binding *r = &b->space[SPACE_RECV];
    space_binding *s = &b->space[SPACE_SCRATCH];

    if (r->blocks || b->sched->packs)
        return bind_space(b, s, MPI_PACKED, 1);
    *s = given->recvtype == MPI_DATATYPE_NULL && given->sendtype != MPI_DATATYPE_NULL
             ? b->space[SPACE_SEND]
             : *r;
    s->type.held = false; /* the reference is the other's */
    s->blocks = NULL;
    s->room_at = NULL;
    if (cuts_bytes(b, given) ||
        (s->type.extent < s->type.true_extent && given->op.op == MPI_OP_NULL))
        return bind_space(b, s, MPI_PACKED, s->count * s->type.size);
    return MPI_SUCCESS;
}

/* They are released with the bound, whatever happens. */
static void take_blocks(bound *b, const binding *given)
{
    b->space[SPACE_SEND].blocks = given->sendblocks;
    b->space[SPACE_RECV].blocks = given->recvblocks;
    b->given.sendblocks = b->given.recvblocks = NULL;
}

static int bind_types(bound *b, const binding *given)
{
    bool sends = b->sched->extent[SPACE_SEND] > 0;
    int error;

    b->reusable = given->op.predefined && !given->room &&
                  typed_predefined(b->space[SPACE_RECV].blocks) &&
                  typed_predefined(b->space[SPACE_SEND].blocks);
    error = bind_side(b, given, &b->space[SPACE_RECV], given->recvtype, given->recvcount);
    if (!error && sends)
        error = bind_side(b, given, &b->space[SPACE_SEND], given->sendtype, given->sendcount);
    if (!error)
        error = bind_scratch_type(b, given);
    if (!error)
        error = operation_hold(&given->op);
    b->holds_op = !error && !given->op.predefined;
    b->reduce = reduce_find(given->op.op, b->space[SPACE_SCRATCH].type.type);
    return error;
}

static int bind_messages(bound *b)
{
    const sched *s = b->sched;
    int64_t pack_size = 0;

    b->unpacks = false;
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        message *m;
        int error;

        if (!step_is_message(st)) {
            b->locals[st->queue] = wire_resolve_local(b, st);
            continue;
        }
        m = &b->messages[st->message];
        error = wire_resolve(b, st, m, &pack_size);
        if (error)
            return error;
        b->spanning |= m->made && wire_spans_spaces(b, st);
        b->unpacks |= st->kind == STEP_RECV && wire_packed(m);
    }
    b->pack = pack_size ? malloc((size_t)pack_size) : NULL;
    b->memory += pack_size;
    b->base[BASE_PACK] = b->pack;
    return pack_size && !b->pack ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* Elements that interleave, or lie one below the other, do so within a part of scratch as they do
 * in the buffers; but the parts must not meet. Returns the bytes of all; -1: out of memory. */
static int64_t find_rooms(const bound *b, space_binding *s)
{
    enum { LINE = 64 };
    const sched *how = b->sched;
    int64_t bytes = 0, extent = s->type.extent;

    s->room_at = malloc((size_t)how->nrooms * sizeof *s->room_at);
    for (int k = 0; s->room_at && k < how->nrooms; k++) {
        int64_t end = k + 1 < how->nrooms ? how->room[k + 1] : how->extent[SPACE_SCRATCH];
        int64_t n = sched_items(s->parts, s->count, end - how->room[k]);

        s->room_at[k] = bytes - (extent < 0 ? (n - 1) * extent : 0);
        bytes += (datatype_span(&s->type, n) + LINE - 1) / LINE * LINE;
    }
    return s->room_at ? bytes : -1;
}

/* Does any message of some length leave from there? */
static bool sends_scratch(const bound *b)
{
    const sched *s = b->sched;

    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        if (st->kind == STEP_SEND && s->list[st->first].space == SPACE_SCRATCH &&
            wire_bytes(b, st) >= SHM_EXPOSE)
            return true;
    }
    return false;
}

/* Where others can read it in place, if the exec is to be used again: such memory takes long to
 * get. */
static void *take_scratch(bound *b, size_t bytes)
{
    void *memory = NULL;

    if (b->reusable && bytes >= SCRATCH_LEAST && shared_heap_is_readable() && sends_scratch(b))
        memory = shared_heap_take(bytes);
    b->scratch_shared = memory ? (int64_t)bytes : 0;
    return memory ? memory : malloc(bytes);
}

static int bind_scratch(bound *b)
{
    space_binding *s = &b->space[SPACE_SCRATCH];
    int64_t elements = b->sched->extent[SPACE_SCRATCH];
    int64_t n = elements ? sched_items(s->parts, s->count, elements) : 0, bytes;

    if (n == 0) /* a rank without data may have bound no space to take the type from */
        return MPI_SUCCESS;
    bytes = s->type.extent < s->type.true_extent ? find_rooms(b, s) : datatype_span(&s->type, n);
    b->scratch = bytes < 0 ? NULL : take_scratch(b, (size_t)bytes);
    if (!b->scratch)
        return MPI_ERR_NO_MEM;
    b->memory += bytes;
    b->base[SPACE_SCRATCH] = b->scratch - s->type.true_lb;
    return MPI_SUCCESS;
}

static void bind_addresses(bound *b, const binding *given)
{
    b->given = *given;
    b->base[SPACE_SEND] = given->sendbuf;
    b->base[SPACE_RECV] = given->recvbuf;
}

static bool same_shape(const binding *a, const binding *b)
{
    return a->recvtype == b->recvtype && a->recvcount == b->recvcount &&
           a->sendtype == b->sendtype && a->sendcount == b->sendcount && a->op.op == b->op.op;
}

static bool same_bound_blocks(const bound *b, const binding *given)
{
    return typed_equal(b->space[SPACE_SEND].blocks, given->sendblocks) &&
           typed_equal(b->space[SPACE_RECV].blocks, given->recvblocks);
}

static bool same_buffers(const binding *a, const binding *b)
{
    return a->sendbuf == b->sendbuf && a->recvbuf == b->recvbuf;
}

void bind_drop(binding *given)
{
    typed_free(given->sendblocks);
    typed_free(given->recvblocks);
    free(given->room);
    given->sendblocks = given->recvblocks = given->room = NULL;
}

int bind_to(bound *b, const binding *given)
{
    int error;

    if (b->reusable && !given->room && same_shape(&b->given, given) &&
        same_bound_blocks(b, given) &&
        (!b->spanning || same_buffers(&b->given, given))) { /* what is resolved holds still */
        bind_addresses(b, given);
        bind_drop(&b->given);
        return MPI_SUCCESS;
    }
    bind_release(b);
    b->addressed = 0;
    bind_addresses(b, given);
    take_blocks(b, given);
    error = bind_types(b, given);
    if (!error)
        error = bind_scratch(b);
    if (!error)
        error = bind_messages(b);
    b->resolved = !error;
    if (error)
        bind_release(b);
    return error;
}

bool bind_hold_op(bound *b)
{
    const operation *o = &b->given.op;

    if (!o->predefined && !b->holds_op)
        b->holds_op = operation_commutes(o->op) == o->commutes && operation_hold(o) == MPI_SUCCESS;
    return o->predefined || b->holds_op;
}
