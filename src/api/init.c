/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - make a persistent request of a call. */
#include "api/call.h"

#include "api/choose.h"
#include "api/count_call.h"
#include "api/execs.h"
#include "api/halo_choice.h"
#include "api/measure.h"
#include "api/repeat.h"
#include "api/together.h"
#include "nbc/comm/first.h"
#include "nbc/process/env.h"
#include "nbc/process/mpi_calls.h"
#include "nbc/process/reason.h"
#include "nbc/process/watch.h"
#include "persistent/request.h"
#include "persistent/trial.h"

#include <stdlib.h>
#include <string.h>
#include <tutti_pmpix.h>

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
        return reason_set(MPI_ERR_INFO_VALUE, "tutti_stats=%s: must be true or false", text);
    *timed |= flag && strcmp(text, "true") == 0;
    return MPI_SUCCESS;
}

/* What is made before all ranks agree. */
typedef struct made {
    MPIX_Request request;
    trial *trial;
    measure_wish wish;
} made;

/* What must be the same on all ranks: the choice, or all that several ones are candidates for. */
static uint64_t digest_of(const choice *c, const selection *s, const made *m)
{
    const int32_t parts[] = {c->algo,           (int32_t)c->form, c->parameter, c->variant,
                             (int32_t)c->order, (int32_t)m->wish, c->in_order,  c->undecided};
    uint64_t digest = wisdom_hash(WISDOM_HASH, parts, sizeof parts);

    return m->trial || s->choice.undecided ? wisdom_hash(digest, &s->without, sizeof s->without)
                                           : digest;
}

/* An error of the arguments is each rank's own. Another one is sent to all, so that nobody waits
 * for this rank for ever. */
static bool is_own(int error)
{
    return error && error != MPI_ERR_NO_MEM;
}

/* A persistent exec, on all ranks or on none; error: what this rank has met. */
static int init_together(const call *of, const selection *s, const made *m, int error, exec **e)
{
    choice chosen = s->choice;
    bool refused = false;

    if (!error)
        error = together_bind(of, chosen, halo_choice_close, &s->without, digest_of(&chosen, s, m),
                              e, &refused);
    if (refused)
        return error;
    if (*e)
        chosen = execs_choice(*e); /* with what follows from the operation */
    return together_persist(of->comm, coll_kind_name(of->coll.kind), error,
                            digest_of(&chosen, s, m), e);
}

/* e: persistent; or NULL: there is an error, and nothing is left. */
static int give(made *m, exec *e, int error, MPIX_Request *request)
{
    if (!error) {
        *request = m->request;
    } else if (e) {
        PMPIX_Request_free(&m->request);
    } else {
        free(m->trial);
        free(m->request);
    }
    return error;
}

/* The call has been met before, and e is bound for it; or NULL: there is an error. */
static int init_known(const args *a, comm *c, int error, exec *e, MPIX_Request *request)
{
    choice chosen = e ? execs_choice(e) : (choice){0};
    selection none = {0};
    made m = {0};
    bool timed = false;

    if (!error)
        error = timed_from(MPI_INFO_NULL, &timed);
    if (!error)
        error = request_make(timed, &m.request);
    error = together_persist(c, coll_kind_name(a->kind), error, digest_of(&chosen, &none, &m), &e);
    if (e)
        request_take(m.request, e, NULL);
    return give(&m, e, error, request);
}

/* A rank whose info is wrong, or whose buffer is on a device, takes part. */
static int make(const call *of, MPI_Info info, int error, made *m)
{
    int failure = comm_make_ready(of->comm, coll_kind_name(of->coll.kind));
    bool timed = false;

    if (!error)
        error = failure;
    if (!error)
        error = timed_from(info, &timed);
    if (!error)
        error = measure_read(info, &m->wish);
    if (!error)
        error = request_make(timed, &m->request);
    if (!error)
        error = measure_prepare(of, info, m->wish, &m->trial);
    return error;
}

/* What the arguments are refused for without any info is an error that all ranks have, and know of;
 * other ranks may have no info. */
static int choose_for_init(const call *of, MPI_Info info, selection *s, bool *of_arguments)
{
    int error = call_choose(of, info, s), without = error;
    selection unused;

    if (is_own(error) && info != MPI_INFO_NULL)
        without = call_choose(of, MPI_INFO_NULL, &unused);
    *of_arguments = is_own(without);
    return *of_arguments ? without : error;
}

static int init_anew(const args *a, comm *c, MPI_Info info, way_of_call *way, MPIX_Request *request)
{
    exec *e = NULL;
    made m = {0};
    selection s = {0};
    bool of_arguments = false;
    call of;
    int error = call_check(a, c, &of);

    if (is_own(error))
        return error;
    of.staged = way->staged;
    way->bytes = of.bytes;
    if (!error)
        error = choose_for_init(&of, info, &s, &of_arguments);
    if (of_arguments)
        return error;
    error = make(&of, info, error ? error : way->refused, &m);
    if (!error && !m.trial)
        halo_choice_open(&of, &s.without, &s.choice);
    error = init_together(&of, &s, &m, error, &e);
    if (e)
        request_take(m.request, e, m.trial);
    if (e && info == MPI_INFO_NULL && !s.choice.undecided) /* others may give other arguments */
        repeat_remember(a, &of, e, false);
    if (e && m.trial)
        error = measure_begin(m.trial, &of);
    return give(&m, e, error, request);
}

/* May its form depend on the pattern, which this rank alone does not know? */
static bool may_be_estimated(const args *a, const comm *c)
{
    return coll_has(a->kind, COLL_NEIGHBORS) && a->algo == ALGO_NONE &&
           !(c->ready && c->topo && c->topo->nodes == 1);
}

static int init_of(const args *a, comm *c, MPI_Info info, way_of_call *way, MPIX_Request *request)
{
    exec *e = NULL;
    bool known = false;
    int error = MPI_SUCCESS;

    if (info == MPI_INFO_NULL && !env_measures() && !way->refused && !may_be_estimated(a, c)) {
        error = call_prepare(a, c, way, &e);
        known = e || error;
    }
    error = known ? init_known(a, c, error, e, request) : init_anew(a, c, info, way, request);
    if (!error && stats_on)
        count_call(a->kind, way->bytes, c, (*request)->exec, STATS_FORM_PERSISTENT, known);
    return error;
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
        way.refused = call_stage(&a, c, &way);
    if (!error)
        error = request ? init_of(a, c, info, &way, request)
                        : reason_set(MPI_ERR_ARG, "request is NULL");
    staged_free(way.staged);
    if (!error)
        (*request)->of_mpi = stages;
    return error ? call_raise(a, STATS_FORM_PERSISTENT, stages, c, error) : MPI_SUCCESS;
}

int call_init(const args *a, MPI_Info info, MPIX_Request *request)
{
    return init_by(a, info, false, request);
}

int call_init_staged(const args *a, MPI_Info info, MPIX_Request *request)
{
    return init_by(a, info, true, request);
}
