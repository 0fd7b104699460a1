/* repeat.c - see repeat.h. */
#include "api/repeat.h"

#include "algos/algo.h"
#include "api/args_side.h"
#include "nbc/process/process.h"

#include <stddef.h>

/* Without what counts elsewhere only. */
static inline comm_call call_of(const args *a, coll_sides has)
{
    comm_call call = {.algo = a->algo,
                      .root = a->root,
                      .in_place = args_in_place(a),
                      .op = (uint64_t)(uintptr_t)a->op};

    if (has.recv) {
        call.recvtype = (uint64_t)(uintptr_t)a->recv.type;
        call.recvcount = a->recv.count;
    }
    if (has.send) {
        call.sendtype = (uint64_t)(uintptr_t)a->send.type;
        call.sendcount = a->send.count;
    }
    return call;
}

/* All fields: a memcmp costs as much as all the rest of the short way. */
_Static_assert(sizeof(comm_call) == 2 * sizeof(int32_t) + 6 * sizeof(int64_t), "compare it too");

static inline bool same_call(comm_call a, const comm_call *b)
{
    return a.algo == b->algo && a.root == b->root && a.in_place == b->in_place &&
           a.sendtype == b->sendtype && a.recvtype == b->recvtype && a.op == b->op &&
           a.sendcount == b->sendcount && a.recvcount == b->recvcount;
}

/* What looks wrong with the buffers goes the long way. */
static bool buffers_good(const args *a, coll_sides has, const comm_repeat *r)
{
    if (has.recv && (!a->recv.buffer || a->recv.buffer == MPI_IN_PLACE))
        return false;
    if (!has.send)
        return true;
    return a->send.buffer && a->send.buffer != MPI_IN_PLACE &&
           (!has.recv || a->send.buffer != (const char *)a->recv.buffer + r->mine);
}

static bool same_list(const args_side *s, int n, const int64_t *counts, const int64_t *displs)
{
    if ((!s->counts && !s->counts_c) || (displs && !s->displs && !s->displs_c))
        return false;
    for (int i = 0; i < n; i++)
        if (side_count(s, i) != counts[i] || (displs && counts[i] && side_displ(s, i) != displs[i]))
            return false;
    return true;
}

/* As they are in the plan's key: args_key. */
static bool same_lists(const args *a, coll_sides has, const comm *c, const plan *p)
{
    bool near = coll_has(a->kind, COLL_NEIGHBORS);
    int in = near ? c->neighbors->nsources : c->p, out = near ? c->neighbors->ndestinations : c->p;
    const int64_t *v = p->key.v;

    if (coll_shapes[a->kind].send == COLL_SIZED)
        return same_list(&a->recv, in, v, NULL);
    if (has.recv == COLL_LISTED && !same_list(&a->recv, in, v, v + in))
        return false;
    if (has.recv == COLL_LISTED)
        v += 2 * (ptrdiff_t)in;
    return has.send != COLL_LISTED || same_list(&a->send, out, v, v + out);
}

plan *repeat_recall(const args *a, coll_sides has, comm *c)
{
    const comm_repeat *r = &c->repeat[a->kind];
    plan *p = NULL;

    process_lock();
    if (r->plan && same_call(call_of(a, has), &r->call) && buffers_good(a, has, r) &&
        (!coll_is_v(a->kind) || same_lists(a, has, c, r->plan))) {
        p = r->plan;
        p->refs++;
    }
    process_unlock();
    return p;
}

/* Items in one element of a side. */
static int64_t unit_of(const args *a, coll_extent extent, const args_side *s)
{
    return extent >= COLL_SIZED || coll_shapes[a->kind].send == COLL_SIZED ? 1 : s->count;
}

binding repeat_binding(const args *a, coll_sides has, const plan *p)
{
    binding b = {.op = operation_none,
                 .packs = p->key.packs,
                 .sendtype = MPI_DATATYPE_NULL,
                 .recvtype = MPI_DATATYPE_NULL};

    if (coll_has(a->kind, COLL_REDUCES))
        b.op.op = a->op; /* needs no type */
    if (has.recv) {
        b.recvbuf = (void *)a->recv.buffer;
        b.recvtype = a->recv.type;
        b.recvcount = unit_of(a, has.recv, &a->recv);
    }
    if (has.send) {
        b.sendbuf = (void *)a->send.buffer;
        b.sendtype = a->send.type;
        b.sendcount = unit_of(a, has.send, &a->send);
    }
    return b;
}

static bool is_predefined(const facts_side *f)
{
    return !f->extent || f->type.predefined;
}

void repeat_remember(const args *a, const facts *f, plan *p)
{
    coll_sides has = {f->send.extent, f->recv.extent};

    if (f->error || !f->op.predefined || !is_predefined(&f->recv) || !is_predefined(&f->send) ||
        has.send == COLL_TYPED || has.recv == COLL_TYPED || f->recv.low < 0 || f->send.low < 0)
        return;
    if (coll_is_v(a->kind) && algo_table[p->key.algo]->survey) /* others' counts may be new */
        return;
    process_lock();
    if (p->cached)
        f->comm->repeat[a->kind] = (comm_repeat){
            .plan = p, .call = call_of(a, has), .mine = (MPI_Aint)args_forbidden(a, f)};
    process_unlock();
}
