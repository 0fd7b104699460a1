/* SPDX-License-Identifier: BSD-3-Clause */
/* exec.c - allocate, address and reset an execution. bind.c resolves it for buffers and types. */
#include "nbc/run/exec.h"

#include "nbc/comm/channel.h"
#include "nbc/comm/comm.h"
#include "nbc/process/layout.h"
#include "nbc/process/mpi_calls.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/reason.h"
#include "nbc/process/simulated.h"
#include "nbc/run/wire.h"

#include <stdlib.h>
#include <string.h>

/* A block of an exec's arrays for the schedule, after `head` bytes; NULL: out of memory. */
static void *make_arrays(exec *e, const sched *s, size_t head)
{
    int n = s->nsteps, messages = s->nmessages, queues = s->nqueues;
    int waited = messages < EXEC_WAITALL ? messages : EXEC_WAITALL;
    int statuses = queues > waited ? queues : waited;
    const layout_array arrays[] = {
        LAYOUT(e->bound.messages, messages),
        LAYOUT(e->bound.locals, n - messages),
        LAYOUT(e->run.requests, messages),
        LAYOUT(e->run.waiting, n),
        LAYOUT(e->run.ready, n),
        LAYOUT(e->run.after, n),
        LAYOUT(e->run.queue_head, queues),
        LAYOUT(e->run.queue_tail, queues),
        LAYOUT(e->run.held, simulated() ? queues : 0),
        LAYOUT(e->run.probe_step, statuses),
        LAYOUT(e->run.probe_request, statuses),
        LAYOUT(e->run.indices, statuses),
        LAYOUT(e->run.finished, messages),
        LAYOUT(e->run.statuses, statuses),
    };
    void *block = layout_make(head, arrays, LAYOUT_LENGTH(arrays));

    if (!block)
        return NULL;
    e->bound.sched = s;
    for (int i = 0; i < messages; i++)
        e->run.requests[i] = MPI_REQUEST_NULL;
    memset(e->run.queue_head, -1, (size_t)queues * sizeof *e->run.queue_head);
    memset(e->run.after, -1, (size_t)n * sizeof *e->run.after); /* for good, if it is flat */
    if (head)
        e->size = layout_assign(NULL, head, arrays, LAYOUT_LENGTH(arrays));
    return block;
}

static const int32_t none[1]; /* memcpy wants an address even of nothing */
static const sched nothing = {.parts = 1, .ndeps = none};

exec *exec_create_empty(void)
{
    return exec_create(&nothing);
}

bool exec_attach(exec *e, const sched *s)
{
    e->arrays = make_arrays(e, s, 0);
    return e->arrays;
}

void exec_detach(exec *e)
{
    shm_free(&e->shm);
    bind_release(&e->bound);
    free(e->arrays);
    e->arrays = NULL;
    e->bound.sched = &nothing;
    e->bound.addressed = 0;
}

exec *exec_create(const sched *s)
{
    exec shape = {.native.request = MPI_REQUEST_NULL}, *e = make_arrays(&shape, s, sizeof shape);

    if (!e)
        return NULL;
    shape.bound.given.sendtype = shape.bound.given.recvtype = MPI_DATATYPE_NULL;
    *e = shape;
    atomic_init(&e->state, EXEC_IDLE);
    return e;
}

static void exec_free_requests(exec *e)
{
    for (int i = 0; e->run.persistent && i < e->bound.sched->nmessages; i++)
        if (e->run.requests[i] != MPI_REQUEST_NULL)
            native_mpi.Request_free(&e->run.requests[i]);
    e->run.persistent = false;
}

void exec_free(exec *e)
{
    if (!e)
        return;
    exec_free_requests(e);
    shm_free(&e->shm);
    bind_release(&e->bound);
    free(e->arrays);
    free(e);
}

static int64_t largest_message(const exec *e)
{
    int64_t most = 0;

    for (int i = 0; i < e->bound.sched->nmessages; i++) {
        const message *m = &e->bound.messages[i];
        MPI_Count size = 0;
        mpi_type_size(m->type, &size);
        if (size * m->count > most)
            most = size * m->count;
    }
    return most;
}

void exec_address(exec *e)
{
    const comm *c = e->comm;

    for (int i = 0; i < e->bound.sched->nsteps; i++) {
        const step *st = &e->bound.sched->steps[i];
        if (!step_is_message(st))
            continue;
        message *m = &e->bound.messages[st->message];
        int receiver = st->kind == STEP_SEND ? st->peer : c->rank;
        m->peer = m->empty ? MPI_PROC_NULL : comm_channel_rank(c, st->peer);
        m->tag = channel_tag(comm_context_id(c, e->ticket.tag_space, receiver)) + st->tag;
    }
    e->bound.addressed = e->ticket.tag_space + 1;
}

int exec_address_all(exec *e)
{
    int error;

    exec_address(e);
    error = shm_address(&e->shm, &e->bound, e->comm->shm_peers);
    if (error)
        exec_forget_address(e);
    return error;
}

static int make_requests(exec *e)
{
    const sched *s = e->bound.sched;
    int error = MPI_SUCCESS;

    if (simulated() || !wire_persistent(largest_message(e))) /* SimGrid's are not to be trusted */
        return MPI_SUCCESS;
    e->run.persistent = true;
    for (int i = 0; i < s->nmessages; i++) /* they are of another operation, and completed */
        e->run.requests[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < s->nsteps && !error; i++) {
        const step *st = &s->steps[i];
        if (!step_is_message(st) || shm_takes(e->shm, st))
            continue;
        const message *m = &e->bound.messages[st->message];
        char *at = e->bound.base[m->base] + m->offset;
        MPI_Request *r = &e->run.requests[st->message];
        int tag = m->tag + e->ticket.window * SCHED_WINDOW;
        MPI_Comm wire = e->comm->wire.comm;
        error = st->kind == STEP_SEND
                    ? PMPI_Send_init(at, m->count, m->type, m->peer, tag, wire, r)
                    : PMPI_Recv_init(at, m->count, m->type, m->peer, tag, wire, r);
    }
    if (error) {
        exec_free_requests(e);
        shm_abandon(&e->shm);
    }
    return error;
}

int exec_publish_rings(exec *e)
{
    exec_forget_address(e); /* of an operation that it served: those rings are gone */
    return shm_publish(&e->shm, &e->bound, e->comm->shm_peers, e->stats.collective);
}

int exec_make_requests(exec *e)
{
    bool published = e->shm && e->shm->own;
    int error = published ? MPI_SUCCESS : exec_publish_rings(e), awaited;

    exec_address(e);
    exec_forget_address(e); /* for whom it serves next */
    awaited = shm_await(&e->shm, &e->bound, e->comm->shm_peers, e->stats.collective);
    error = error ? error : awaited;
    if (error)
        shm_abandon(&e->shm);
    return error ? error : make_requests(e);
}

void exec_reset(exec *e)
{
    const sched *s = e->bound.sched;

    memcpy(e->run.waiting, s->ndeps, (size_t)s->nsteps * sizeof *e->run.waiting);
    memset(e->run.queue_head, -1, (size_t)s->nqueues * sizeof *e->run.queue_head);
    if (simulated())
        memset(e->run.held, 0, (size_t)s->nqueues * sizeof *e->run.held);
    e->run.flat = false;
    e->run.tail_waits = 0;
    e->run.left = s->nsteps;
    e->run.nopen = 0;
    e->run.ready_head = e->run.ready_tail = 0;
    e->run.local_head = e->run.local_tail = s->nmessages;
    e->run.nprobes = e->run.turn = 0;
    e->run.error = e->bound.given.error;
    e->run.fruitless = 0;
}

int exec_explain(const exec *e)
{
    const binding *b = &e->bound.given;

    return e->run.error == b->error ? reason_own_block(b->error, b->own_sent, b->own_room)
                                    : e->run.error;
}
