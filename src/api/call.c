/* SPDX-License-Identifier: BSD-3-Clause */
/* call.c - the way of every collective call. */
#include "api/call.h"

#include "algos/algo.h"
#include "api/choose.h"
#include "api/execs.h"
#include "api/later.h"
#include "api/measure.h"
#include "api/repeat.h"
#include "api/tallied.h"
#include "api/together.h"
#include "nbc/library.h"
#include "nbc/process/env.h"
#include "nbc/process/mpi_calls.h"
#include "nbc/process/process.h"
#include "nbc/process/watch.h"
#include "nbc/run/engine.h"
#include "persistent/request.h"
#include "tune/wisdom_text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* later_make: the communicator is ready now, or the survey has run. */
static int make_later(exec *e, later_call *c)
{
    const char *why;
    plan *p;
    int error = MPI_SUCCESS;

    if (c->survey) {
        error = execs_plan_after(e->comm, c->survey, c->key, c->key_size, c->chosen, &p);
        exec_detach(e);
    } else {
        error = choose(&c->a, &c->f, MPI_INFO_NULL, &c->chosen, &why);
        if (!error && survey_needed(c->a.kind, c->chosen))
            error = survey_begin(e, &c->f, c->key, c->chosen, &c->survey);
        if (error || c->survey)
            return error;
        error = execs_plan(e->comm, c->key, c->key_size, c->chosen, &p);
    }
    if (!error)
        error = plan_attach(p, e);
    if (error)
        return error;
    execs_describe(e);
    if (tally_on)
        tallied_choice(e);
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

/* How a call is served. */
typedef struct way_of_call {
    bool may_block;
    bool may_leave;     /* the MPI may serve it */
    call_native native; /* whether the MPI serves it, and why */
    bool anew;          /* no earlier call was like it (repeat.h) */
} way_of_call;

/* The MPI serves the first blocking calls on a communicator. Its ranks tell each other where they
 * are only after these: that takes as long as some fifty short calls, and many communicators are
 * used for a few calls only. All ranks count the same calls. */
enum { NEW_CALLS = 8 }; /* tuning */

static bool is_left_while_new(const args *a, const facts *f)
{
    comm *c = f->comm;

    return !c->begun && c->p > 1 && c->user != MPI_COMM_WORLD && c->new_calls++ < NEW_CALLS &&
           choose_may_leave(a, f);
}

/* Where `auto` wants to know where the ranks are, the call waits for it. */
static int choose_ready(const args *a, const facts *f, MPI_Info info, choice *chosen)
{
    const char *why;
    int error = choose(a, f, info, chosen, &why);

    if (error || !chosen->provisional)
        return error;
    error = make_ready(f->comm, coll_kind_name(a->kind));
    return error ? error : choose(a, f, info, chosen, &why);
}

static int prepare_anew(const args *a, comm *c, way_of_call *way, exec **e)
{
    facts f = {.comm = c};
    choice chosen;
    const char *why;
    int error = args_check(a, &f);

    if (error)
        return error;
    if (way->may_leave && is_left_while_new(a, &f)) {
        way->native = CALL_NEW;
        return MPI_SUCCESS;
    }
    error = way->may_block ? choose_ready(a, &f, MPI_INFO_NULL, &chosen)
                           : choose(a, &f, MPI_INFO_NULL, &chosen, &why);
    if (!error && !way->may_block && (chosen.provisional || survey_needed(a->kind, chosen)))
        return exec_later(a, &f, e);
    if (!error && way->may_leave && choose_native(a, &f)) {
        way->native = CALL_NO_GAIN;
        repeat_remember_native(a, &f);
        return MPI_SUCCESS;
    }
    if (!error)
        error = execs_bind(a, &f, chosen, e);
    if (!error)
        repeat_remember(a, &f, *e, way->may_leave);
    return error;
}

/* No exec idles that is bound for such a call, but its plan is known. */
static int bind_again(comm *c, plan *p, known *of, binding *b, exec **e)
{
    int error = execs_of_plan(c, p, b, e);

    repeat_bound(of, error ? NULL : *e);
    return error;
}

static int enter(const args *a, comm **c)
{
    int error = library_enter();

    if (!error)
        error = comm_get(a->comm, c);
    if (!error)
        comm_reap();
    return error;
}

/* Everything up to a bound exec, unless the call is left to the MPI; nothing has been sent. result:
 * where the request is to go. *c is set as soon as the communicator is known. */
static int prepare(const args *a, const void *result, way_of_call *way, exec **e, comm **c)
{
    int error = enter(a, c);
    binding b;
    known *of;
    plan *p;

    if (error)
        return error;
    if (!result)
        return MPI_ERR_ARG;
    switch (repeat_look(a, *c, way->may_leave, e, &p, &of, &b)) {
    case REPEAT_EXEC:
        return MPI_SUCCESS;
    case REPEAT_PLAN:
        return bind_again(*c, p, of, &b, e);
    case REPEAT_NATIVE:
        way->native = CALL_NO_GAIN;
        return MPI_SUCCESS;
    default:
        way->anew = true;
        return prepare_anew(a, *c, way, e);
    }
}

/* ---- run, start, init: the exec is consumed in any case ---- */

static int run(exec *e)
{
    int error = execs_run(e);

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
    execs_number(e);
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
    if (mpi_info_get(info, "tutti_stats", text, &flag) != MPI_SUCCESS)
        return MPI_ERR_INFO;
    if (flag && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return MPI_ERR_INFO_VALUE;
    *timed |= flag && strcmp(text, "true") == 0;
    return MPI_SUCCESS;
}

static int init(exec *e, bool timed, MPIX_Request *request)
{
    comm *c = e->comm;
    int error = comm_begin(c, e->stats.collective, true);

    if (!error)
        error = comm_wait_ready(c);
    if (!error)
        error = execs_persist(e);
    if (error) {
        plan_return_exec(e);
        return error;
    }
    error = request_make(e, timed, request);
    if (!error)
        return MPI_SUCCESS;
    near_abandon(&e->near);
    comm_persistent_release(c, &e->ticket);
    plan_return_exec(e);
    return error;
}

/* counted, here and in start_call: known when this is compiled, so that calls are as short as ever
 * without TUTTI_STATS. */
static inline int run_or_leave(const args *a, way_of_call *way, const bool counted)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = prepare(a, a, way, &e, &c); /* there is no request */

    if (counted && tally_on && !error && way->native != CALL_NEW) /* its ranks know no name of it */
        tallied(a, c, way->native ? NULL : e, TALLY_BLOCKING, !way->anew);
    if (!error && !way->native)
        error = run(e);
    return comm_raise_for(a->comm, c, error);
}

__attribute__((noinline)) static int run_counted(const args *a, way_of_call *way)
{
    tally_enter();
    return tally_leave(run_or_leave(a, way, true));
}

int call_run(const args *a)
{
    way_of_call way = {.may_block = true};

    return __builtin_expect(tally_on, 0) ? run_counted(a, &way) : run_or_leave(a, &way, false);
}

int call_run_unless_native(const args *a, call_native *native)
{
    way_of_call way = {.may_block = true, .may_leave = true};
    int error = __builtin_expect(tally_on, 0) ? run_counted(a, &way) : run_or_leave(a, &way, false);

    *native = error ? CALL_OURS : way.native;
    return error;
}

static inline int start_call(const args *a, MPI_Request *request, const bool counted)
{
    comm *c = NULL;
    exec *e = NULL;
    way_of_call way = {.may_block = false};
    int error = prepare(a, request, &way, &e, &c);

    if (counted && tally_on && !error)
        tallied(a, c, e, TALLY_NONBLOCKING, !way.anew);
    if (!error)
        error = start(e, request);
    return comm_raise_for(a->comm, c, error);
}

__attribute__((noinline)) static int start_counted(const args *a, MPI_Request *request)
{
    tally_enter();
    return tally_leave(start_call(a, request, true));
}

int call_start(const args *a, MPI_Request *request)
{
    return __builtin_expect(tally_on, 0) ? start_counted(a, request)
                                         : start_call(a, request, false);
}

/* What must be the same on all ranks. */
static uint64_t digest_of(const choice *c, measure_wish wish)
{
    const int32_t parts[] = {c->algo,    (int32_t)c->form,  c->parameter,
                             c->variant, (int32_t)c->order, (int32_t)wish};

    return wisdom_hash(WISDOM_HASH, parts, sizeof parts);
}

/* Arguments are each rank's own; a rank whose info is wrong takes part, so that nobody waits for it
 * in vain. */
int call_init(const args *a, MPI_Info info, MPIX_Request *request)
{
    comm *c = NULL;
    exec *e = NULL;
    facts f = {0};
    choice chosen = {0};
    measure_wish wish = MEASURE_UNSAID;
    bool timed = false;
    int error = enter(a, &c);

    f.comm = c;
    if (!error)
        error = request ? args_check(a, &f) : MPI_ERR_ARG;
    if (error)
        return comm_raise_for(a->comm, c, error);
    error = choose_ready(a, &f, info, &chosen);
    if (error && info == MPI_INFO_NULL) /* then it does not serve the arguments */
        return comm_raise_for(a->comm, c, error);
    if (!error)
        error = timed_from(info, &timed);
    if (!error)
        error = measure_read(info, &wish);
    error = together_agree(c, coll_kind_name(a->kind), error, digest_of(&chosen, wish));
    if (!error)
        error = execs_bind(a, &f, chosen, &e);
    if (!error)
        error = init(e, timed, request);
    if (!error)
        error = measure_begin(a, info, wish, request);
    if (!error && tally_on)
        tallied(a, c, (*request)->exec, TALLY_PERSISTENT, false);
    return comm_raise_for(a->comm, c, error);
}
