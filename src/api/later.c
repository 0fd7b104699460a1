/* later.c - see later.h. */
#include "api/later.h"

#include <stdlib.h>

typedef struct later {
    args a; /* its arrays are not used any more */
    later_make *make;
    binding b;
    facts f;              /* for the choice; types not held */
    MPI_Datatype held[2]; /* of the binding, or MPI_DATATYPE_NULL */
    bool holds_op;
    plan_key *key;
    size_t key_size;
    plan_key small; /* what key points to, if that is large enough; last: it has a variable part */
} later;

static void release(later *l)
{
    for (int i = 0; i < 2; i++)
        if (l->held[i] != MPI_DATATYPE_NULL)
            PMPI_Type_free(&l->held[i]);
    args_key_free(l->key, &l->small);
    if (l->holds_op)
        operation_release(&l->b.op, l->b.recvtype);
    free(l);
}

void later_forget(exec *e)
{
    if (e->prepare_from)
        release(e->prepare_from);
    e->prepare = NULL;
    e->prepare_from = NULL;
}

static int prepare(exec *e)
{
    later *l = e->prepare_from;
    int error = l->make(e, &l->a, l->key, l->key_size, &l->b, &l->f);

    later_forget(e);
    return error;
}

/* Predefined types need not be held; what an operation of the program's works on is already. */
static int hold(const facts *f, const datatype *t, MPI_Datatype *type, MPI_Datatype *held)
{
    MPI_Datatype made;
    int error;

    if (t->predefined || !f->op.predefined)
        return MPI_SUCCESS;
    error = PMPI_Type_dup(*type, &made);
    if (!error)
        *type = *held = made;
    return error;
}

int later_exec(const args *a, const facts *f, later_make *make, exec **result)
{
    later *l = calloc(1, sizeof *l);
    int error;

    if (!l)
        return MPI_ERR_NO_MEM;
    *l = (later){.a = *a,
                 .make = make,
                 .b = args_binding(a, f),
                 .f = *f,
                 .held = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}};
    l->key = args_key(a, f, &l->small, &l->key_size);
    error = l->key ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    if (!error)
        error = operation_hold(&f->op, l->b.recvtype);
    l->holds_op = !error;
    if (!error && coll_shapes[a->kind].recv != COLL_NONE)
        error = hold(f, &f->recv.type, &l->b.recvtype, &l->held[0]);
    if (!error && !f->in_place)
        error = hold(f, &f->send.type, &l->b.sendtype, &l->held[1]);
    if (!error)
        error = plan_take_empty(f->comm, result);
    if (error) {
        release(l);
        return error;
    }
    (*result)->prepare = prepare;
    (*result)->prepare_from = l;
    return MPI_SUCCESS;
}
