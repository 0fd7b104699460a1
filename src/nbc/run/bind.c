/* bind.c - resolve an execution for given buffers and types: what an element of each space is,
 * where scratch lies, and each step to a message or to a copy.
 */
#include "nbc/run/exec.h"

#include "nbc/run/wire.h"

#include <stdlib.h>

void exec_unbind(exec *e)
{
    exec_free_requests(e);
    for (int i = 0; i < e->sched->nmessages; i++)
        if (e->messages[i].made) {
            PMPI_Type_free(&e->messages[i].type);
            e->messages[i].made = false;
        }
    for (int space = 0; space < SPACES; space++)
        datatype_release(&e->space[space].type);
    if (e->holds_op)
        operation_release(&e->bound.op);
    e->holds_op = false;
    free(e->pack);
    free(e->scratch);
    e->pack = e->scratch = NULL;
    e->memory = 0;
    e->reusable = e->spanning = false;
    e->bound.sendtype = e->bound.recvtype = MPI_DATATYPE_NULL;
}

/* A type of MPI_DATATYPE_NULL: there is no such side; elements of it are tokens without data. */
static int bind_space(const exec *e, space_binding *s, MPI_Datatype type, int64_t count)
{
    bool none = type == MPI_DATATYPE_NULL;
    int error = datatype_describe(none ? MPI_BYTE : type, &s->type);

    s->given = none ? MPI_BYTE : type;
    s->count = none ? 0 : count;
    s->parts = e->sched->parts;
    return error ? error : datatype_hold(&s->type);
}

/* A vector that is only moved is cut into bytes: so its parts are the same on all ranks, whatever
 * types they give. */
static bool cuts_bytes(const exec *e, const binding *b)
{
    return e->sched->parts > 1 && b->op.op == MPI_OP_NULL;
}

static int bind_recv(exec *e, const binding *b)
{
    space_binding *r = &e->space[SPACE_RECV];
    int error = bind_space(e, r, b->recvtype, b->recvcount);

    if (error || !cuts_bytes(e, b) || !r->type.dense)
        return error;
    datatype_release(&r->type);
    return bind_space(e, r, MPI_PACKED, b->recvcount * r->type.size);
}

static int bind_scratch_type(exec *e, const binding *b)
{
    const space_binding *r = &e->space[SPACE_RECV];
    space_binding *s = &e->space[SPACE_SCRATCH];

    *s = b->recvtype == MPI_DATATYPE_NULL && b->sendtype != MPI_DATATYPE_NULL ? e->space[SPACE_SEND]
                                                                              : *r;
    s->type.held = false; /* the reference is the other's */
    if (cuts_bytes(e, b) || (s->type.extent < s->type.true_extent && b->op.op == MPI_OP_NULL))
        return bind_space(e, s, MPI_PACKED, s->count * s->type.size);
    return MPI_SUCCESS;
}

static int bind_types(exec *e, const binding *b)
{
    bool sends = e->sched->extent[SPACE_SEND] > 0;
    int error = bind_recv(e, b);

    if (!error && sends)
        error = bind_space(e, &e->space[SPACE_SEND], b->sendtype, b->sendcount);
    if (!error)
        error = bind_scratch_type(e, b);
    if (!error)
        error = operation_hold(&b->op);
    e->holds_op = !error;
    e->reusable = e->space[SPACE_RECV].type.predefined && b->op.predefined &&
                  (!sends || e->space[SPACE_SEND].type.predefined);
    return error;
}

static int bind_messages(exec *e)
{
    const sched *s = e->sched;
    int64_t pack_size = 0;

    e->unpacks = false;
    for (int i = 0; i < s->nsteps; i++) {
        const step *st = &s->steps[i];
        message *m;
        int error;

        if (!step_is_message(st)) {
            e->copies[st->queue] = wire_resolve_copy(e, st);
            continue;
        }
        m = &e->messages[st->message];
        error = wire_resolve(e, st, m, &pack_size);
        if (error)
            return error;
        e->spanning |= m->made && wire_spans_spaces(e, st);
        e->unpacks |= st->kind == STEP_RECV && wire_packed(m);
    }
    e->pack = pack_size ? malloc((size_t)pack_size) : NULL;
    e->memory += pack_size;
    e->base[BASE_PACK] = e->pack;
    return pack_size && !e->pack ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static int bind_scratch(exec *e)
{
    const space_binding *s = &e->space[SPACE_SCRATCH];
    int64_t n = sched_items(s->parts, s->count, e->sched->extent[SPACE_SCRATCH]);

    if (n == 0)
        return MPI_SUCCESS;
    e->memory += datatype_span(&s->type, n);
    e->scratch = malloc((size_t)datatype_span(&s->type, n));
    if (!e->scratch)
        return MPI_ERR_NO_MEM;
    e->base[SPACE_SCRATCH] = e->scratch - s->type.true_lb;
    return MPI_SUCCESS;
}

static void bind_addresses(exec *e, const binding *b)
{
    e->bound = *b;
    e->base[SPACE_SEND] = b->sendbuf;
    e->base[SPACE_RECV] = b->recvbuf;
}

static bool same_shape(const binding *a, const binding *b)
{
    return a->recvtype == b->recvtype && a->recvcount == b->recvcount &&
           a->sendtype == b->sendtype && a->sendcount == b->sendcount && a->op.op == b->op.op;
}

static bool same_buffers(const binding *a, const binding *b)
{
    return a->sendbuf == b->sendbuf && a->recvbuf == b->recvbuf;
}

int exec_bind(exec *e, const binding *b)
{
    int error;

    if (e->reusable && same_shape(&e->bound, b) &&
        (!e->spanning || same_buffers(&e->bound, b))) { /* what is resolved holds still */
        bind_addresses(e, b);
        return MPI_SUCCESS;
    }
    exec_unbind(e);
    e->addressed = 0;
    bind_addresses(e, b);
    error = bind_types(e, b);
    if (!error)
        error = bind_scratch(e);
    if (!error)
        error = bind_messages(e);
    if (error)
        exec_unbind(e);
    return error;
}
