/* SPDX-License-Identifier: BSD-3-Clause */
/* repeat.c - see repeat.h. */
#include "api/repeat.h"

#include "algos/algo.h"
#include "api/execs.h"
#include "api/signature.h"
#include "nbc/process/process.h"

#include <string.h>

/* ---- to find it ---- */

/* a: whose lists are compared, if the call has some; NULL: they need not be. */
static known *find_known(comm *c, const known_signature *signature, uint64_t hash, const args *a)
{
    known **set = known_set(c, hash);

    for (int i = 0; set && i < KNOWN_WAYS; i++) {
        known *k = set[i];
        if (k && k->hash == hash && memcmp(&k->signature, signature, sizeof *signature) == 0 &&
            (!a || !coll_is_v(a->kind) || signature_has_lists(a, k))) {
            known_use(c, set, i);
            return k;
        }
    }
    return NULL;
}

/* How many lists there are is not known before the neighbors are. */
__attribute__((noinline)) static known *find_slowly(const args *a, comm *c, bool may_leave)
{
    signature s;
    known *k = NULL;

    if (!c->known || (coll_has(a->kind, COLL_NEIGHBORS) && !c->neighbors))
        return NULL;
    s = signature_of(a, c);
    if (may_leave && s.lists && c->known->has_by_sum)
        k = find_known(c, &s.by_sum, s.by_sum_hash, NULL);
    if (!k)
        k = find_known(c, &s.exact, s.hash, a);
    if (k && k->plan)
        plan_use(c, k->plan);
    return k;
}

/* Is there anything in it for this call? */
static inline bool is_of_use(const known *k, bool may_leave)
{
    return k->plan || (may_leave && k->native);
}

/* ---- to use it ---- */

/* What looks wrong with the buffers goes the long way. */
static inline bool buffers_good(const args *a, const known *k)
{
    coll_sides has = k->has;

    if (has.recv && (!a->recv.buffer || a->recv.buffer == MPI_IN_PLACE))
        return false;
    if (!has.send)
        return true;
    return a->send.buffer && a->send.buffer != MPI_IN_PLACE &&
           (!has.recv || a->send.buffer != (const char *)a->recv.buffer + k->mine);
}

static inline void give_buffers(binding *b, const args *a, coll_sides has)
{
    b->error = MPI_SUCCESS;
    b->sendbuf = has.send ? (void *)a->send.buffer : NULL;
    b->recvbuf = has.recv ? (void *)a->recv.buffer : NULL;
}

/* It is bound but for the buffers. */
static inline void take_exec(const args *a, comm *c, known *k, repeat *r)
{
    bound *b;

    r->exec = plan_take_known(k, c);
    b = &r->exec->bound;
    give_buffers(&b->given, a, k->has);
    b->base[SPACE_SEND] = b->given.sendbuf;
    b->base[SPACE_RECV] = b->given.recvbuf;
}

/* What execs_of_plan is to bind, with references. */
static binding take_binding(const args *a, known *k)
{
    binding b = k->binding;

    give_buffers(&b, a, k->has);
    typed_share(b.sendblocks);
    typed_share(b.recvblocks);
    k->plan->refs++;
    k->refs++;
    return b;
}

/* The handle of an operation may belong to another operation now: Tutti does not see that in
 * Fortran on Open MPI. The plan, and who serves the call, depend on whether the operation commutes;
 * on another rank the new one may have another handle. */
static bool has_op_of_plan(const binding *b)
{
    return b->op.predefined || operation_commutes(b->op.op) == b->op.commutes;
}

static void bound_for(known *of, exec *e)
{
    process_lock();
    if (e)
        known_bound(of, e);
    known_unref(of);
    process_unlock();
}

/* No exec idles that is bound for such a call. Library lock held; it is given back. */
__attribute__((noinline)) static repeat_answer bind_anew(const args *a, comm *c, known *k,
                                                         repeat *r)
{
    binding b = take_binding(a, k);
    plan *p = k->plan;

    process_unlock();
    r->exec = NULL;
    r->error = MPI_SUCCESS;
    if (has_op_of_plan(&b)) {
        r->error = execs_of_plan(c, p, &b, false, &r->exec);
    } else {
        bind_drop(&b);
        plan_unref(p);
    }
    bound_for(k, r->exec);
    if (r->error)
        return REPEAT_FAILED;
    return r->exec ? REPEAT_EXEC : REPEAT_NOTHING;
}

__attribute__((noinline)) static repeat_answer check_op(const repeat *r)
{
    if (bind_hold_op(&r->exec->bound))
        return REPEAT_EXEC;
    plan_return_exec(r->exec);
    return REPEAT_NOTHING;
}

/* In each of its two callers, of which one is worth it. */
__attribute__((always_inline)) static inline repeat_answer look(const args *a, comm *c,
                                                                bool may_leave, repeat *r)
{
    repeat_answer answer = REPEAT_NOTHING;
    int native_op = -1;

    process_lock();
    plan_forget_types();
    known *k = c->latest[a->kind];
    if (!k || !is_of_use(k, may_leave) || !signature_is(a, k))
        k = find_slowly(a, c, may_leave);
    if (k && may_leave && k->native) {
        answer = REPEAT_NATIVE;
        native_op = k->native_op;
        r->bytes = k->bytes;
    } else if (k && k->plan && (k->settled || !may_leave) && buffers_good(a, k)) {
        r->bytes = k->bytes;
        if (!k->idle)
            return bind_anew(a, c, k, r);
        answer = REPEAT_EXEC;
        take_exec(a, c, k, r);
    }
    process_unlock();
    if (native_op >= 0 && operation_commutes(a->op) != native_op)
        return REPEAT_NOTHING;
    if (answer < REPEAT_EXEC || r->exec->bound.reusable)
        return answer;
    return check_op(r);
}

repeat_answer repeat_look(const args *a, comm *c, bool may_leave, repeat *r)
{
    return look(a, c, may_leave, r);
}

int repeat_exec(const args *a, comm *c, exec **e)
{
    repeat known;
    repeat_answer answer = look(a, c, false, &known);

    *e = answer == REPEAT_EXEC ? known.exec : NULL;
    return answer == REPEAT_FAILED ? known.error : MPI_SUCCESS;
}

/* ---- to remember it ---- */

static bool side_lasts(const call_side *s)
{
    return !s->extent || datatype_lasts(&s->type);
}

/* Do all handles of types name what they have named? */
static bool is_lasting(const call *c)
{
    return !c->error && side_lasts(&c->recv) && side_lasts(&c->send);
}

void repeat_remember_native(const args *a, const call *c)
{
    comm *on = c->comm;
    signature s;
    known *k;

    if (!is_lasting(c))
        return;
    s = signature_of(a, on);
    process_lock();
    plan_forget_types();
    k = find_known(on, &s.by_sum, s.by_sum_hash, NULL);
    if (!k) {
        k = known_add(on, &s.by_sum, s.by_sum_hash);
        if (k)
            known_ends_with(on, k, c->send.type.life, c->recv.type.life);
    }
    if (k) {
        k->native = true;
        k->bytes = c->bytes;
        on->known->has_by_sum |= s.lists;
        k->native_op = c->op.predefined ? -1 : c->op.commutes;
    }
    plan_take_left();
    process_unlock();
}

/* Whether the MPI serves it is known as before. */
static void fill_known(known *k, const call *c, const exec *e, bool lists)
{
    bool native = k->native;

    known_clear(c->comm, k);
    k->native = native;
    k->plan = e->plan;
    k->lists = lists;
    k->has = (coll_sides){c->send.extent, c->recv.extent};
    k->nsend = c->send.n;
    k->nrecv = c->recv.n;
    k->bytes = c->bytes;
    k->binding = e->bound.given;
    k->binding.sendblocks = typed_share(e->bound.space[SPACE_SEND].blocks);
    k->binding.recvblocks = typed_share(e->bound.space[SPACE_RECV].blocks);
    k->mine = (MPI_Aint)(c->forbidden + c->recv.type.true_lb - c->send.type.true_lb);
    known_ends_with(c->comm, k, c->send.type.life, c->recv.type.life);
}

/* Others' counts, for which some algorithms ask, may be new. */
static bool is_asked_again(const plan *p)
{
    return size_exchange_needed((coll_kind)p->key.kind, plan_choice(p));
}

/* Its exec stays with the plan: those of calls that never come again are few then, and in the
 * cache. From its second time on a call has one of its own (bind_anew). */
void repeat_remember(const args *a, const call *c, const exec *e, bool may_leave)
{
    known *k = NULL;
    signature s;

    if (!is_lasting(c) || !typed_lasts(e->bound.space[SPACE_RECV].blocks) ||
        !typed_lasts(e->bound.space[SPACE_SEND].blocks) || c->recv.low < 0 || c->send.low < 0 ||
        is_asked_again(e->plan))
        return;
    s = signature_of(a, c->comm);
    process_lock();
    plan_forget_types();
    if (e->plan->cached && !(k = find_known(c->comm, &s.exact, s.hash, a)))
        k = known_add(c->comm, &s.exact, s.hash);
    if (k && k->plan != e->plan)
        fill_known(k, c, e, s.lists);
    if (k && may_leave) {
        k->settled = true;
        k->native = false; /* it was with another operation */
    }
    plan_take_left();
    process_unlock();
}
