/* SPDX-License-Identifier: BSD-3-Clause */
/* args_check.c - check the arguments of a call. */
#include "api/args_side.h"

int side_block_bytes(const args_side *s, int i, int64_t *bytes)
{
    datatype type;
    int error;

    *bytes = 0;
    if (side_count(s, i) <= 0)
        return MPI_SUCCESS;
    error = datatype_describe(s->lists->types[i], &type);
    return !error && __builtin_mul_overflow(side_count(s, i), type.size, bytes) ? MPI_ERR_COUNT
                                                                                : error;
}

/* What is empty needs no type. */
static int check_block(const args_side *s, int i, int64_t *bytes)
{
    datatype type;
    int error = side_block_bytes(s, i, bytes);

    if (error || side_count(s, i) <= 0)
        return error;
    error = datatype_describe(s->lists->types[i], &type);
    return error ? error : datatype_check_committed(&type);
}

static int check_list(const args_side *s, int me, facts_side *f)
{
    bool listed = f->extent >= COLL_LISTED;
    int64_t n;
    int error;

    if (f->n > 0 && (!side_has_counts(s) || (listed && !side_has_displs(s)) ||
                     (f->extent == COLL_TYPED && !s->lists->types)))
        return MPI_ERR_ARG;
    for (int i = 0; i < f->n; i++) {
        n = side_count(s, i);
        if (n < 0)
            return MPI_ERR_COUNT;
        error = f->extent == COLL_TYPED ? check_block(s, i, &n) : MPI_SUCCESS;
        if (error)
            return error;
        if (f->extent == COLL_LISTED && n > 0 && side_displ(s, i) < f->low)
            f->low = side_displ(s, i);
        if (__builtin_add_overflow(f->total, n, &f->total))
            return MPI_ERR_COUNT;
        f->mine = i == me ? n : f->mine;
    }
    return MPI_SUCCESS;
}

/* Blocks of one length. In place, what is reduced and scattered lies in RECV before it is. What
 * goes to no neighbor is not there. */
static int blocks_of(const args *a, const facts *all, const facts_side *f)
{
    if (f->extent == COLL_EACH || (all->in_place && coll_shapes[a->kind].send == COLL_EACH))
        return f->n;
    return coll_has(a->kind, COLL_NEIGHBORS) && f->n == 0 ? 0 : 1;
}

static int check_count(const args *a, const args_side *s, const facts *all, facts_side *f)
{
    int error;

    if (f->extent == COLL_NONE)
        return MPI_SUCCESS;
    if (f->extent >= COLL_SIZED || side_is_sized(a, f)) {
        error = check_list(s, all->comm->rank, f);
        if (!error && side_is_sized(a, f) && !all->in_place)
            f->total = f->mine;
        return error;
    }
    if (s->count < 0 || __builtin_mul_overflow(s->count, blocks_of(a, all, f), &f->total))
        return MPI_ERR_COUNT;
    f->mine = s->count;
    return MPI_SUCCESS;
}

static bool product_fits(int64_t a, int64_t b)
{
    int64_t product;

    return !__builtin_mul_overflow(a, b, &product);
}

/* Can 64 bits count the bytes of the data, and of the memory from its first to its last one? */
static bool bytes_fit(const args_side *s, const facts_side *f)
{
    int64_t extent = f->type.extent, end;

    if (f->type.size == 0)
        return true;
    if (!product_fits(f->total, f->type.size) || !product_fits(f->low, extent))
        return false;
    if (f->extent != COLL_LISTED)
        return product_fits(f->total, extent);
    for (int i = 0; i < f->n; i++) {
        int64_t n = side_count(s, i);
        if (n > 0 && (__builtin_add_overflow(side_displ(s, i), n, &end) ||
                      __builtin_sub_overflow(end, f->low, &end) || !product_fits(end, extent)))
            return false;
    }
    return true;
}

static int check_type(const args_side *s, facts_side *f)
{
    int error;

    if (f->extent == COLL_NONE)
        return MPI_SUCCESS;
    if (f->extent == COLL_TYPED) /* the blocks' have been seen */
        return datatype_describe(MPI_BYTE, &f->type);
    error = datatype_describe(s->type, &f->type);
    if (!error)
        error = datatype_check_committed(&f->type);
    return !error && !bytes_fit(s, f) ? MPI_ERR_COUNT : error;
}

static int64_t bytes_of(const facts_side *f)
{
    return f->total * f->type.size;
}

/* A null address is MPI_BOTTOM: right for a type of absolute addresses, whose data begins far from
 * it, and for absolute displacements in bytes; an error for any other. */
static bool is_wrong(const args_side *s, const facts_side *f)
{
    if (f->extent == COLL_NONE)
        return false;
    return s->buffer == MPI_IN_PLACE || (s->buffer == NULL && bytes_of(f) > 0 &&
                                         f->type.true_lb == 0 && f->extent != COLL_TYPED);
}

/* Bytes before my block on a side that has others beside it. */
static int64_t before_mine(const args_side *s, const facts *all, const facts_side *f)
{
    if (f->extent == COLL_EACH)
        return all->comm->rank * s->count * f->type.extent;
    return f->extent == COLL_LISTED ? side_displ(s, all->comm->rank) * f->type.extent : 0;
}

/* Is all of one side compared with all of the other, and not my block with its place? Both have a
 * block for each rank, or I need not be my own neighbor. */
static bool are_many(const args *a, const facts *f)
{
    return coll_has(a->kind, COLL_NEIGHBORS) ||
           (f->send.extent > COLL_ONE && f->recv.extent > COLL_ONE);
}

/* Elements before the first block of a list that is not empty. */
static int64_t first_displ(const args_side *s, const facts_side *f)
{
    int64_t first = INT64_MAX;

    for (int i = 0; i < f->n && f->extent == COLL_LISTED; i++)
        if (side_count(s, i) > 0 && side_displ(s, i) < first)
            first = side_displ(s, i);
    return first < INT64_MAX ? first : 0;
}

int64_t args_forbidden(const args *a, const facts *f)
{
    if (are_many(a, f))
        return first_displ(&a->recv, &f->recv) * f->recv.type.extent -
               first_displ(&a->send, &f->send) * f->send.type.extent;
    if (coll_has(a->kind, COLL_REDUCES))
        return 0;
    return before_mine(&a->recv, f, &f->recv) - before_mine(&a->send, f, &f->send);
}

/* Does what is sent lie where something is received? Only the plain case: the first byte that is
 * sent is the first one that is received (of one block: from myself). */
static bool is_aliased(const args *a, const facts *f)
{
    int64_t received = are_many(a, f) ? f->recv.total : f->recv.mine;
    int64_t sent = are_many(a, f) ? f->send.total : f->send.mine;

    if (a->send.buffer == NULL || received * f->recv.type.size == 0 ||
        sent * f->send.type.size == 0)
        return false;
    return f->send.extent != COLL_TYPED && f->send.type.extent >= 0 && f->recv.type.extent >= 0 &&
           (const char *)a->send.buffer + f->send.type.true_lb ==
               (const char *)a->recv.buffer + args_forbidden(a, f) + f->recv.type.true_lb;
}

static int64_t bytes_at(const args_side *s, const facts_side *f, int i)
{
    int64_t bytes;

    if (f->extent < COLL_SIZED)
        return f->mine * f->type.size;
    if (f->extent < COLL_TYPED)
        return side_count(s, i) * f->type.size;
    side_block_bytes(s, i, &bytes);
    return bytes;
}

/* What I send to myself. If it is less than its place the MPIs go on, and so the others get what
 * they wait for. */
static int check_own(facts *f, int64_t sent, int64_t room)
{
    if (sent > room)
        return MPI_ERR_TRUNCATE;
    if (sent < room)
        f->error = MPI_ERR_COUNT;
    return MPI_SUCCESS;
}

/* The same of every edge from me to myself. A graph in which they do not match is none. */
static int check_own_edges(const args *a, facts *f)
{
    const coll_neighbors *n = comm_neighbors(f->comm, a->kind);
    int me = f->comm->rank, error = MPI_SUCCESS;

    for (int i = 0, own = 0, from; i < n->ndestinations && !error; i++) {
        if (n->destinations[i] != me)
            continue;
        from = coll_own_source(n, me, own++);
        error = from < 0 ? MPI_ERR_TOPOLOGY
                         : check_own(f, bytes_at(&a->send, &f->send, i),
                                     bytes_at(&a->recv, &f->recv, from));
    }
    return error;
}

static int check_buffers(const args *a, facts *f)
{
    const coll_shape *shape = &coll_shapes[a->kind];
    bool near = shape->traits & COLL_NEIGHBORS;
    bool at_root = f->comm->rank == a->root || !(shape->traits & COLL_ROOTED);
    int error;

    if (f->in_place && (near || !at_root) && shape->send != COLL_NONE)
        return MPI_ERR_BUFFER;
    if (is_wrong(&a->recv, &f->recv) || is_wrong(&a->send, &f->send))
        return MPI_ERR_BUFFER;
    if (!f->send.extent || !f->recv.extent)
        return MPI_SUCCESS;
    error = near ? check_own_edges(a, f)
                 : check_own(f, f->send.mine * f->send.type.size, f->recv.mine * f->recv.type.size);
    return !error && is_aliased(a, f) ? MPI_ERR_BUFFER : error;
}

static int check_root(const args *a, const facts *f)
{
    return coll_has(a->kind, COLL_ROOTED) && (a->root < 0 || a->root >= f->comm->p) ? MPI_ERR_ROOT
                                                                                    : MPI_SUCCESS;
}

/* After the types. */
static int check_op(const args *a, facts *f)
{
    if (!coll_has(a->kind, COLL_REDUCES))
        return MPI_SUCCESS;
    return operation_describe(a->op, a->recv.type, &f->op);
}

/* What this rank has, of how many blocks. */
static int find_sides(const args *a, facts *f)
{
    coll_sides has = args_sides(a, f->comm);
    int error;

    f->in_place = args_in_place(a);
    f->send = (facts_side){.extent = has.send, .n = f->comm->p};
    f->recv = (facts_side){.extent = has.recv, .n = f->comm->p};
    if (!coll_has(a->kind, COLL_NEIGHBORS))
        return MPI_SUCCESS;
    error = comm_find_neighbors(f->comm);
    if (error)
        return error;
    f->send.n = f->comm->neighbors->ndestinations;
    f->recv.n = f->comm->neighbors->nsources;
    return MPI_SUCCESS;
}

int args_check(const args *a, facts *f)
{
    int error = find_sides(a, f);

    f->op = operation_none;
    if (!error)
        error = check_root(a, f);
    if (!error)
        error = check_count(a, &a->recv, f, &f->recv);
    if (!error)
        error = check_count(a, &a->send, f, &f->send);
    if (!error)
        error = check_type(&a->recv, &f->recv);
    if (!error)
        error = check_type(&a->send, &f->send);
    if (!error)
        error = check_op(a, f);
    return error ? error : check_buffers(a, f);
}

int64_t args_bytes(const args *a, const facts *f)
{
    const coll_shape *shape = &coll_shapes[a->kind];
    int64_t sent = bytes_of(&f->send), received = bytes_of(&f->recv), all;

    if (!coll_has_common_size(a->kind))
        return 0;
    if (shape->send != COLL_EACH && shape->recv != COLL_EACH)
        return sent > received ? sent : received;
    return __builtin_mul_overflow(args_my_bytes(f), f->comm->p, &all) ? INT64_MAX : all;
}
