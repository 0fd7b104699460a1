/* args.c - check the arguments of a call and translate them.
 *
 * Where a side is one block or equal blocks, an element of its space is a block: so the plan serves
 * every count. Where it is listed, an element is one of the type, and the plan depends on counts
 * and displacements.
 */
#include "api/args.h"

#include <stdlib.h>

/* One side of the call, with what is known of it. */
typedef struct side {
    const args_side *given;
    coll_extent extent;
    facts_side *facts;
} side;

static side side_of(const args *a, facts *f, bool send)
{
    const coll_shape *shape = &coll_shapes[a->kind];

    return send ? (side){&a->send, shape->send, &f->send} : (side){&a->recv, shape->recv, &f->recv};
}

static int64_t count_of(const args_side *s, int i)
{
    return s->counts ? s->counts[i] : s->counts_c[i];
}

static int64_t displ_of(const args_side *s, int i)
{
    return s->displs ? s->displs[i] : s->displs_c[i];
}

/* ---- check ---- */

static int check_list(const args_side *s, const comm *c, facts_side *f)
{
    if ((!s->counts && !s->counts_c) || (!s->displs && !s->displs_c))
        return MPI_ERR_ARG;
    for (int i = 0; i < c->p; i++) {
        int64_t n = count_of(s, i);
        if (n < 0)
            return MPI_ERR_COUNT;
        if (n > 0 && displ_of(s, i) < f->low)
            f->low = displ_of(s, i);
        if (__builtin_add_overflow(f->total, n, &f->total))
            return MPI_ERR_COUNT;
    }
    f->mine = count_of(s, c->rank);
    return MPI_SUCCESS;
}

static int check_count(side s, const comm *c)
{
    int blocks = s.extent == COLL_EACH ? c->p : 1;

    if (s.extent == COLL_NONE)
        return MPI_SUCCESS;
    if (s.extent == COLL_LISTED)
        return check_list(s.given, c, s.facts);
    if (s.given->count < 0 || __builtin_mul_overflow(s.given->count, blocks, &s.facts->total))
        return MPI_ERR_COUNT;
    s.facts->mine = s.given->count;
    return MPI_SUCCESS;
}

static bool product_fits(int64_t a, int64_t b)
{
    int64_t product;

    return !__builtin_mul_overflow(a, b, &product);
}

/* Can 64 bits count the bytes of the data, and of the memory from its first to its last one? */
static bool bytes_fit(side s, int p)
{
    const facts_side *f = s.facts;
    int64_t extent = f->type.extent, end;

    if (f->type.size == 0)
        return true;
    if (!product_fits(f->total, f->type.size) || !product_fits(f->low, extent))
        return false;
    if (s.extent != COLL_LISTED)
        return product_fits(f->total, extent);
    for (int i = 0; i < p; i++) {
        int64_t n = count_of(s.given, i);
        if (n > 0 && (__builtin_add_overflow(displ_of(s.given, i), n, &end) ||
                      __builtin_sub_overflow(end, f->low, &end) || !product_fits(end, extent)))
            return false;
    }
    return true;
}

static int check_type(side s, int p)
{
    int error;

    if (s.extent == COLL_NONE)
        return MPI_SUCCESS;
    error = datatype_describe(s.given->type, &s.facts->type);
    if (!error)
        error = datatype_check_committed(&s.facts->type);
    return !error && !bytes_fit(s, p) ? MPI_ERR_COUNT : error;
}

static int64_t bytes_of(const facts_side *f)
{
    return f->total * f->type.size;
}

/* A null address is MPI_BOTTOM: right for a type of absolute addresses, whose data begins far from
 * it, and an error for any other. */
static bool is_null(side s)
{
    return s.given->buffer == NULL && bytes_of(s.facts) > 0 && s.facts->type.true_lb == 0;
}

int64_t args_forbidden(const args *a, const facts *f)
{
    const coll_shape *shape = &coll_shapes[a->kind];

    if (shape->send != COLL_ONE || shape->recv == COLL_ONE)
        return 0;
    if (shape->recv == COLL_EACH)
        return f->comm->rank * a->recv.count * f->recv.type.extent;
    return displ_of(&a->recv, f->comm->rank) * f->recv.type.extent;
}

/* Elements before the first block of a list that is not empty. */
static int64_t first_displ(const args_side *s, int p)
{
    int64_t first = INT64_MAX;

    for (int i = 0; i < p; i++)
        if (count_of(s, i) > 0 && displ_of(s, i) < first)
            first = displ_of(s, i);
    return first;
}

/* Does what is sent lie where something is received? Only the plain case: the first byte that is
 * sent is the first one that is received (of one block: from myself). */
static bool is_aliased(const args *a, const facts *f)
{
    const coll_shape *shape = &coll_shapes[a->kind];
    int64_t received = (shape->send == COLL_ONE ? f->recv.mine : f->recv.total) * f->recv.type.size;
    int64_t from = f->send.type.true_lb, to = args_forbidden(a, f) + f->recv.type.true_lb;

    if (a->send.buffer == NULL || received == 0 || bytes_of(&f->send) == 0)
        return false;
    if (shape->send == COLL_LISTED)
        from += first_displ(&a->send, f->comm->p) * f->send.type.extent;
    if (shape->send != COLL_ONE && shape->recv == COLL_LISTED)
        to += first_displ(&a->recv, f->comm->p) * f->recv.type.extent;
    return f->send.type.extent >= 0 && f->recv.type.extent >= 0 &&
           (const char *)a->send.buffer + from == (const char *)a->recv.buffer + to;
}

static int check_buffers(const args *a, facts *f)
{
    int64_t sent = f->send.mine * f->send.type.size, room = f->recv.mine * f->recv.type.size;

    if (a->recv.buffer == MPI_IN_PLACE || is_null(side_of(a, f, false)))
        return MPI_ERR_BUFFER;
    if (f->in_place)
        return MPI_SUCCESS;
    if (is_null(side_of(a, f, true)))
        return MPI_ERR_BUFFER;
    if (sent > room)
        return MPI_ERR_TRUNCATE;
    if (sent < room) /* the MPIs go on, and so the others get what they wait for */
        f->error = MPI_ERR_COUNT;
    return is_aliased(a, f) ? MPI_ERR_BUFFER : MPI_SUCCESS;
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

int args_check(const args *a, facts *f)
{
    side send = side_of(a, f, true), recv = side_of(a, f, false);
    int error;

    f->in_place = args_in_place(a);
    f->op = operation_none;
    error = check_root(a, f);
    if (!error)
        error = check_count(recv, f->comm);
    if (!error && !f->in_place)
        error = check_count(send, f->comm);
    if (!error)
        error = check_type(recv, f->comm->p);
    if (!error && !f->in_place)
        error = check_type(send, f->comm->p);
    if (!error)
        error = check_op(a, f);
    return error ? error : check_buffers(a, f);
}

int64_t args_bytes(const args *a, const facts *f)
{
    return coll_shapes[a->kind].send == COLL_LISTED ? 0 : bytes_of(&f->recv);
}

/* ---- translate ---- */

coll args_coll(const args *a, const facts *f)
{
    return (coll){.kind = a->kind,
                  .p = f->comm->p,
                  .rank = f->comm->rank,
                  .root = a->root,
                  .in_place = f->in_place,
                  .ordered = !f->op.commutes,
                  .whole = !f->op.predefined};
}

/* Counts, then displacements, of what is not empty. */
static void fill_key(side s, int p, int64_t *v)
{
    for (int i = 0; i < p; i++) {
        v[i] = s.facts->type.size ? count_of(s.given, i) : 0;
        v[p + i] = v[i] ? displ_of(s.given, i) - s.facts->low : 0;
    }
}

/* Is the data of a vector anything else than a run of bytes? Then its parts are packed. */
static bool packs(const args *a, const facts *f)
{
    const coll_shape *shape = &coll_shapes[a->kind];

    return shape->recv == COLL_ONE && !(shape->traits & COLL_REDUCES) &&
           !datatype_is_run(&f->recv.type);
}

plan_key *args_key(const args *a, const facts *f, plan_key *small, size_t *size)
{
    facts copy = *f;
    side listed[2] = {side_of(a, &copy, false), side_of(a, &copy, true)};
    size_t p = (size_t)f->comm->p, rows = 0;
    plan_key *key = small;

    if (f->in_place)
        listed[1].extent = COLL_NONE;
    for (int i = 0; i < 2; i++)
        rows += listed[i].extent == COLL_LISTED ? 2 : 0;
    *size = sizeof *key + rows * p * sizeof *key->v;
    if (rows)
        key = malloc(*size);
    if (!key)
        return NULL;
    *key = (plan_key){.kind = (uint16_t)a->kind,
                      .root = a->root,
                      .in_place = f->in_place,
                      .ordered = !f->op.commutes,
                      .whole = !f->op.predefined,
                      .packs = packs(a, f),
                      .send_empty = f->recv.mine * f->recv.type.size == 0,
                      .recv_empty = bytes_of(&f->recv) == 0};
    for (size_t i = 0, at = 0; i < 2; i++)
        if (listed[i].extent == COLL_LISTED) {
            fill_key(listed[i], f->comm->p, key->v + at);
            at += 2 * p;
        }
    return key;
}

void args_key_free(plan_key *key, const plan_key *small)
{
    if (key != small)
        free(key);
}

/* Items of the type in one element of the space. */
static int64_t unit_of(coll_extent extent, const args_side *s)
{
    return extent == COLL_LISTED ? 1 : s->count;
}

binding args_binding(const args *a, const facts *f)
{
    const coll_shape *shape = &coll_shapes[a->kind];
    binding b = {.sendtype = MPI_DATATYPE_NULL,
                 .recvtype = MPI_DATATYPE_NULL,
                 .op = f->op,
                 .packs = packs(a, f),
                 .error = f->error};

    if (shape->recv != COLL_NONE) {
        b.recvbuf = (char *)a->recv.buffer + f->recv.low * f->recv.type.extent;
        b.recvtype = a->recv.type;
        b.recvcount = unit_of(shape->recv, &a->recv);
    }
    if (!f->in_place) {
        b.sendbuf = (char *)a->send.buffer + f->send.low * f->send.type.extent;
        b.sendtype = a->send.type;
        b.sendcount = unit_of(shape->send, &a->send);
    }
    return b;
}
