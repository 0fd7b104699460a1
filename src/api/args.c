/* args.c - check the arguments of a call and translate them.
 *
 * One element of a space is a block in a regular collective: so the plan serves every count. In a
 * v-collective it is one element of the type, and the plan depends on counts and displacements.
 */
#include "api/args.h"

#include <stdlib.h>

/* ---- check ---- */

/* Has this side counts of every rank? The send side of an allgatherv has not. */
static bool is_vector(coll_kind kind, bool send)
{
    return send ? kind == COLL_ALLTOALLV : coll_is_v(kind);
}

static int64_t count_of(const args_side *s, int i)
{
    return s->counts ? s->counts[i] : s->counts_c[i];
}

static int64_t displ_of(const args_side *s, int i)
{
    return s->displs ? s->displs[i] : s->displs_c[i];
}

static int check_vector(const args_side *s, int p, int me, facts_side *f)
{
    if ((!s->counts && !s->counts_c) || (!s->displs && !s->displs_c))
        return MPI_ERR_ARG;
    for (int i = 0; i < p; i++) {
        int64_t n = count_of(s, i);
        if (n < 0)
            return MPI_ERR_COUNT;
        if (n > 0 && displ_of(s, i) < f->low)
            f->low = displ_of(s, i);
        if (__builtin_add_overflow(f->total, n, &f->total))
            return MPI_ERR_COUNT;
    }
    f->mine = count_of(s, me);
    return MPI_SUCCESS;
}

static int check_regular(const args_side *s, int blocks, facts_side *f)
{
    if (s->count < 0 || __builtin_mul_overflow(s->count, blocks, &f->total))
        return MPI_ERR_COUNT;
    f->mine = s->count;
    return MPI_SUCCESS;
}

static int check_counts(const args *a, facts *f)
{
    int p = f->comm->p, me = f->comm->rank;
    int error = is_vector(a->kind, false) ? check_vector(&a->recv, p, me, &f->recv)
                                          : check_regular(&a->recv, p, &f->recv);

    if (error || f->in_place)
        return error;
    if (is_vector(a->kind, true))
        return check_vector(&a->send, p, me, &f->send);
    return check_regular(&a->send, a->kind == COLL_ALLTOALL ? p : 1, &f->send);
}

static bool product_fits(int64_t a, int64_t b)
{
    int64_t product;

    return !__builtin_mul_overflow(a, b, &product);
}

/* Can 64 bits count the bytes of the data, and of the memory from its first to its last one? */
static bool bytes_fit(const args_side *s, bool vector, int p, const facts_side *f)
{
    int64_t extent = f->type.extent, end;

    if (f->type.size == 0)
        return true;
    if (!product_fits(f->total, f->type.size) || !product_fits(f->low, extent))
        return false;
    if (!vector)
        return product_fits(f->total, extent);
    for (int i = 0; i < p; i++) {
        int64_t n = count_of(s, i);
        if (n > 0 && (__builtin_add_overflow(displ_of(s, i), n, &end) ||
                      __builtin_sub_overflow(end, f->low, &end) || !product_fits(end, extent)))
            return false;
    }
    return true;
}

static int check_type(const args_side *s, bool vector, int p, facts_side *f)
{
    int error = datatype_describe(s->type, &f->type);

    if (!error)
        error = datatype_check_committed(&f->type);
    return !error && !bytes_fit(s, vector, p, f) ? MPI_ERR_COUNT : error;
}

/* A null address is MPI_BOTTOM: right for a type of absolute addresses, whose data begins far from
 * it, and an error for any other. */
static bool is_null(const args_side *s, const facts_side *f)
{
    return s->buffer == NULL && f->total * f->type.size > 0 && f->type.true_lb == 0;
}

int64_t args_forbidden(const args *a, const facts *f)
{
    if (a->kind == COLL_ALLGATHER)
        return f->comm->rank * a->recv.count * f->recv.type.extent;
    if (a->kind == COLL_ALLGATHERV)
        return displ_of(&a->recv, f->comm->rank) * f->recv.type.extent;
    return 0;
}

/* Elements before the first block of a vector that is not empty. */
static int64_t first_displ(const args_side *s, int p)
{
    int64_t first = INT64_MAX;

    for (int i = 0; i < p; i++)
        if (count_of(s, i) > 0 && displ_of(s, i) < first)
            first = displ_of(s, i);
    return first;
}

/* Does what is sent lie where something is received? Only the plain case: the first byte that is
 * sent is the first one that is received (allgather: from myself). */
static bool is_aliased(const args *a, const facts *f)
{
    bool allgather = a->kind == COLL_ALLGATHER || a->kind == COLL_ALLGATHERV;
    int64_t received = (allgather ? f->recv.mine : f->recv.total) * f->recv.type.size;
    int64_t from = f->send.type.true_lb, to = args_forbidden(a, f) + f->recv.type.true_lb;

    if (a->send.buffer == NULL || received == 0 || f->send.total * f->send.type.size == 0)
        return false;
    if (a->kind == COLL_ALLTOALLV) {
        from += first_displ(&a->send, f->comm->p) * f->send.type.extent;
        to += first_displ(&a->recv, f->comm->p) * f->recv.type.extent;
    }
    return f->send.type.extent >= 0 && f->recv.type.extent >= 0 &&
           (const char *)a->send.buffer + from == (const char *)a->recv.buffer + to;
}

static int check_buffers(const args *a, facts *f)
{
    int64_t sent = f->send.mine * f->send.type.size, room = f->recv.mine * f->recv.type.size;

    if (a->recv.buffer == MPI_IN_PLACE || is_null(&a->recv, &f->recv))
        return MPI_ERR_BUFFER;
    if (f->in_place)
        return MPI_SUCCESS;
    if (is_null(&a->send, &f->send))
        return MPI_ERR_BUFFER;
    if (sent > room)
        return MPI_ERR_TRUNCATE;
    if (sent < room) /* the MPIs go on, and so the others get what they wait for */
        f->error = MPI_ERR_COUNT;
    return is_aliased(a, f) ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

int args_check(const args *a, facts *f)
{
    int error;

    f->in_place = a->send.buffer == MPI_IN_PLACE;
    error = check_counts(a, f);
    if (!error)
        error = check_type(&a->recv, is_vector(a->kind, false), f->comm->p, &f->recv);
    if (!error && !f->in_place)
        error = check_type(&a->send, is_vector(a->kind, true), f->comm->p, &f->send);
    return error ? error : check_buffers(a, f);
}

int64_t args_bytes(const args *a, const facts *f)
{
    return a->kind == COLL_ALLTOALLV ? 0 : f->recv.total * f->recv.type.size;
}

/* ---- translate ---- */

/* Counts, then displacements, of what is not empty. */
static void fill_key(const args_side *s, const facts_side *f, int p, int64_t *v)
{
    for (int i = 0; i < p; i++) {
        v[i] = f->type.size ? count_of(s, i) : 0;
        v[p + i] = v[i] ? displ_of(s, i) - f->low : 0;
    }
}

plan_key *args_key(const args *a, const facts *f, plan_key *small, size_t *size)
{
    size_t p = (size_t)f->comm->p, rows = 0;
    bool send_vector = is_vector(a->kind, true) && !f->in_place;
    plan_key *key = small;

    if (coll_is_v(a->kind))
        rows = send_vector ? 4 : 2;
    *size = sizeof *key + rows * p * sizeof *key->v;
    if (rows)
        key = malloc(*size);
    if (!key)
        return NULL;
    *key = (plan_key){.kind = (uint16_t)a->kind,
                      .in_place = f->in_place,
                      .send_empty = f->recv.mine * f->recv.type.size == 0,
                      .recv_empty = f->recv.total * f->recv.type.size == 0};
    if (rows)
        fill_key(&a->recv, &f->recv, f->comm->p, key->v);
    if (send_vector)
        fill_key(&a->send, &f->send, f->comm->p, key->v + 2 * p);
    return key;
}

void args_key_free(plan_key *key, const plan_key *small)
{
    if (key != small)
        free(key);
}

binding args_binding(const args *a, const facts *f)
{
    binding b = {.sendbuf = NULL,
                 .sendtype = MPI_DATATYPE_NULL,
                 .recvbuf = (char *)a->recv.buffer + f->recv.low * f->recv.type.extent,
                 .recvtype = a->recv.type,
                 .recvcount = is_vector(a->kind, false) ? 1 : a->recv.count,
                 .op = MPI_OP_NULL,
                 .error = f->error};

    if (!f->in_place) {
        b.sendbuf = (char *)a->send.buffer + f->send.low * f->send.type.extent;
        b.sendtype = a->send.type;
        b.sendcount = is_vector(a->kind, true) ? 1 : a->send.count;
    }
    return b;
}
