/* SPDX-License-Identifier: BSD-3-Clause */
/* call.c - the way of every collective call but an init (init.c). */
#include "api/call.h"

#include "algos/algo.h"
#include "api/count_call.h"
#include "api/execs.h"
#include "api/later.h"
#include "api/repeat.h"
#include "api/staging.h"
#include "api/try_both.h"
#include "nbc/comm/first.h"
#include "nbc/library.h"
#include "nbc/process/env.h"
#include "nbc/process/reason.h"
#include "nbc/run/engine.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>

/* later_make: the communicator is ready now, or a round of the size exchange has run. */
static int make_later(exec *e, later_call *c)
{
    plan *p;
    int error = MPI_SUCCESS;

    if (c->size_exchange) {
        c->asks = size_exchange_goes_on(c->size_exchange, e, &error);
        if (error || c->asks)
            return error;
        error = execs_plan_after(e->comm, c->size_exchange, c->key, c->key_size,
                                 c->selection.choice, &p);
    } else {
        error = choose(&c->what, MPI_INFO_NULL, &c->selection);
        if (!error && size_exchange_needed(c->what.coll.kind, c->selection.choice))
            error = size_exchange_begin(e, &c->what, c->key, c->selection.choice, FOR_CALL,
                                        &c->size_exchange);
        c->asks = c->size_exchange != NULL;
        if (error || c->asks)
            return error;
        error = execs_plan(e->comm, c->key, c->key_size, c->selection.choice, &p);
    }
    if (!error)
        error = plan_attach(p, e);
    if (error)
        return error;
    execs_describe(e);
    if (stats_on)
        plan_fill_stats(e->plan, &e->stats.count);
    error = exec_bind(e, &c->b);
    c->b.sendblocks = c->b.recvblocks = c->b.room = NULL; /* taken over */
    return error;
}

static int exec_later(const call *c, exec **result)
{
    int error = later_exec(c, make_later, result);

    if (error)
        return error;
    (*result)->staged = staged_share(c->staged);
    (*result)->stats.collective = coll_kind_name(c->coll.kind);
    (*result)->stats.algorithm = c->algo == ALGO_NONE ? "auto" : algo_table[c->algo]->name;
    return MPI_SUCCESS;
}

int call_enter(const args *a, comm **c)
{
    int error = library_enter();

    if (!error)
        error = comm_get(a->comm, c);
    if (!error)
        comm_free_deferred();
    return error;
}

int call_choose(const call *c, MPI_Info info, selection *result)
{
    int error = choose(c, info, result);

    if (error || !result->choice.provisional)
        return error;
    error = comm_make_ready(c->comm, coll_kind_name(c->coll.kind));
    return error ? error : choose(c, info, result);
}

/* The MPI serves the first calls on a communicator but inits. Its ranks exchange where they
 * are only after these: that takes as long as some fifty short calls, and many communicators are
 * used for a few calls only. All ranks count the same calls. */
enum { NEW_CALLS = 8 }; /* tuning */

static bool is_left_while_new(const call *c)
{
    comm *on = c->comm;

    if (env_reproducible_in_world() && coll_has(c->coll.kind, COLL_REDUCES))
        return false;
    return !on->begun && on->p > 1 && on->user != MPI_COMM_WORLD && on->new_calls++ < NEW_CALLS &&
           choose_may_leave(c);
}

static int prepare_anew(const args *a, comm *on, way_of_call *way, exec **e)
{
    call c;
    selection s;
    bool native = false;
    int error = call_check(a, on, &c);

    if (error)
        return error;
    c.staged = way->staged;
    way->anew = true;
    way->bytes = c.bytes;
    if (way->may_leave_new && is_left_while_new(&c)) {
        way->native = CALL_NEW;
        return MPI_SUCCESS;
    }
    error = way->may_block ? call_choose(&c, MPI_INFO_NULL, &s) : choose(&c, MPI_INFO_NULL, &s);
    if (!error && !way->may_block &&
        (s.choice.provisional || size_exchange_needed(c.coll.kind, s.choice)))
        return exec_later(&c, e);
    if (!error && way->may_leave)
        error = choose_native(&c, &s, &native, &way->tried);
    if (!error && native) {
        way->native = way->tried ? CALL_TRY : CALL_NO_GAIN;
        if (!way->tried)
            repeat_remember_native(a, &c);
        return MPI_SUCCESS;
    }
    if (!error)
        error = execs_bind(&c, s.choice, false, e);
    if (!error)
        repeat_remember(a, &c, *e, way->may_leave && !way->tried);
    return error;
}

int call_prepare(const args *a, comm *c, way_of_call *way, exec **e)
{
    repeat known;
    repeat_answer answer = repeat_look(a, c, way->may_leave, &known);

    if (answer == REPEAT_NOTHING)
        return way->only_known ? MPI_SUCCESS : prepare_anew(a, c, way, e);
    if (answer == REPEAT_FAILED)
        return known.error;
    way->bytes = known.bytes;
    if (answer == REPEAT_NATIVE) {
        way->native = CALL_NO_GAIN;
    } else {
        *e = known.exec;
        (*e)->staged = staged_share(way->staged);
    }
    return MPI_SUCCESS;
}

__attribute__((noinline)) int call_stage(const args **a, comm *c, way_of_call *way)
{
    int error = way->stages ? staging_args(*a, c, &way->host, &way->staged) : staging_refuse(*a, c);

    if (way->staged)
        *a = &way->host;
    return error;
}

/* ---- run, start, init: the exec is consumed in any case ---- */

static int run_exec(exec *e)
{
    int error = execs_run(e);

    plan_return_exec(e);
    return error;
}

static int start_exec(exec *e, MPI_Request *request)
{
    int error;

    e->native.collect = plan_return_exec;
    error = comm_begin(e->comm, e->stats.collective, false);
    if (!error)
        error = library_driver()->request(e, &e->native.request);
    if (error) {
        later_forget(e);
        if (e->ticket.unprepared)
            gate_release(&e->comm->gate, &e->ticket);
        plan_return_exec(e);
        return error;
    }
    execs_number(e);
    *request = e->native.request;
    engine_start(e);
    return MPI_SUCCESS;
}

/* Calls with lists that are left to the MPI may have the same signature and give other bytes. */
static coll_bytes bytes_of_call(const args *a, comm *c, const way_of_call *way)
{
    call of;

    if (way->native && !way->anew && coll_is_v(a->kind) && !call_check(a, c, &of))
        return of.bytes;
    return way->bytes;
}

/* MPIX_Allgather_ring, MPIX_Iallgather_ring, MPIX_Allgather_ring_init; MPI_Allgather ... */
static void name_of_call(const args *a, stats_form form, bool of_mpi, char *text, size_t size)
{
    const char *name = coll_kind_name(a->kind), *algo = "auto";
    bool i = form == STATS_FORM_NONBLOCKING;

    if (a->algo != ALGO_NONE)
        algo = algo_table[a->algo]->name;
    snprintf(text, size, "%s_%s%c%s%s%s%s", of_mpi ? "MPI" : "MPIX", i ? "I" : "",
             i ? name[0] : toupper(name[0]), name + 1, of_mpi ? "" : "_", of_mpi ? "" : algo,
             form == STATS_FORM_PERSISTENT ? "_init" : "");
}

int call_raise(const args *a, stats_form form, bool of_mpi, const comm *c, int error)
{
    char name[80];

    name_of_call(a, form, of_mpi, name, sizeof name);
    return comm_raise_for(name, a->comm, c, error);
}

/* Before anything is sent: what the other ranks send of this call stays unread. */
static int refuse_call(const args *a, stats_form form, bool of_mpi, comm *c, int error)
{
    if (c)
        atomic_store_explicit(&c->out_of_step, true, memory_order_relaxed);
    return call_raise(a, form, of_mpi, c, error);
}

/* counted, here and in start_or_leave: known when this is compiled, so that calls are as short as
 * ever without TUTTI_STATS. */
static inline int run_or_leave(const args *a, way_of_call *way, const bool counted)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = call_enter(a, &c);

    if (!error && device_loaded())
        error = call_stage(&a, c, way);
    if (!error)
        error = call_prepare(a, c, way, &e);
    if (error)
        return refuse_call(a, STATS_FORM_BLOCKING, way->stages, c, error);
    if (counted && stats_on && way->native != CALL_NEW) /* its ranks know no name of it */
        count_call(a->kind, bytes_of_call(a, c, way), c, way->native ? NULL : e,
                   STATS_FORM_BLOCKING, !way->anew);
    if (way->tried)
        try_both_begin(way->tried);
    if (!way->native) {
        error = run_exec(e);
        if (way->tried)
            try_both_end();
    }
    return error ? call_raise(a, STATS_FORM_BLOCKING, way->stages, c, error) : MPI_SUCCESS;
}

__attribute__((noinline)) static int run_counted(const args *a, way_of_call *way)
{
    stats_enter();
    return stats_leave(run_or_leave(a, way, true));
}

static int run_by(const args *a, way_of_call *way)
{
    return __builtin_expect(stats_on, 0) ? run_counted(a, way) : run_or_leave(a, way, false);
}

int call_run(const args *a)
{
    way_of_call way;

    call_way(&way);
    way.may_block = true;
    return run_by(a, &way);
}

int call_run_unless_native(const args *a, call_left *left)
{
    way_of_call way;
    int error;

    call_way(&way);
    way.may_block = way.stages = true;
    way.may_leave = way.may_leave_new = left != NULL;
    error = run_by(a, &way);
    if (!error && way.native)
        *left = (call_left){way.native, way.staged};
    else
        staged_free(way.staged);
    return error;
}

static inline int start_or_leave(const args *a, MPI_Request *request, way_of_call *way,
                                 const bool counted)
{
    comm *c = NULL;
    exec *e = NULL;
    int error = call_enter(a, &c);

    if (!error && device_loaded())
        error = call_stage(&a, c, way);
    if (!error)
        error = request ? call_prepare(a, c, way, &e) : reason_set(MPI_ERR_ARG, "request is NULL");
    if (error)
        return refuse_call(a, STATS_FORM_NONBLOCKING, way->stages, c, error);
    if (counted && stats_on && !way->native)
        count_call(a->kind, way->bytes, c, e, STATS_FORM_NONBLOCKING, !way->anew);
    if (!way->native)
        error = start_exec(e, request);
    return error ? call_raise(a, STATS_FORM_NONBLOCKING, way->stages, c, error) : MPI_SUCCESS;
}

__attribute__((noinline)) static int start_counted(const args *a, MPI_Request *request,
                                                   way_of_call *way)
{
    stats_enter();
    return stats_leave(start_or_leave(a, request, way, true));
}

static int start_by(const args *a, MPI_Request *request, way_of_call *way)
{
    return __builtin_expect(stats_on, 0) ? start_counted(a, request, way)
                                         : start_or_leave(a, request, way, false);
}

int call_start(const args *a, MPI_Request *request)
{
    way_of_call way;

    call_way(&way);
    return start_by(a, request, &way);
}

/* What is left the MPI gets as it is: nobody would copy its result. */
int call_start_unless_native(const args *a, MPI_Request *request, call_left *left)
{
    way_of_call way;
    int error;

    call_way(&way);
    way.stages = true;
    way.may_leave_new = left != NULL;
    error = start_by(a, request, &way);
    staged_free(way.staged);
    if (!error && way.native)
        left->native = way.native;
    return error;
}
