/* SPDX-License-Identifier: BSD-3-Clause */
/* args_check.c - check the arguments of a call, and make its value. */
#include "api/checked.h"

/* ---- counts ---- */

/* What is empty needs no type. */
static int check_block(const args_lists *l, int i, int64_t *bytes)
{
    datatype type;
    int error = lists_block_bytes(l, i, bytes);

    if (error || lists_count(l, i) <= 0)
        return error;
    error = datatype_describe(l->types[i], &type);
    return error ? error : datatype_check_committed(&type);
}

static int check_list(call_side *s, int me)
{
    const args_lists *l = s->lists;
    bool listed = s->extent >= COLL_LISTED;
    int64_t n;
    int error;

    if (s->n > 0 && (!lists_have_counts(l) || (listed && !lists_have_displs(l)) ||
                     (s->extent == COLL_TYPED && !l->types)))
        return MPI_ERR_ARG;
    for (int i = 0; i < s->n; i++) {
        n = lists_count(l, i);
        if (n < 0)
            return MPI_ERR_COUNT;
        error = s->extent == COLL_TYPED ? check_block(l, i, &n) : MPI_SUCCESS;
        if (error)
            return error;
        if (s->extent == COLL_LISTED && n > 0 && lists_displ(l, i) < s->low)
            s->low = lists_displ(l, i);
        if (__builtin_add_overflow(s->total, n, &s->total))
            return MPI_ERR_COUNT;
        s->mine = i == me ? n : s->mine;
    }
    return MPI_SUCCESS;
}

/* Blocks of one length. In place, what is reduced and scattered lies in RECV before it is. What
 * goes to no neighbor is not there. */
static int blocks_of_side(const coll *c, const call_side *s)
{
    if (s->extent == COLL_EACH || (c->in_place && coll_shapes[c->kind].send == COLL_EACH))
        return s->n;
    return coll_has(c->kind, COLL_NEIGHBORS) && s->n == 0 ? 0 : 1;
}

static int check_count(const coll *c, call_side *s)
{
    /* the receive side of a call whose send side is the list of what all receive */
    bool sized = coll_shapes[c->kind].send == COLL_SIZED && s->extent == COLL_ONE;
    int error;

    if (s->extent == COLL_NONE)
        return MPI_SUCCESS;
    if (s->extent >= COLL_SIZED || sized) {
        s->count = 1;
        error = check_list(s, c->rank);
        if (!error && sized && !c->in_place)
            s->total = s->mine;
        return error;
    }
    if (s->count < 0 || __builtin_mul_overflow(s->count, blocks_of_side(c, s), &s->total))
        return MPI_ERR_COUNT;
    s->mine = s->count;
    return MPI_SUCCESS;
}

/* ---- types ---- */

static bool product_fits(int64_t a, int64_t b)
{
    int64_t product;

    return !__builtin_mul_overflow(a, b, &product);
}

/* Can 64 bits count the bytes of the data, and of the memory from its first to its last one? */
static bool bytes_fit(const call_side *s)
{
    int64_t extent = s->type.extent, end;

    if (s->type.size == 0)
        return true;
    if (!product_fits(s->total, s->type.size) || !product_fits(s->low, extent))
        return false;
    if (s->extent != COLL_LISTED)
        return product_fits(s->total, extent);
    for (int i = 0; i < s->n; i++) {
        int64_t n = lists_count(s->lists, i);
        if (n > 0 && (__builtin_add_overflow(lists_displ(s->lists, i), n, &end) ||
                      __builtin_sub_overflow(end, s->low, &end) || !product_fits(end, extent)))
            return false;
    }
    return true;
}

static int check_type(call_side *s, MPI_Datatype given)
{
    int error;

    if (s->extent == COLL_NONE)
        return MPI_SUCCESS;
    if (s->extent == COLL_TYPED) /* the blocks' have been seen */
        return datatype_describe(MPI_BYTE, &s->type);
    error = datatype_describe(given, &s->type);
    if (!error)
        error = datatype_check_committed(&s->type);
    return !error && !bytes_fit(s) ? MPI_ERR_COUNT : error;
}

/* ---- the whole ---- */

static int check_root(const coll *c)
{
    return coll_has(c->kind, COLL_ROOTED) && (c->root < 0 || c->root >= c->p) ? MPI_ERR_ROOT
                                                                              : MPI_SUCCESS;
}

/* After the types. */
static int check_op(const args *a, call *c)
{
    int error = MPI_SUCCESS;

    c->op = operation_none;
    if (coll_has(a->kind, COLL_REDUCES))
        error = operation_describe(a->op, a->recv.type, &c->op);
    c->coll.noncommutative = !c->op.commutes;
    c->coll.symmetric = c->op.symmetric;
    c->coll.user_op = !c->op.predefined;
    return error;
}

static call_side side_of_args(const args_side *s, coll_extent extent, int n)
{
    return (call_side){
        .extent = extent, .buffer = s->buffer, .count = s->count, .lists = s->lists, .n = n};
}

/* All that needs no check. */
static int begin_call(const args *a, comm *on, call *c)
{
    bool in_place = args_in_place(a);
    coll_sides has = coll_sides_of(a->kind, on->rank, a->root, in_place);
    int error;

    *c = (call){.coll = {.kind = a->kind,
                         .p = on->p,
                         .rank = on->rank,
                         .root = a->root,
                         .in_place = in_place},
                .comm = on,
                .algo = a->algo,
                .send = side_of_args(&a->send, has.send, on->p),
                .recv = side_of_args(&a->recv, has.recv, on->p)};
    if (!coll_has(a->kind, COLL_NEIGHBORS))
        return MPI_SUCCESS;
    error = comm_find_neighbors(on);
    if (error)
        return error;
    c->send.n = on->neighbors->ndestinations;
    c->recv.n = on->neighbors->nsources;
    return MPI_SUCCESS;
}

/* Is the data of what is moved, and may be cut, anything but contiguous bytes? Then its parts
 * are packed. */
static bool packs(const call *c)
{
    bool blocks = c->coll.kind == COLL_allgather || c->coll.kind == COLL_alltoall;

    if (c->coll.kind != COLL_bcast && !blocks)
        return false;
    return !datatype_is_contiguous(&c->recv.type) ||
           (blocks && c->send.extent && !datatype_is_contiguous(&c->send.type));
}

static int64_t common_bytes(const call *c)
{
    const coll_shape *shape = &coll_shapes[c->coll.kind];
    int64_t sent = side_bytes(&c->send), received = side_bytes(&c->recv), all;
    int64_t mine = side_own_bytes(c->recv.extent ? &c->recv : &c->send);

    if (!coll_has_common_size(c->coll.kind))
        return 0;
    if (shape->send != COLL_EACH && shape->recv != COLL_EACH)
        return sent > received ? sent : received;
    return __builtin_mul_overflow(mine, c->coll.p, &all) ? INT64_MAX : all;
}

/* The side where lies before the call what this rank gives: in place it is RECV, and of a vector
 * that is at the root. */
static int64_t given_bytes(const call *c)
{
    const coll_shape *shape = &coll_shapes[c->coll.kind];
    bool in_recv = c->coll.in_place && !(shape->traits & COLL_ROOT_SENDS);
    const call_side *s = in_recv ? &c->recv : &c->send;

    if (shape->send == COLL_NONE && c->coll.rank != c->coll.root)
        return 0;
    return shape->send >= COLL_EACH ? side_bytes(s) : side_own_bytes(s);
}

int call_check(const args *a, comm *on, call *c)
{
    int error = begin_call(a, on, c);

    if (!error)
        error = check_root(&c->coll);
    if (!error)
        error = check_count(&c->coll, &c->recv);
    if (!error)
        error = check_count(&c->coll, &c->send);
    if (!error)
        error = check_type(&c->recv, a->recv.type);
    if (!error)
        error = check_type(&c->send, a->send.type);
    if (!error)
        error = check_op(a, c);
    if (!error)
        error = call_check_buffers(c);
    if (error)
        return error;
    c->packs = packs(c);
    c->bytes = (coll_bytes){common_bytes(c), given_bytes(c)};
    return MPI_SUCCESS;
}
