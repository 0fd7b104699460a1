/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - make a persistent request of a call. */
#include "api/call.h"

#include "api/choose.h"
#include "api/execs.h"
#include "api/measure.h"
#include "api/repeat.h"
#include "api/tallied.h"
#include "api/together.h"
#include "nbc/process/env.h"
#include "nbc/process/mpi_calls.h"
#include "nbc/process/watch.h"
#include "persistent/request.h"
#include "tune/wisdom_text.h"

#include <string.h>

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

/* What must be the same on all ranks. */
static uint64_t digest_of(const choice *c, measure_wish wish)
{
    const int32_t parts[] = {c->algo,           (int32_t)c->form, c->parameter, c->variant,
                             (int32_t)c->order, (int32_t)wish,    c->in_order};

    return wisdom_hash(WISDOM_HASH, parts, sizeof parts);
}

/* All ranks agree on the choice; error: what this rank has met. Its rings are told before, if its
 * exec is bound already, so that the agreement is all that an init waits for. */
static int agree(comm *c, const char *name, uint64_t digest, int error, exec *e)
{
    if (c->links)
        c->links->inits++;
    if (e && !error)
        error = exec_tell_rings(e);
    error = together_agree(c, name, error, digest);
    if (!error)
        return MPI_SUCCESS;
    links_skip(c->links);
    if (e) /* nobody writes to its rings */
        plan_return_exec(e);
    return error;
}

/* Without asking other ranks for lengths an exec is bound before they agree. */
static int init_together(const call *of, choice chosen, measure_wish wish, int error, exec **e)
{
    const char *name = coll_kind_name(of->coll.kind);
    bool asks = !error && survey_needed(of->coll.kind, chosen);
    int failure = comm_make_ready(of->comm, name);

    if (!error && !failure && !asks)
        error = execs_bind(of, chosen, e);
    if (*e)
        chosen = execs_choice(*e); /* with what follows from the operation */
    error = agree(of->comm, name, digest_of(&chosen, wish), error, *e);
    if (error || !asks)
        return error;
    error = execs_bind(of, chosen, e);
    if (error)
        links_skip(of->comm->links);
    return error;
}

/* The call has been met before. */
static int init_known(const args *a, comm *c, exec *e)
{
    const char *name = coll_kind_name(a->kind);
    choice chosen = execs_choice(e);
    int error = comm_make_ready(c, name);

    return agree(c, name, digest_of(&chosen, MEASURE_UNSAID), error, e);
}

/* Arguments are each rank's own; a rank whose info is wrong, or whose buffer is on a device, takes
 * part, so that nobody waits for it in vain. */
static int init_anew(const args *a, comm *c, MPI_Info info, const way_of_call *way,
                     MPIX_Request *request)
{
    exec *e = NULL;
    call of;
    selection s = {0};
    measure_wish wish = MEASURE_UNSAID;
    bool timed = false;
    int error = call_check(a, c, &of);

    if (error)
        return error;
    of.staged = way->staged;
    error = call_choose(&of, info, &s);
    if (error && info == MPI_INFO_NULL) /* then it does not serve the arguments */
        return error;
    if (!error)
        error = way->refused;
    if (!error)
        error = timed_from(info, &timed);
    if (!error)
        error = measure_read(info, &wish);
    error = init_together(&of, s.choice, wish, error, &e);
    if (!error && info == MPI_INFO_NULL)
        repeat_remember(a, &of, e, false);
    if (!error)
        error = init(e, timed, request);
    if (!error)
        error = measure_begin(&of, info, wish, request);
    if (!error && tally_on)
        tallied(a->kind, of.bytes, c, (*request)->exec, TALLY_PERSISTENT, false);
    return error;
}

static int init_of(const args *a, comm *c, MPI_Info info, way_of_call *way, MPIX_Request *request)
{
    exec *e = NULL;
    bool timed;
    int error = MPI_SUCCESS;

    if (info == MPI_INFO_NULL && !env_measures() && !way->refused)
        error = call_prepare(a, c, way, &e);
    if (error)
        return error;
    if (!e)
        return init_anew(a, c, info, way, request);
    error = init_known(a, c, e);
    if (!error)
        error = timed_from(MPI_INFO_NULL, &timed);
    if (!error)
        error = init(e, timed, request);
    if (!error && tally_on)
        tallied(a->kind, way->bytes, c, e, TALLY_PERSISTENT, true);
    return error;
}

static int stage(const args **a, comm *c, way_of_call *way)
{
    int error = call_stage(a, c, way);

    way->refused = way->stages ? MPI_SUCCESS : error;
    return way->stages ? error : MPI_SUCCESS;
}

static int init_by(const args *a, MPI_Info info, bool stages, MPIX_Request *request)
{
    way_of_call way;
    comm *c = NULL;
    int error = call_enter(a, &c);

    call_way(&way);
    way.only_known = true;
    way.stages = stages;
    if (!error && device_loaded())
        error = stage(&a, c, &way);
    if (!error)
        error = request ? init_of(a, c, info, &way, request) : MPI_ERR_ARG;
    staged_free(way.staged);
    return comm_raise_for(a->comm, c, error);
}

int call_init(const args *a, MPI_Info info, MPIX_Request *request)
{
    return init_by(a, info, false, request);
}

int call_init_staged(const args *a, MPI_Info info, MPIX_Request *request)
{
    return init_by(a, info, true, request);
}
