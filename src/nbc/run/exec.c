/* exec.c - allocate, bind and reset an execution. */
#include "nbc/run/exec.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/comm.h"
#include "nbc/run/wire.h"

#include <stdlib.h>
#include <string.h>

/* The arrays of an exec, in one block: pass 1 (memory NULL) computes the size, pass 2 assigns. */
static size_t layout(exec *e, char *memory)
{
    const sched *s = e->sched;
    size_t n = (size_t)s->nsteps, messages = (size_t)s->nmessages, queues = (size_t)s->nqueues;
    size_t statuses = queues > EXEC_WAITALL ? queues : EXEC_WAITALL, at = 0;

#define PLACE(field, count)                                                                        \
    do {                                                                                           \
        at = (at + 15) / 16 * 16;                                                                  \
        if (memory)                                                                                \
            e->field = (void *)(memory + at);                                                      \
        at += (count) * sizeof *e->field;                                                          \
    } while (0)
    PLACE(messages, messages);
    PLACE(copies, n - messages);
    PLACE(requests, messages);
    PLACE(waiting, n);
    PLACE(ready, n);
    PLACE(after, n);
    PLACE(queue_head, queues);
    PLACE(queue_tail, queues);
#ifdef TUTTI_SIMULATED
    PLACE(held, queues);
#endif
    PLACE(probe_step, statuses);
    PLACE(probe_request, statuses);
    PLACE(indices, statuses);
    PLACE(statuses, statuses);
#undef PLACE
    return at;
}

static void fill_arrays(exec *e)
{
    const sched *s = e->sched;

    for (int i = 0; i < s->nmessages; i++)
        e->requests[i] = MPI_REQUEST_NULL;
    memset(e->queue_head, -1, (size_t)s->nqueues * sizeof *e->queue_head);
    memset(e->after, -1, (size_t)s->nsteps * sizeof *e->after); /* for good, if it is flat */
}

exec *exec_create_empty(void)
{
    static const sched nothing;

    return exec_create(&nothing);
}

bool exec_attach(exec *e, const sched *s)
{
    exec shape = {.sched = s};

    e->arrays = calloc(1, layout(&shape, NULL) + 1);
    if (!e->arrays)
        return false;
    e->sched = s;
    layout(e, e->arrays);
    fill_arrays(e);
    return true;
}

exec *exec_create(const sched *s)
{
    exec shape = {.sched = s};
    size_t head = (sizeof shape + 15) / 16 * 16;
    exec *e = calloc(1, head + layout(&shape, NULL));

    if (!e)
        return NULL;
    e->sched = s;
    layout(e, (char *)e + head);
    fill_arrays(e);
    e->native = MPI_REQUEST_NULL;
    e->bound.sendtype = e->bound.recvtype = MPI_DATATYPE_NULL;
    atomic_init(&e->state, EXEC_IDLE);
    return e;
}

static void free_requests(exec *e)
{
    for (int i = 0; e->persistent_messages && i < e->sched->nmessages; i++)
        if (e->requests[i] != MPI_REQUEST_NULL)
            PMPI_Request_free(&e->requests[i]);
    e->persistent_messages = false;
}

void exec_unbind(exec *e)
{
    free_requests(e);
    for (int i = 0; i < e->sched->nmessages; i++)
        if (e->messages[i].made) {
            PMPI_Type_free(&e->messages[i].type);
            e->messages[i].made = false;
        }
    for (int space = 0; space < SPACES; space++)
        datatype_release(&e->space[space].type);
    free(e->pack);
    free(e->scratch);
    e->pack = e->scratch = NULL;
    e->memory = 0;
    e->reusable = e->spanning = false;
    e->bound.sendtype = e->bound.recvtype = MPI_DATATYPE_NULL;
}

void exec_free(exec *e)
{
    if (!e)
        return;
    exec_unbind(e);
    free(e->arrays);
    free(e);
}

/* ---- bind ---- */

static int bind_space(space_binding *s, MPI_Datatype type, int64_t count)
{
    int error = datatype_describe(type, &s->type);

    s->given = type;
    s->count = count;
    if (error)
        return error;
    s->stride = count * s->type.extent;
    s->size = count * s->type.size;
    return datatype_hold(&s->type);
}

static int bind_scratch_type(exec *e, const binding *b)
{
    const space_binding *r = &e->space[SPACE_RECV];
    space_binding *s = &e->space[SPACE_SCRATCH];

    *s = *r;
    s->type.held = false; /* the reference is RECV's */
    if (r->type.extent >= r->type.true_extent || b->op != MPI_OP_NULL)
        return MPI_SUCCESS;
    return bind_space(s, MPI_PACKED, r->size);
}

static int bind_types(exec *e, const binding *b)
{
    int error = bind_space(&e->space[SPACE_RECV], b->recvtype, b->recvcount);

    if (!error && e->sched->extent[SPACE_SEND])
        error = bind_space(&e->space[SPACE_SEND], b->sendtype, b->sendcount);
    if (!error)
        error = bind_scratch_type(e, b);
    e->reusable = e->space[SPACE_RECV].type.predefined &&
                  (!e->sched->extent[SPACE_SEND] || e->space[SPACE_SEND].type.predefined);
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
    int64_t n = e->sched->extent[SPACE_SCRATCH] * s->count;

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
           a->sendtype == b->sendtype && a->sendcount == b->sendcount;
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

static int64_t largest_message(const exec *e)
{
    int64_t most = 0;

    for (int i = 0; i < e->sched->nmessages; i++) {
        const message *m = &e->messages[i];
        MPI_Count size = 0;
        PMPI_Type_size_x(m->type, &size);
        if (size * m->count > most)
            most = size * m->count;
    }
    return most;
}

void exec_address(exec *e)
{
    const comm *c = e->comm;

    for (int i = 0; i < e->sched->nsteps; i++) {
        const step *st = &e->sched->steps[i];
        if (!step_is_message(st))
            continue;
        message *m = &e->messages[st->message];
        int receiver = st->kind == STEP_SEND ? st->peer : c->rank;
        m->peer = comm_place(c, st->peer);
        m->tag = channel_tag(comm_number(c, e->lane, receiver)) + st->tag;
    }
    e->addressed = e->lane + 1;
}

int exec_make_requests(exec *e)
{
    const sched *s = e->sched;
    int error = MPI_SUCCESS;

#ifdef TUTTI_SIMULATED /* SimGrid's persistent messages are not to be trusted */
    return MPI_SUCCESS;
#endif
    if (!wire_persistent(largest_message(e)))
        return MPI_SUCCESS;
    e->persistent_messages = true;
    exec_address(e);
    for (int i = 0; i < s->nsteps && !error; i++) {
        const step *st = &s->steps[i];
        if (!step_is_message(st))
            continue;
        const message *m = &e->messages[st->message];
        char *at = e->base[m->base] + m->offset;
        MPI_Request *r = &e->requests[st->message];
        int tag = m->tag + e->window * SCHED_WINDOW;
        MPI_Comm wire = e->comm->wire.comm;
        error = st->kind == STEP_SEND
                    ? PMPI_Send_init(at, m->count, m->type, m->peer, tag, wire, r)
                    : PMPI_Recv_init(at, m->count, m->type, m->peer, tag, wire, r);
    }
    if (error)
        free_requests(e);
    return error;
}

void exec_reset(exec *e)
{
    const sched *s = e->sched;

    memcpy(e->waiting, s->ndeps, (size_t)s->nsteps * sizeof *e->waiting);
    memset(e->queue_head, -1, (size_t)s->nqueues * sizeof *e->queue_head);
#ifdef TUTTI_SIMULATED
    memset(e->held, 0, (size_t)s->nqueues * sizeof *e->held);
#endif
    e->left = s->nsteps;
    e->nopen = 0;
    e->ready_head = e->ready_tail = 0;
    e->local_head = e->local_tail = s->nmessages;
    e->nprobes = e->turn = 0;
    e->error = e->bound.error;
    e->fruitless = 0;
}
