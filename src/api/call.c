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
    plan *p;
    int error = MPI_SUCCESS;

    if (c->survey) {
        error = execs_plan_after(e->comm, c->survey, c->key, c->key_size, c->selection.choice, &p);
        exec_detach(e);
    } else {
        error = choose(&c->what, MPI_INFO_NULL, &c->selection);
        if (!error && survey_needed(c->what.coll.kind, c->selection.choice))
            error = survey_begin(e, &c->what, c->key, c->selection.choice, &c->survey);
        if (error || c->survey)
            return error;
        error = execs_plan(e->comm, c->key, c->key_size, c->selection.choice, &p);
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

static int exec_later(const call *c, exec **result)
{
    int error = later_exec(c, make_later, result);

    if (error)
        return error;
    (*result)->stats.collective = coll_kind_name(c->coll.kind);
    (*result)->stats.algorithm = c->algo == ALGO_NONE ? "auto" : algo_table[c->algo]->name;
    return MPI_SUCCESS;
}

/* How a call is served. */
typedef struct way_of_call {
    bool may_block;
    bool may_leave;     /* the MPI may serve it */
    call_native native; /* whether the MPI serves it, and why */
    bool anew;          /* no earlier call was like it (repeat.h) */
    coll_bytes bytes;
} way_of_call;

/* The MPI serves the first blocking calls on a communicator. Its ranks tell each other where they
 * are only after these: that takes as long as some fifty short calls, and many communicators are
 * used for a few calls only. All ranks count the same calls. */
enum { NEW_CALLS = 8 }; /* tuning */

static bool is_left_while_new(const call *c)
{
    comm *on = c->comm;

    return !on->begun && on->p > 1 && on->user != MPI_COMM_WORLD && on->new_calls++ < NEW_CALLS &&
           choose_may_leave(c);
}

/* Where `auto` wants to know where the ranks are, the call waits for it. */
static int choose_ready(const call *c, MPI_Info info, selection *result)
{
    int error = choose(c, info, result);

    if (error || !result->choice.provisional)
        return error;
    error = comm_make_ready(c->comm, coll_kind_name(c->coll.kind));
    return error ? error : choose(c, info, result);
}

static int prepare_anew(const args *a, comm *on, way_of_call *way, exec **e)
{
    call c;
    selection s;
    int error = call_check(a, on, &c);

    if (error)
        return error;
    way->anew = true;
    way->bytes = c.bytes;
    if (way->may_leave && is_left_while_new(&c)) {
        way->native = CALL_NEW;
        return MPI_SUCCESS;
    }
    error = way->may_block ? choose_ready(&c, MPI_INFO_NULL, &s) : choose(&c, MPI_INFO_NULL, &s);
    if (!error && !way->may_block && (s.choice.provisional || survey_needed(c.coll.kind, s.choice)))
        return exec_later(&c, e);
    if (!error && way->may_leave && choose_native(&c, &s)) {
        way->native = CALL_NO_GAIN;
        repeat_remember_native(a, &c);
        return MPI_SUCCESS;
    }
    if (!error)
        error = execs_bind(&c, s.choice, e);
    if (!error)
        repeat_remember(a, &c, *e, way->may_leave);
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
    repeat known;
    repeat_answer answer;

    if (error)
        return error;
    if (!result)
        return MPI_ERR_ARG;
    answer = repeat_look(a, *c, way->may_leave, &known);
    if (answer == REPEAT_NOTHING)
        return prepare_anew(a, *c, way, e);
    way->bytes = known.bytes;
    if (answer == REPEAT_NATIVE)
        way->native = CALL_NO_GAIN;
    if (answer == REPEAT_EXEC)
        *e = known.exec;
    if (answer == REPEAT_PLAN) { /* no exec idles that is bound for such a call */
        error = execs_of_plan(*c, known.plan, &known.binding, e);
        repeat_bound(known.of, error ? NULL : *e);
    }
    return error;
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
    int error = execs_persist(e);

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

/* Calls with lists that are left to the MPI may have the same signature and give other bytes. */
static coll_bytes bytes_of(const args *a, comm *c, const way_of_call *way)
{
    call of;

    if (way->native && !way->anew && coll_is_v(a->kind) && !call_check(a, c, &of))
        return of.bytes;
    return way->bytes;
}

/* counted, here and in start_call: known when this is compiled, so that calls are as short as ever
 * without TUTTI_STATS. */
static inline int run_or_leave(const args *a, way_of_call *way, const bool counted)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = prepare(a, a, way, &e, &c); /* there is no request */

    if (counted && tally_on && !error && way->native != CALL_NEW) /* its ranks know no name of it */
        tallied(a->kind, bytes_of(a, c, way), c, way->native ? NULL : e, TALLY_BLOCKING,
                !way->anew);
    if (!error && !way->native)
        error = run(e);
    return comm_raise_for(a->comm, c, error);
}

__attribute__((noinline)) static int run_counted(const args *a, way_of_call *way)
{
    tally_enter();
    return tally_leave(run_or_leave(a, way, true));
}

static int run_by(const args *a, way_of_call *way)
{
    return __builtin_expect(tally_on, 0) ? run_counted(a, way) : run_or_leave(a, way, false);
}

int call_run(const args *a)
{
    return run_by(a, &(way_of_call){.may_block = true});
}

int call_run_unless_native(const args *a, call_native *native)
{
    way_of_call way = {.may_block = true, .may_leave = true};
    int error = run_by(a, &way);

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
        tallied(a->kind, way.bytes, c, e, TALLY_NONBLOCKING, !way.anew);
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

/* An exec for the choice, on which all ranks agree; error: what this rank has met. It is bound and
 * its rings are told before, if that needs no other rank, so that the agreement is all that an init
 * waits for. */
static int init_together(const call *of, choice chosen, measure_wish wish, int error, exec **e)
{
    comm *c = of->comm;
    const char *name = coll_kind_name(of->coll.kind);
    bool asks = !error && survey_needed(of->coll.kind, chosen);
    int failure = comm_make_ready(c, name);

    if (c->links)
        c->links->inits++;
    if (!error && !failure && !asks)
        error = execs_bind(of, chosen, e);
    if (*e)
        error = exec_tell_rings(*e);
    error = together_agree(c, name, error, digest_of(&chosen, wish));
    if (!error && asks)
        error = execs_bind(of, chosen, e);
    if (!error)
        return MPI_SUCCESS;
    links_skip(c->links);
    if (*e) /* nobody writes to its rings */
        plan_return_exec(*e);
    return error;
}

/* Arguments are each rank's own; a rank whose info is wrong takes part, so that nobody waits for it
 * in vain. */
int call_init(const args *a, MPI_Info info, MPIX_Request *request)
{
    comm *c = NULL;
    exec *e = NULL;
    call of;
    selection s = {0};
    measure_wish wish = MEASURE_UNSAID;
    bool timed = false;
    int error = enter(a, &c);

    if (!error)
        error = request ? call_check(a, c, &of) : MPI_ERR_ARG;
    if (error)
        return comm_raise_for(a->comm, c, error);
    error = choose_ready(&of, info, &s);
    if (error && info == MPI_INFO_NULL) /* then it does not serve the arguments */
        return comm_raise_for(a->comm, c, error);
    if (!error)
        error = timed_from(info, &timed);
    if (!error)
        error = measure_read(info, &wish);
    error = init_together(&of, s.choice, wish, error, &e);
    if (!error)
        error = init(e, timed, request);
    if (!error)
        error = measure_begin(&of, info, wish, request);
    if (!error && tally_on)
        tallied(a->kind, of.bytes, c, (*request)->exec, TALLY_PERSISTENT, false);
    return comm_raise_for(a->comm, c, error);
}
