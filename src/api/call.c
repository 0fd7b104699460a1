/* call.c - the way of every collective call. */
#include "api/call.h"

#include "algos/algo.h"
#include "api/choose.h"
#include "api/later.h"
#include "api/repeat.h"
#include "api/survey.h"
#include "nbc/library.h"
#include "nbc/process/env.h"
#include "nbc/process/process.h"
#include "nbc/process/watch.h"
#include "nbc/run/engine.h"
#include "persistent/request.h"

#include <stddef.h>
#include <stdlib.h>
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
    coll_sides has = coll_sides_of((coll_kind)key->kind, c->rank, key->root, key->in_place);
    coll call = {.kind = (coll_kind)key->kind,
                 .p = c->p,
                 .rank = c->rank,
                 .root = key->root,
                 .in_place = key->in_place,
                 .ordered = key->ordered,
                 .symmetric = key->symmetric,
                 .whole = key->whole,
                 .packs = key->packs,
                 .parameter = key->parameter,
                 .variant = key->variant,
                 .order = (coll_order)key->order,
                 .neighbors = comm_neighbors(c, (coll_kind)key->kind),
                 .send = {.count = !key->send_empty},
                 .recv = {.count = !key->recv_empty}};
    int in = call.neighbors ? call.neighbors->nsources : c->p;
    int out = call.neighbors ? call.neighbors->ndestinations : c->p;
    const int64_t *v = key->v;

    if (has.recv >= COLL_LISTED) {
        call.recv = (coll_side){.counts = v, .displs = v + in};
        v += 2 * (ptrdiff_t)in;
    }
    if (has.send >= COLL_LISTED || coll_shapes[call.kind].send == COLL_SIZED) {
        call.send = (coll_side){.counts = v, .displs = v + out};
        v += 2 * (ptrdiff_t)out;
    }
    if (key->surveyed)
        call.survey = v;

    return errors[algo_compile(algo_table[key->algo], (coll_form)key->form, &call,
                               c->ready ? c->topo : NULL, result)];
}

static void describe(exec *e)
{
    e->stats.collective = coll_kind_name((coll_kind)e->plan->key.kind);
    e->stats.algorithm = algo_table[e->plan->key.algo]->name;
}

static void number(exec *e)
{
    comm_number_next(e->comm, &e->ticket);
    e->stats.timed = watch_on;
}

/* To its end. */
static int execute(exec *e)
{
    int error = comm_begin(e->comm, e->stats.collective, true);

    if (error)
        return error;
    number(e);
    engine_start(e);
    engine_wait(e);
    return e->run.error;
}

/* An exec of the plan, whose reference it takes over, bound. */
static int bound_exec(comm *c, plan *p, binding *b, exec **result)
{
    exec *e;
    int error = plan_take_exec(p, c, &e);

    if (error) {
        bind_drop(b);
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

/* The plan for what has been surveyed, if there was anything to ask. */
static int plan_after(comm *c, const survey *s, plan_key *key, size_t size, choice chosen,
                      plan **result)
{
    plan_key *longer = s ? survey_key(s, key, &size) : key;
    int error = longer ? plan_for(c, longer, size, chosen, result) : MPI_ERR_NO_MEM;

    if (s)
        free(longer);
    return error;
}

/* Ask the other ranks, and wait for it. */
static int ask_and_plan(const facts *f, plan_key *key, size_t size, choice chosen, plan **result)
{
    survey *s = NULL;
    exec *e;
    int error = plan_take_empty(f->comm, &e);

    if (error)
        return error;
    e->stats.collective = coll_kind_name((coll_kind)key->kind);
    e->stats.algorithm = "survey";
    error = survey_begin(e, f, key, chosen, &s);
    if (!error && s)
        error = execute(e);
    if (!error)
        error = plan_after(f->comm, s, key, size, chosen, result);
    survey_end(s, e);
    plan_return_exec(e);
    return error;
}

static int exec_for(const args *a, const facts *f, choice chosen, exec **result)
{
    plan_key small, *key;
    binding b;
    plan *p;
    size_t size;
    int error = args_binding(a, f, &b);

    if (error)
        return error;
    key = args_key(a, f, &small, &size);
    if (!key)
        error = MPI_ERR_NO_MEM;
    else if (survey_needed(a->kind, chosen))
        error = ask_and_plan(f, key, size, chosen, &p);
    else
        error = plan_for(f->comm, key, size, chosen, &p);
    args_key_free(key, &small);
    if (error)
        bind_drop(&b);
    return error ? error : bound_exec(f->comm, p, &b, result);
}

/* later_make: the communicator is ready now, or the survey has run. */
static int make_later(exec *e, later_call *c)
{
    const char *why;
    plan *p;
    int error = MPI_SUCCESS;

    if (c->survey) {
        error = plan_after(e->comm, c->survey, c->key, c->key_size, c->chosen, &p);
        exec_detach(e);
    } else {
        error = choose(&c->a, &c->f, MPI_INFO_NULL, &c->chosen, &why);
        if (!error && survey_needed(c->a.kind, c->chosen))
            error = survey_begin(e, &c->f, c->key, c->chosen, &c->survey);
        if (error || c->survey)
            return error;
        error = plan_for(e->comm, c->key, c->key_size, c->chosen, &p);
    }
    if (!error)
        error = plan_attach(p, e);
    if (error)
        return error;
    describe(e);
    error = exec_bind(e, &c->b);
    c->b.sendblocks = c->b.recvblocks = NULL; /* taken over */
    return error;
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
    if (!may_block && (chosen.provisional || survey_needed(a->kind, chosen)))
        return exec_later(a, &f, e);
    if (chosen.provisional) {
        error = make_ready(c, coll_kind_name(a->kind));
        if (!error)
            error = choose(a, &f, info, &chosen, &why);
    }
    if (!error)
        error = exec_for(a, &f, chosen, e);
    if (!error && info == MPI_INFO_NULL) /* which decides for one request alone */
        repeat_remember(a, &f, *e);
    return error;
}

/* No exec idles that has been bound for the same call. */
static int prepare_otherwise(const args *a, MPI_Info info, comm *c, bool may_block, exec **e)
{
    binding b;
    plan *again = info == MPI_INFO_NULL ? repeat_recall(a, c, &b) : NULL;
    int error;

    if (!again)
        return prepare_anew(a, info, c, may_block, e);
    error = bound_exec(c, again, &b, e);
    if (!error)
        repeat_bound(a->kind, *e);
    return error;
}

/* Everything up to a bound exec; nothing has been sent. result: where the request is to go. *c is
 * set as soon as the communicator is known. */
static int prepare(const args *a, MPI_Info info, const void *result, bool may_block, exec **e,
                   comm **c)
{
    int error = library_enter();

    if (!error)
        error = comm_get(a->comm, c);
    if (error)
        return error;
    comm_reap();
    if (!result)
        return MPI_ERR_ARG;
    *e = info == MPI_INFO_NULL ? repeat_exec(a, *c) : NULL;
    return *e ? MPI_SUCCESS : prepare_otherwise(a, info, *c, may_block, e);
}

/* ---- run, start, init: the exec is consumed in any case ---- */

static int run(exec *e)
{
    int error = execute(e);

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
    int wrong = timed_from(info, &timed), error = comm_begin(c, e->stats.collective, true);

    if (error)
        goto fail;
    error = comm_wait_ready(c);
    if (!error)
        error = comm_persistent_window(c, &e->ticket);
    if (error)
        goto fail;
    error = exec_make_requests(e); /* the others wait for it */
    if (!error)
        error = wrong ? wrong : request_make(e, timed, request);
    if (!error)
        return MPI_SUCCESS;
    near_abandon(&e->near);
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
