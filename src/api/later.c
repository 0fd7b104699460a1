/* SPDX-License-Identifier: BSD-3-Clause */
/* later.c - see later.h. */
#include "api/later.h"
#include "nbc/process/native_mpi.h"

#include <stdlib.h>

typedef struct later {
    later_call call;
    later_make *make;
    MPI_Datatype held[2]; /* of the binding, or MPI_DATATYPE_NULL */
    bool holds_op;
    plan_key small; /* what key points to, if that is large enough; last: it has a variable part */
} later;

static void release_later(later *l, exec *e)
{
    for (int i = 0; i < 2; i++)
        if (l->held[i] != MPI_DATATYPE_NULL)
            native_mpi.Type_free(&l->held[i]);
    size_exchange_end(l->call.size_exchange, e);
    call_key_free(l->call.key, &l->small);
    if (l->holds_op)
        operation_release(&l->call.b.op);
    bind_drop(&l->call.b);
    free(l);
}

void later_forget(exec *e)
{
    later *l = e->prepare_from;

    e->prepare = NULL;
    e->prepare_from = NULL;
    if (l)
        release_later(l, e);
}

/* A size exchange is in front of the schedule, and this is called again when a round has run. */
static int prepare_later(exec *e)
{
    later *l = e->prepare_from;
    bool exchanged = l->call.size_exchange != NULL;
    int error = exchanged ? e->run.error : MPI_SUCCESS;

    if (!error)
        error = l->make(e, &l->call);
    if (error || !l->call.asks)
        later_forget(e);
    return error;
}

/* Predefined types need not be held; what an operation of the program's works on is already. */
static int hold_type(const call *c, const datatype *t, MPI_Datatype *type, MPI_Datatype *held)
{
    MPI_Datatype made;
    int error;

    if (t->predefined || !c->op.predefined)
        return MPI_SUCCESS;
    error = datatype_copy(*type, &made);
    if (!error)
        *type = *held = made;
    return error;
}

int later_exec(const call *given, later_make *make, exec **result)
{
    later *l = calloc(1, sizeof *l);
    later_call *c = l ? &l->call : NULL;
    int error;

    if (!l)
        return MPI_ERR_NO_MEM;
    *l = (later){
        .call = {.what = *given}, .make = make, .held = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}};
    c->what.send.lists = c->what.recv.lists = NULL;         /* the caller's */
    c->what.send.type.life = c->what.recv.type.life = NULL; /* who may free the types */
    c->key = call_key(given, &l->small, &c->key_size);
    error = c->key ? call_binding(given, &c->b) : MPI_ERR_NO_MEM;
    if (!error)
        error = operation_hold(&given->op);
    l->holds_op = !error;
    if (!error && given->recv.extent)
        error = hold_type(given, &given->recv.type, &c->b.recvtype, &l->held[0]);
    if (!error && given->send.extent)
        error = hold_type(given, &given->send.type, &c->b.sendtype, &l->held[1]);
    if (!error)
        error = plan_take_empty(given->comm, result);
    if (error) {
        release_later(l, NULL);
        return error;
    }
    (*result)->prepare = prepare_later;
    (*result)->prepare_from = l;
    gate_hold(&given->comm->gate, &(*result)->ticket);
    return MPI_SUCCESS;
}
