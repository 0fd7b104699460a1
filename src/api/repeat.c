/* SPDX-License-Identifier: BSD-3-Clause */
/* repeat.c - see repeat.h. */
#include "api/repeat.h"

#include "algos/algo.h"
#include "api/args_side.h"
#include "nbc/process/process.h"

#include <stddef.h>
#include <string.h>

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
static known_signature signature_of(const args *a)
{
    return (known_signature){.kind = (int32_t)a->kind,
                             .algo = a->algo,
                             .root = a->root,
                             .in_place = (int32_t)in_place_of(a),
                             .sendtype = number_of(a->send.type),
                             .recvtype = number_of(a->recv.type),
                             .op = (uint64_t)(uintptr_t)a->op,
                             .sendcount = a->send.count,
                             .recvcount = a->recv.count};
}

/* All fields but the kind: without a branch, and a memcmp costs as much as all the rest of the
 * short way. */
_Static_assert(sizeof(known_signature) == 4 * sizeof(int32_t) + 5 * sizeof(int64_t),
               "compare it too");

static inline bool same_call(const args *a, const known_signature *b)
{
    uint64_t differ = (uint64_t)(uint32_t)(a->algo ^ b->algo) | (uint32_t)(a->root ^ b->root);

    differ |= (uint32_t)in_place_of(a) ^ (uint32_t)b->in_place;
    differ |= (uint64_t)(uintptr_t)a->op ^ b->op;
    differ |= number_of(a->send.type) ^ b->sendtype;
    differ |= number_of(a->recv.type) ^ b->recvtype;
    differ |= (uint64_t)(a->send.count ^ b->sendcount) | (uint64_t)(a->recv.count ^ b->recvcount);
    return differ == 0;
}

/* What looks wrong with the buffers goes the long way. */
static inline bool buffers_good(const args *a, const known *r)
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
__attribute__((noinline)) static bool same_lists(const args *a, const comm *c, const known *r)
{
    const coll_neighbors *near = comm_neighbors(c, a->kind);
    coll_sides has = r->has;
    const int64_t *v;

    if (!r->plan)
        return false;
    v = r->plan->key.v;
    if (coll_shapes[a->kind].send == COLL_SIZED)
        return same_list(&a->recv, c->p, v, NULL);
    return same_side(&a->recv, has.recv, near ? near->nsources : c->p, &v, r->recvblocks) &&
           same_side(&a->send, has.send, near ? near->ndestinations : c->p, &v, r->sendblocks);
}

static MPI_Datatype type_of(coll_extent extent, const args_side *s)
{
    return extent == COLL_TYPED ? MPI_BYTE : s->type;
}

static binding binding_of(const args *a, const known *r)
{
    coll_sides has = r->has;
    const plan_key *key = &r->plan->key;
    binding b = {.op = operation_none,
                 .packs = key->packs,
                 .sendtype = MPI_DATATYPE_NULL,
                 .recvtype = MPI_DATATYPE_NULL};

    if (coll_has(a->kind, COLL_REDUCES))
        b.op = (operation){.op = a->op,
                           .type = a->recv.type,
                           .derived = r->sendlife || r->recvlife,
                           .predefined = !key->whole,
                           .commutes = !key->ordered,
                           .symmetric = key->symmetric};
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

/* ---- to find it ---- */

/* Of one factor each: the products do not wait for each other. */
static uint64_t hash_of(const known_signature *s)
{
    uint64_t small = (uint64_t)(uint32_t)s->kind << 40 ^ (uint64_t)(uint32_t)s->algo << 34 ^
                     (uint64_t)(uint32_t)s->in_place << 32 ^ (uint32_t)s->root;
    uint64_t h = small * 0x9e3779b97f4a7c15 + s->op * 0xbf58476d1ce4e5b9 +
                 s->sendtype * 0x94d049bb133111eb + s->recvtype * 0xd6e8feb86659fd93 +
                 (uint64_t)s->sendcount * 0xa0761d6478bd642f +
                 (uint64_t)s->recvcount * 0xe7037ed1a0b428db;

    return h ^ h >> 29;
}

static uint64_t hash_list(uint64_t h, const args_side *s, int n)
{
    for (int i = 0; i < n; i++)
        h = (h ^ (uint64_t)side_count(s, i)) * 0x9e3779b97f4a7c15;
    return h ^ h >> 31;
}

/* With the counts of lists; their displacements rarely differ when these do not. */
static uint64_t hash_all(const args *a, const comm *c, uint64_t h)
{
    const coll_neighbors *near = comm_neighbors(c, a->kind);
    coll_sides has = args_sides(a, c);

    if (!coll_is_v(a->kind))
        return h;
    if (coll_shapes[a->kind].send == COLL_SIZED)
        return side_has_counts(&a->recv) ? hash_list(h, &a->recv, c->p) : h;
    if (has.recv >= COLL_LISTED && side_has_counts(&a->recv))
        h = hash_list(h, &a->recv, near ? near->nsources : c->p);
    if (has.send >= COLL_LISTED && side_has_counts(&a->send))
        h = hash_list(h, &a->send, near ? near->ndestinations : c->p);
    return h;
}

/* What decides whether a call with lists is left to the MPI: how much there is in all, if all ranks
 * know that. Others of its kind are other signatures. */
static known_signature left_signature(const args *a, const comm *c)
{
    known_signature s = signature_of(a);

    s.kind |= KNOWN_LEFT;
    for (int i = 0; coll_has_common_size(a->kind) && side_has_counts(&a->recv) && i < c->p; i++)
        s.recvcount += side_count(&a->recv, i);
    return s;
}

static known *find_left(comm *c, const known_signature *s, uint64_t hash)
{
    known **set = known_set(c, hash);

    for (int i = 0; set && i < KNOWN_WAYS; i++)
        if (set[i] && memcmp(&set[i]->call, s, sizeof *s) == 0) {
            known *k = set[i];
            known_use(c, set, i);
            return k;
        }
    return NULL;
}

static inline bool is_same(const args *a, const comm *c, const known *k)
{
    return same_call(a, &k->call) && (!coll_is_v(a->kind) || same_lists(a, c, k));
}

static known *find_hashed(const args *a, comm *c, uint64_t hash)
{
    known **set = known_set(c, hash);

    for (int i = 0; set && i < KNOWN_WAYS; i++)
        if (set[i] && set[i]->hash == hash && set[i]->call.kind == (int32_t)a->kind &&
            is_same(a, c, set[i])) {
            known *k = set[i];
            known_use(c, set, i);
            if (k->plan)
                plan_use(c, k->plan);
            return k;
        }
    return NULL;
}

__attribute__((noinline)) static known *find_slowly(const args *a, comm *c, bool may_leave)
{
    known_signature s;
    known *k = NULL;

    if (!c->known || (coll_has(a->kind, COLL_NEIGHBORS) && !c->neighbors))
        return NULL;
    if (may_leave && coll_is_v(a->kind) && c->known->has_left) {
        s = left_signature(a, c);
        k = find_left(c, &s, hash_of(&s));
    }
    if (k)
        return k;
    s = signature_of(a);
    return find_hashed(a, c, hash_all(a, c, hash_of(&s)));
}

/* Is there anything in it for this call? */
static inline bool is_of_use(const known *k, bool may_leave)
{
    return k->plan || (may_leave && k->native);
}

static inline known *find(const args *a, comm *c, bool may_leave)
{
    known *k = c->latest[a->kind];

    return k && is_of_use(k, may_leave) && is_same(a, c, k) ? k : find_slowly(a, c, may_leave);
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

/* The handle of an operation may be another one's now: nobody tells us in Fortran on Open MPI. What
 * a plan depends on, and who serves the call, is whether it commutes; and on another rank the new
 * one may have another handle. */
static bool has_op_of_plan(const binding *b)
{
    return b->op.predefined || operation_commutes(b->op.op) == b->op.commutes;
}

__attribute__((noinline)) static repeat_answer check_op(repeat_answer answer, exec **e, plan **p,
                                                        known **of, const binding *b)
{
    if (answer == REPEAT_EXEC && !bind_hold_op(&(*e)->bound)) {
        plan_return_exec(*e);
        return REPEAT_NOTHING;
    }
    if (answer == REPEAT_PLAN && !has_op_of_plan(b)) {
        repeat_bound(*of, NULL);
        plan_unref(*p);
        return REPEAT_NOTHING;
    }
    return answer;
}

repeat_answer repeat_look(const args *a, comm *c, bool may_leave, exec **e, plan **p, known **of,
                          binding *b)
{
    repeat_answer answer = REPEAT_NOTHING;
    int native_op = -1;

    process_lock();
    plan_forget_types();
    known *k = find(a, c, may_leave);
    if (k && may_leave && k->native) {
        answer = REPEAT_NATIVE;
        native_op = k->native_op;
    } else if (k && k->plan && (k->settled || !may_leave) && buffers_good(a, k)) {
        answer = k->idle ? REPEAT_EXEC : REPEAT_PLAN;
        if (k->idle) {
            *e = plan_take_known(k, c);
            give_buffers(&(*e)->bound, a, k->has);
        } else {
            *b = binding_of(a, k);
            *p = k->plan;
            *of = k;
            k->plan->refs++;
            k->refs++;
        }
    }
    process_unlock();
    if (native_op >= 0 && operation_commutes(a->op) != native_op)
        return REPEAT_NOTHING;
    if (answer < REPEAT_PLAN || (answer == REPEAT_EXEC && (*e)->bound.reusable))
        return answer;
    return check_op(answer, e, p, of, b);
}

void repeat_bound(known *of, exec *e)
{
    process_lock();
    if (e)
        known_bound(of, e);
    known_unref(of);
    process_unlock();
}

/* ---- to remember it ---- */

static bool side_lasts(const facts_side *f)
{
    return !f->extent || datatype_lasts(&f->type);
}

static lifetime *life_of(const facts_side *f)
{
    return f->extent ? f->type.life : NULL;
}

/* Do all handles of types name what they have named? */
static bool is_lasting(const facts *f)
{
    return !f->error && side_lasts(&f->recv) && side_lasts(&f->send);
}

void repeat_remember_native(const args *a, const facts *f)
{
    bool lists = coll_is_v(a->kind);
    known_signature s = lists ? left_signature(a, f->comm) : signature_of(a);
    uint64_t hash = hash_of(&s);
    known *k;

    if (!is_lasting(f))
        return;
    process_lock();
    plan_forget_types();
    k = lists ? find_left(f->comm, &s, hash) : find_hashed(a, f->comm, hash);
    if (!k) {
        k = known_add(f->comm, &s, hash);
        if (k)
            known_ends_with(f->comm, k, life_of(&f->send), life_of(&f->recv));
    }
    if (k) {
        k->native = true;
        f->comm->known->has_left |= lists;
        k->native_op = f->op.predefined ? -1 : f->op.commutes;
    }
    plan_take_left();
    process_unlock();
}

/* Whether the MPI serves it is known as before. */
static void fill(comm *c, known *k, const args *a, const facts *f, const exec *e)
{
    bool native = k->native;

    known_clear(c, k);
    k->native = native;
    k->plan = e->plan;
    k->has = (coll_sides){f->send.extent, f->recv.extent};
    k->sendblocks = typed_share(e->bound.space[SPACE_SEND].blocks);
    k->recvblocks = typed_share(e->bound.space[SPACE_RECV].blocks);
    k->mine = (MPI_Aint)(args_forbidden(a, f) + f->recv.type.true_lb - f->send.type.true_lb);
    known_ends_with(c, k, life_of(&f->send), life_of(&f->recv));
}

/* Others' counts, for which some algorithms ask, may be new. */
static bool is_asked_again(const args *a, const plan *p)
{
    return coll_is_v(a->kind) && algo_table[p->key.algo]->survey;
}

/* Its exec stays with the plan: those of calls that never come again are few then, and in the
 * cache. From its second time on a call has one of its own (repeat_bound). */
void repeat_remember(const args *a, const facts *f, const exec *e, bool may_leave)
{
    known_signature s = signature_of(a);
    uint64_t hash;
    known *k = NULL;

    if (!is_lasting(f) || !typed_lasts(e->bound.space[SPACE_RECV].blocks) ||
        !typed_lasts(e->bound.space[SPACE_SEND].blocks) || f->recv.low < 0 || f->send.low < 0 ||
        is_asked_again(a, e->plan))
        return;
    hash = hash_all(a, f->comm, hash_of(&s));
    process_lock();
    plan_forget_types();
    if (e->plan->cached && !(k = find_hashed(a, f->comm, hash)))
        k = known_add(f->comm, &s, hash);
    if (k && k->plan != e->plan)
        fill(f->comm, k, a, f, e);
    if (k && may_leave) {
        k->settled = true;
        k->native = false; /* it was with another operation */
    }
    plan_take_left();
    process_unlock();
}
