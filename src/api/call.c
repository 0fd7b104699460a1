/* call.c - the way of every collective call. */
#include "api/call.h"

#include "algos/algo.h"
#include "api/choose.h"
#include "api/later.h"
#include "nbc/library.h"
#include "nbc/process/env.h"
#include "nbc/process/process.h"
#include "nbc/process/watch.h"
#include "nbc/run/engine.h"
#include "persistent/request.h"

#include <stddef.h>
#include <string.h>

/* ---- plan and exec ---- */

static int compile(const plan_key *key, const comm *c, sched **result)
{
    static const int errors[] = {
        [SCHED_OK] = MPI_SUCCESS,
        [SCHED_NO_MEMORY] = MPI_ERR_NO_MEM,
        [SCHED_BAD_STEP] = MPI_ERR_INTERN,
        [SCHED_TOO_LARGE] = MPI_ERR_COUNT,
    };
    coll call = {.kind = (coll_kind)key->kind,
                 .p = c->p,
                 .rank = c->rank,
                 .root = key->root,
                 .in_place = key->in_place,
                 .ordered = key->ordered,
                 .whole = key->whole,
                 .packs = key->packs,
                 .parameter = key->parameter,
                 .variant = key->variant,
                 .order = (coll_order)key->order,
                 .send = {.count = !key->send_empty},
                 .recv = {.count = !key->recv_empty}};
    const int64_t *v = key->v;

    if (coll_shapes[call.kind].recv == COLL_LISTED) {
        call.recv = (coll_side){.counts = v, .displs = v + c->p};
        v += 2 * (ptrdiff_t)c->p;
    }
    if (coll_shapes[call.kind].send == COLL_LISTED && !call.in_place)
        call.send = (coll_side){.counts = v, .displs = v + c->p};

    return errors[algo_compile(algo_table[key->algo], (coll_form)key->form, &call,
                               c->ready ? c->topo : NULL, result)];
}

static void describe(exec *e)
{
    e->stats.collective = coll_kind_name((coll_kind)e->plan->key.kind);
    e->stats.algorithm = algo_table[e->plan->key.algo]->name;
}

/* An exec of the plan, whose reference it takes over, bound. */
static int bound_exec(comm *c, plan *p, const binding *b, exec **result)
{
    exec *e;
    int error = plan_take_exec(p, c, &e);

    if (error) {
        plan_unref(p);
        return error;
    }
    error = exec_bind(e, b);
    if (error) {
        plan_return_exec(e);
        return error;
    }
    describe(e);
    *result = e;
    return MPI_SUCCESS;
}

static int plan_for(comm *c, plan_key *key, size_t size, choice chosen, plan **result)
{
    key->algo = chosen.algo;
    key->form = (uint16_t)chosen.form;
    key->parameter = chosen.parameter;
    key->variant = chosen.variant;
    key->order = chosen.order;
    return plan_get(c, key, size, compile, result);
}

static int exec_for(const args *a, const facts *f, choice chosen, exec **result)
{
    plan_key small, *key;
    binding b = args_binding(a, f);
    plan *p;
    size_t size;
    int error;

    key = args_key(a, f, &small, &size);
    if (!key)
        return MPI_ERR_NO_MEM;
    error = plan_for(f->comm, key, size, chosen, &p);
    args_key_free(key, &small);
    return error ? error : bound_exec(f->comm, p, &b, result);
}

/* later_make: the communicator is ready now. */
static int make_later(exec *e, const args *a, plan_key *key, size_t key_size, const binding *b,
                      const facts *f)
{
    choice chosen;
    const char *why;
    plan *p;
    int error = choose(a, f, MPI_INFO_NULL, &chosen, &why);

    if (!error)
        error = plan_for(e->comm, key, key_size, chosen, &p);
    if (!error)
        error = plan_attach(p, e);
    if (error)
        return error;
    describe(e);
    return exec_bind(e, b);
}

static int exec_later(const args *a, const facts *f, exec **result)
{
    int error = later_exec(a, f, make_later, result);

    if (error)
        return error;
    (*result)->stats.collective = coll_kind_name(a->kind);
    (*result)->stats.algorithm = a->algo == ALGO_NONE ? "auto" : algo_table[a->algo]->name;
    return MPI_SUCCESS;
}

/* ---- repeated calls ---- */

static inline comm_call call_of(const args *a)
{
    comm_call call = {.algo = a->algo,
                      .root = a->root,
                      .in_place = args_in_place(a),
                      .recvtype = (uint64_t)(uintptr_t)a->recv.type,
                      .op = (uint64_t)(uintptr_t)a->op,
                      .recvcount = a->recv.count};

    if (!call.in_place) {
        call.sendtype = (uint64_t)(uintptr_t)a->send.type;
        call.sendcount = a->send.count;
    }
    return call;
}

/* All fields: a memcmp costs as much as all the rest of the short way. */
_Static_assert(sizeof(comm_call) == 2 * sizeof(int32_t) + 6 * sizeof(int64_t), "compare it too");

static inline bool same_call(comm_call a, const comm_call *b)
{
    return a.algo == b->algo && a.root == b->root && a.in_place == b->in_place &&
           a.sendtype == b->sendtype && a.recvtype == b->recvtype && a.op == b->op &&
           a.sendcount == b->sendcount && a.recvcount == b->recvcount;
}

/* What looks wrong with the buffers goes the long way. */
static bool buffers_good(const args *a, const comm_repeat *r)
{
    const coll_shape *shape = &coll_shapes[a->kind];

    if (shape->recv != COLL_NONE && (!a->recv.buffer || a->recv.buffer == MPI_IN_PLACE))
        return false;
    return shape->send == COLL_NONE ||
           (a->send.buffer && a->send.buffer != (const char *)a->recv.buffer + r->mine);
}

/* A call that differs from the one before in its buffers only has been checked and planned: this
 * takes a tenth of a microsecond from it. */
static plan *recall(const args *a, comm *c)
{
    const comm_repeat *r = &c->repeat[a->kind];
    plan *p = NULL;

    process_lock();
    if (r->plan && same_call(call_of(a), &r->call) && buffers_good(a, r)) {
        p = r->plan;
        p->refs++;
    }
    process_unlock();
    return p;
}

/* Predefined types and operations need no description, and no displacement is below 0. */
static int exec_again(const args *a, comm *c, plan *p, exec **e)
{
    binding b = {.recvbuf = (void *)a->recv.buffer,
                 .recvtype = a->recv.type,
                 .recvcount = a->recv.count,
                 .op = operation_none,
                 .packs = p->key.packs,
                 .sendtype = MPI_DATATYPE_NULL};

    if (coll_shapes[a->kind].recv == COLL_NONE)
        b.recvtype = MPI_DATATYPE_NULL;
    if (coll_has(a->kind, COLL_REDUCES))
        b.op.op = a->op;
    if (!args_in_place(a)) {
        b.sendbuf = (void *)a->send.buffer;
        b.sendtype = a->send.type;
        b.sendcount = a->send.count;
    }
    return bound_exec(c, p, &b, e);
}

/* Their handles are never reused. Info decides for one request alone. */
static void remember(const args *a, const facts *f, MPI_Info info, plan *p)
{
    const coll_shape *shape = &coll_shapes[a->kind];

    if (coll_is_v(a->kind) || f->error || info != MPI_INFO_NULL || !f->op.predefined ||
        (shape->recv != COLL_NONE && !f->recv.type.predefined) ||
        !(f->in_place || f->send.type.predefined))
        return;
    process_lock();
    if (p->cached)
        f->comm->repeat[a->kind] =
            (comm_repeat){.plan = p, .call = call_of(a), .mine = (MPI_Aint)args_forbidden(a, f)};
    process_unlock();
}

/* Wait until the ranks have told where they are. */
static int make_ready(comm *c, const char *caller)
{
    int error = comm_begin(c, caller, true);

    return error ? error : comm_wait_ready(c);
}

static int prepare_anew(const args *a, MPI_Info info, comm *c, bool may_block, exec **e)
{
    facts f = {.comm = c};
    choice chosen;
    const char *why;
    int error = args_check(a, &f);

    if (!error)
        error = choose(a, &f, info, &chosen, &why);
    if (error)
        return error;
    if (chosen.provisional) {
        if (!may_block)
            return exec_later(a, &f, e);
        error = make_ready(c, coll_kind_name(a->kind));
        if (!error)
            error = choose(a, &f, info, &chosen, &why);
    }
    if (!error)
        error = exec_for(a, &f, chosen, e);
    if (!error)
        remember(a, &f, info, (*e)->plan);
    return error;
}

/* Everything up to a bound exec; nothing has been sent. result: where the request is to go. *c is
 * set as soon as the communicator is known. */
static int prepare(const args *a, MPI_Info info, const void *result, bool may_block, exec **e,
                   comm **c)
{
    plan *again;
    int error = library_enter();

    if (!error)
        error = comm_get(a->comm, c);
    if (error)
        return error;
    comm_reap();
    if (!result)
        return MPI_ERR_ARG;
    again = info == MPI_INFO_NULL ? recall(a, *c) : NULL;
    return again ? exec_again(a, *c, again, e) : prepare_anew(a, info, *c, may_block, e);
}

/* ---- run, start, init: the exec is consumed in any case ---- */

static void number(exec *e)
{
    comm_number_next(e->comm, &e->ticket);
    e->stats.timed = watch_on;
}

static int run(exec *e)
{
    int error = comm_begin(e->comm, e->stats.collective, true);

    if (!error) {
        number(e);
        engine_start(e);
        engine_wait(e);
        error = e->run.error;
    }
    plan_return_exec(e);
    return error;
}

static int start(exec *e, MPI_Request *request)
{
    int error;

    e->native.collect = plan_return_exec;
    error = comm_begin(e->comm, e->stats.collective, false);
    if (!error)
        error = library_driver()->request(e, &e->native.request);
    if (error) {
        later_forget(e);
        plan_return_exec(e);
        return error;
    }
    number(e);
    *request = e->native.request;
    engine_start(e);
    return MPI_SUCCESS;
}

/* Is the request to read the clock? */
static int timed_from(MPI_Info info, bool *timed)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int flag = 0;

    *timed = env_stats() || watch_on;
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    if (PMPI_Info_get(info, "tutti_stats", MPI_MAX_INFO_VAL, text, &flag) != MPI_SUCCESS)
        return MPI_ERR_INFO;
    if (flag && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return MPI_ERR_INFO_VALUE;
    *timed |= flag && strcmp(text, "true") == 0;
    return MPI_SUCCESS;
}

static int init(exec *e, MPI_Info info, MPIX_Request *request)
{
    comm *c = e->comm;
    bool timed;
    int error = timed_from(info, &timed);

    if (!error)
        error = comm_begin(c, e->stats.collective, true);
    if (error)
        goto fail;
    error = comm_wait_ready(c);
    if (!error)
        error = comm_persistent_window(c, &e->ticket);
    if (error)
        goto fail;
    error = exec_make_requests(e);
    if (!error)
        error = request_make(e, timed, request);
    if (!error)
        return MPI_SUCCESS;
    comm_persistent_release(c, &e->ticket);
fail:
    plan_return_exec(e);
    return error;
}

int call_run(const args *a)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = prepare(a, MPI_INFO_NULL, a, true, &e, &c); /* there is no request */

    if (!error)
        error = run(e);
    return comm_raise_for(a->comm, c, error);
}

int call_start(const args *a, MPI_Request *request)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = prepare(a, MPI_INFO_NULL, request, false, &e, &c);

    if (!error)
        error = start(e, request);
    return comm_raise_for(a->comm, c, error);
}

int call_init(const args *a, MPI_Info info, MPIX_Request *request)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = prepare(a, info, request, true, &e, &c);

    if (!error)
        error = init(e, info, request);
    return comm_raise_for(a->comm, c, error);
}
