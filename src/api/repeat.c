/* SPDX-License-Identifier: BSD-3-Clause */
/* repeat.c - see repeat.h. */
#include "api/repeat.h"

#include "algos/algo.h"
#include "api/args_side.h"
#include "nbc/process/process.h"

#include <stddef.h>

static inline uint64_t number_of(MPI_Datatype type)
{
    return (uint64_t)(uintptr_t)type;
}

static inline uint64_t in_place_of(const args *a)
{
    return (uint64_t)(a->send.buffer == MPI_IN_PLACE) | (uint64_t)(a->recv.buffer == MPI_IN_PLACE)
                                                            << 1;
}

/* Also what counts on other ranks only: it is rarely new, and not to look at it would cost a look
 * at the shape. */
static comm_call call_of(const args *a)
{
    return (comm_call){.algo = a->algo,
                       .root = a->root,
                       .in_place = in_place_of(a),
                       .op = (uint64_t)(uintptr_t)a->op,
                       .sendtype = number_of(a->send.type),
                       .recvtype = number_of(a->recv.type),
                       .sendcount = a->send.count,
                       .recvcount = a->recv.count};
}

/* All fields: without a branch, and a memcmp costs as much as all the rest of the short way. */
_Static_assert(sizeof(comm_call) == 2 * sizeof(int32_t) + 6 * sizeof(int64_t), "compare it too");

static inline bool same_call(const args *a, const comm_call *b)
{
    uint64_t differ = (uint64_t)(uint32_t)(a->algo ^ b->algo) | (uint32_t)(a->root ^ b->root);

    differ |= in_place_of(a) ^ b->in_place;
    differ |= (uint64_t)(uintptr_t)a->op ^ b->op;
    differ |= number_of(a->send.type) ^ b->sendtype;
    differ |= number_of(a->recv.type) ^ b->recvtype;
    differ |= (uint64_t)(a->send.count ^ b->sendcount) | (uint64_t)(a->recv.count ^ b->recvcount);
    return differ == 0;
}

/* What looks wrong with the buffers goes the long way. */
static inline bool buffers_good(const args *a, const comm_repeat *r)
{
    coll_sides has = r->has;

    if (has.recv && (!a->recv.buffer || a->recv.buffer == MPI_IN_PLACE))
        return false;
    if (!has.send)
        return true;
    return a->send.buffer && a->send.buffer != MPI_IN_PLACE &&
           (!has.recv || a->send.buffer != (const char *)a->recv.buffer + r->mine);
}

static bool has_lists(const args_side *s)
{
    return side_has_counts(s) && side_has_displs(s);
}

static bool same_list(const args_side *s, int n, const int64_t *counts, const int64_t *displs)
{
    if (displs ? !has_lists(s) : !side_has_counts(s))
        return false;
    for (int i = 0; i < n; i++)
        if (side_count(s, i) != counts[i] || (displs && counts[i] && side_displ(s, i) != displs[i]))
            return false;
    return true;
}

/* The plan knows the bytes of every block, and `t` those that are not empty. */
static bool same_blocks(const args_side *s, int n, const int64_t *bytes, const typed_blocks *t)
{
    const typed_block *b = t->block;

    if (!has_lists(s) || !s->lists->types)
        return false;
    for (int i = 0; i < n; i++) {
        if ((side_count(s, i) != 0) != (bytes[i] != 0))
            return false;
        if (bytes[i] == 0)
            continue;
        if (b->given != s->lists->types[i] || b->count != side_count(s, i) ||
            b->offset != side_displ(s, i))
            return false;
        b++;
    }
    return true;
}

static bool same_side(const args_side *s, coll_extent extent, int n, const int64_t **v,
                      const typed_blocks *t)
{
    const int64_t *counts = *v;

    if (extent < COLL_LISTED)
        return true;
    *v += 2 * (ptrdiff_t)n;
    return extent == COLL_TYPED ? same_blocks(s, n, counts, t)
                                : same_list(s, n, counts, counts + n);
}

/* As they are in the plan's key: args_key. */
__attribute__((noinline)) static bool same_lists(const args *a, const comm *c, const comm_repeat *r)
{
    const coll_neighbors *near = comm_neighbors(c, a->kind);
    coll_sides has = r->has;
    const int64_t *v = r->plan->key.v;

    if (coll_shapes[a->kind].send == COLL_SIZED)
        return same_list(&a->recv, c->p, v, NULL);
    return same_side(&a->recv, has.recv, near ? near->nsources : c->p, &v, r->recvblocks) &&
           same_side(&a->send, has.send, near ? near->ndestinations : c->p, &v, r->sendblocks);
}

static MPI_Datatype type_of(coll_extent extent, const args_side *s)
{
    return extent == COLL_TYPED ? MPI_BYTE : s->type;
}

static binding binding_of(const args *a, const comm_repeat *r)
{
    coll_sides has = r->has;
    binding b = {.op = operation_none,
                 .packs = r->plan->key.packs,
                 .sendtype = MPI_DATATYPE_NULL,
                 .recvtype = MPI_DATATYPE_NULL};

    if (coll_has(a->kind, COLL_REDUCES))
        b.op.op = a->op; /* needs no type */
    if (has.recv) {
        b.recvbuf = (void *)a->recv.buffer;
        b.recvtype = type_of(has.recv, &a->recv);
        b.recvcount = side_unit(a, has.recv, &a->recv);
        b.recvblocks = typed_share(r->recvblocks);
    }
    if (has.send) {
        b.sendbuf = (void *)a->send.buffer;
        b.sendtype = type_of(has.send, &a->send);
        b.sendcount = side_unit(a, has.send, &a->send);
        b.sendblocks = typed_share(r->sendblocks);
    }
    return b;
}

/* The sides are the same, too: they follow from the kind, root and in_place. */
static inline bool is_same(const args *a, const comm *c, const comm_repeat *r)
{
    return r->plan && same_call(a, &r->call) && buffers_good(a, r) &&
           (!coll_is_v(a->kind) || same_lists(a, c, r));
}

/* It is bound but for the buffers. */
static inline void give_buffers(bound *b, const args *a, coll_sides has)
{
    void *sendbuf = has.send ? (void *)a->send.buffer : NULL;
    void *recvbuf = has.recv ? (void *)a->recv.buffer : NULL;

    b->given.error = MPI_SUCCESS;
    b->given.sendbuf = b->base[SPACE_SEND] = sendbuf;
    b->given.recvbuf = b->base[SPACE_RECV] = recvbuf;
}

exec *repeat_exec(const args *a, comm *c, bool settled)
{
    comm_repeat *r = &c->repeat[a->kind];
    exec *e = NULL;

    process_lock();
    if (is_same(a, c, r) && (r->settled || !settled)) {
        e = r->plan->idle;
        if (e && (e->bound.shape != r->shape || e->bound.spanning))
            e = NULL;
        if (e) {
            plan_take_idle(r->plan, c);
            give_buffers(&e->bound, a, r->has);
        }
    }
    process_unlock();
    return e;
}

bool repeat_native(const args *a, comm *c)
{
    const comm_repeat *r = &c->repeat[a->kind];

    process_lock();
    bool native = r->native && same_call(a, &r->call);
    process_unlock();
    return native;
}

plan *repeat_recall(const args *a, comm *c, bool settled, binding *b)
{
    const comm_repeat *r = &c->repeat[a->kind];
    plan *p = NULL;

    process_lock();
    if (is_same(a, c, r) && (r->settled || !settled)) {
        *b = binding_of(a, r);
        p = r->plan;
        p->refs++;
    }
    process_unlock();
    return p;
}

void repeat_bound(coll_kind kind, const exec *e)
{
    comm_repeat *r = &e->comm->repeat[kind];

    process_lock();
    if (r->plan == e->plan)
        r->shape = e->bound.shape;
    process_unlock();
}

static bool is_predefined(const facts_side *f)
{
    return !f->extent || f->type.predefined;
}

/* Is it, and all that it names, what handles say that are never reused? */
static bool is_lasting(const facts *f)
{
    return !f->error && f->op.predefined && is_predefined(&f->recv) && is_predefined(&f->send);
}

/* Lists would have to be compared. */
void repeat_remember_native(const args *a, const facts *f)
{
    comm_repeat *r = &f->comm->repeat[a->kind];

    if (!is_lasting(f) || coll_is_v(a->kind))
        return;
    process_lock();
    plan_forget_repeat(r);
    *r = (comm_repeat){.native = true, .call = call_of(a)};
    process_unlock();
}

void repeat_remember(const args *a, const facts *f, const exec *e, bool settled)
{
    const bound *b = &e->bound;
    plan *p = e->plan;
    comm_repeat *r = &f->comm->repeat[a->kind];

    if (!is_lasting(f) || !typed_predefined(b->space[SPACE_RECV].blocks) ||
        !typed_predefined(b->space[SPACE_SEND].blocks) || f->recv.low < 0 || f->send.low < 0)
        return;
    if (coll_is_v(a->kind) && algo_table[p->key.algo]->survey) /* others' counts may be new */
        return;
    process_lock();
    if (p->cached) {
        plan_forget_repeat(r);
        *r = (comm_repeat){.plan = p,
                           .settled = settled,
                           .call = call_of(a),
                           .has = {f->send.extent, f->recv.extent},
                           .sendblocks = typed_share(b->space[SPACE_SEND].blocks),
                           .recvblocks = typed_share(b->space[SPACE_RECV].blocks),
                           .mine = (MPI_Aint)args_forbidden(a, f),
                           .shape = b->shape};
    }
    process_unlock();
}
