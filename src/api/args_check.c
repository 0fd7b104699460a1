/* SPDX-License-Identifier: BSD-3-Clause */
/* args_check.c - check the arguments of a call, and make its value. */
#include "api/checked.h"

#include "nbc/process/reason.h"

/* ---- counts ---- */

/* "sendcount", "recvcount" or "count": as the function's parameter is called. */
static const char *count_name(const call *c, const call_side *s)
{
    const coll_shape *shape = &coll_shapes[c->coll.kind];

    if (shape->send == COLL_NONE ||
        (shape->send == COLL_ONE && coll_has(c->coll.kind, COLL_REDUCES)))
        return "count";
    return s == &c->send && !coll_has(c->coll.kind, COLL_REDUCES) ? "sendcount" : "recvcount";
}

static int count_overflows(const call *c, const call_side *s)
{
    return reason_set(MPI_ERR_COUNT, "%s is too large: 64 bits cannot count what it stands for",
                      count_name(c, s));
}

static int check_given(const call *c, const call_side *s)
{
    const args_lists *l = s->lists;
    const char *name = count_name(c, s), *displs = "displs";

    if (s->n == 0 || (lists_have_counts(l) && (s->extent < COLL_LISTED || lists_have_displs(l)) &&
                      (s->extent != COLL_TYPED || l->types)))
        return MPI_SUCCESS;
    if (coll_shapes[c->coll.kind].send >= COLL_LISTED)
        displs = s == &c->send ? "sdispls" : "rdispls";
    if (!lists_have_counts(l))
        return reason_set(MPI_ERR_ARG, "%ss is NULL", name);
    if (!lists_have_displs(l))
        return reason_set(MPI_ERR_ARG, "%s is NULL", displs);
    return reason_set(MPI_ERR_ARG, "%.4stypes is NULL", name);
}

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

static int check_list(const call *c, call_side *s)
{
    const args_lists *l = s->lists;
    int64_t n;
    int error = check_given(c, s);

    for (int i = 0; i < s->n && !error; i++) {
        n = lists_count(l, i);
        if (n < 0)
            return reason_set(MPI_ERR_COUNT, "%ss[%d] is %lld", count_name(c, s), i, (long long)n);
        error = s->extent == COLL_TYPED ? check_block(l, i, &n) : MPI_SUCCESS;
        if (error)
            return error;
        if (s->extent == COLL_LISTED && n > 0 && lists_displ(l, i) < s->low)
            s->low = lists_displ(l, i);
        if (__builtin_add_overflow(s->total, n, &s->total))
            return count_overflows(c, s);
        s->mine = i == c->coll.rank ? n : s->mine;
    }
    return error;
}

/* Blocks of one length. In place, what is reduced and scattered lies in RECV before it is. What
 * goes to no neighbor is not there. */
static int blocks_of_side(const coll *c, const call_side *s)
{
    if (s->extent == COLL_EACH || (c->in_place && coll_shapes[c->kind].send == COLL_EACH))
        return s->n;
    return coll_has(c->kind, COLL_NEIGHBORS) && s->n == 0 ? 0 : 1;
}

static int check_count(const call *c, call_side *s)
{
    /* the receive side of a call whose send side is the list of what all receive */
    bool sized = coll_shapes[c->coll.kind].send == COLL_SIZED && s->extent == COLL_ONE;
    int error;

    if (s->extent == COLL_NONE)
        return MPI_SUCCESS;
    if (s->extent >= COLL_SIZED || sized) {
        s->count = 1;
        error = check_list(c, s);
        if (!error && sized && !c->coll.in_place)
            s->total = s->mine;
        return error;
    }
    if (s->count < 0)
        return reason_set(MPI_ERR_COUNT, "%s is %lld", count_name(c, s), (long long)s->count);
    if (__builtin_mul_overflow(s->count, blocks_of_side(&c->coll, s), &s->total))
        return count_overflows(c, s);
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

static int check_type(const call *c, call_side *s, MPI_Datatype given)
{
    int error;

    if (s->extent == COLL_NONE)
        return MPI_SUCCESS;
    if (s->extent == COLL_TYPED) /* the blocks' have been seen */
        return datatype_describe(MPI_BYTE, &s->type);
    error = datatype_describe(given, &s->type);
    if (!error)
        error = datatype_check_committed(&s->type);
    return !error && !bytes_fit(s) ? count_overflows(c, s) : error;
}

/* ---- the whole ---- */

static int check_root(const coll *c)
{
    if (!coll_has(c->kind, COLL_ROOTED) || (c->root >= 0 && c->root < c->p))
        return MPI_SUCCESS;
    return reason_set(MPI_ERR_ROOT, "root is %d; the communicator has %d rank%s", c->root, c->p,
                      c->p == 1 ? "" : "s");
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
        error = check_count(c, &c->recv);
    if (!error)
        error = check_count(c, &c->send);
    if (!error)
        error = check_type(c, &c->recv, a->recv.type);
    if (!error)
        error = check_type(c, &c->send, a->send.type);
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
