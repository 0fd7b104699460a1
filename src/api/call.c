/* call.c - what every collective's entry points share. */
#include "api/call.h"

#include "nbc/driver.h"
#include "nbc/engine.h"
#include "nbc/env.h"
#include "nbc/library.h"
#include "nbc/watch.h"
#include "persistent/request.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- choose ---- */

static int applicable(choice c, coll_kind kind, int p)
{
    const algo *a = algo_table[c.algo];
    coll call = {.kind = kind, .p = p};
    const char *why = a->inapplicable ? a->inapplicable(&call) : NULL;

    if (why && env_verbose())
        env_say("%s, here are %d", why, p);
    return why ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS;
}

/* Info values and environment variables name algorithms alike. */
static int from_info(coll_kind kind, MPI_Info info, int p, int64_t bytes, choice *c, bool *found)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int flag = 0;

    *found = false;
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    if (PMPI_Info_get(info, "tutti_algorithm", MPI_MAX_INFO_VAL, text, &flag) != MPI_SUCCESS)
        return MPI_ERR_INFO;
    if (!flag || strcmp(text, "auto") == 0)
        return MPI_SUCCESS;
    if (!select_parse(kind, text, p, bytes, c))
        return MPI_ERR_INFO_VALUE;
    *found = true;
    return applicable(*c, kind, p);
}

static void say_valid(coll_kind kind, const char *text)
{
    char names[512] = "auto";
    size_t n = strlen(names);

    for (int i = 0; i < algo_count && n < sizeof names; i++)
        if (algo_table[i]->kind == algo_family(kind))
            n += (size_t)snprintf(names + n, sizeof names - n, ", %s%s", algo_table[i]->name,
                                  algo_table[i]->has_forms ? "[:step|:block]" : "");
    env_say_here("%s: no algorithm for %s; there are %s", text, coll_kind_name(kind), names);
}

/* A variable names an algorithm for all communicators: where it does not apply, the rule does. */
static int from_environment(coll_kind kind, int p, int64_t bytes, choice *c, bool *found)
{
    static _Atomic bool said;
    const char *text = env_algorithm(kind);

    *found = false;
    if (!text || strcmp(text, "auto") == 0)
        return MPI_SUCCESS;
    if (!select_parse(kind, text, p, bytes, c)) {
        if (!atomic_exchange(&said, true))
            say_valid(kind, text);
        return MPI_ERR_ARG;
    }
    *found = applicable(*c, kind, p) == MPI_SUCCESS;
    return MPI_SUCCESS;
}

int call_choose(coll_kind kind, int requested, MPI_Info info, int p, int64_t bytes, choice *result)
{
    const char *why;
    bool found;
    int error;

    if (requested != ALGO_NONE) {
        result->algo = requested;
        result->form = select_form(algo_table[requested], p, bytes);
        return applicable(*result, kind, p);
    }
    error = from_info(kind, info, p, bytes, result, &found);
    if (error || found)
        return error;
    error = from_environment(kind, p, bytes, result, &found);
    if (error || found)
        return error;
    *result = select_auto(kind, p, bytes, &why);
    return MPI_SUCCESS;
}

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
                 .in_place = key->in_place,
                 .sendcount = !key->send_empty,
                 .count = !key->recv_empty,
                 .counts = key->v,
                 .displs = key->v + c->p};

    return errors[algo_compile(algo_table[key->algo], (coll_form)key->form, &call, result)];
}

int call_exec(comm *c, const plan_key *key, size_t key_size, const binding *b, exec **result)
{
    plan *p;
    exec *e;
    int error = plan_get(c, key, key_size, compile, &p);

    if (error)
        return error;
    error = plan_take_exec(p, c, &e);
    if (error) {
        plan_unref(p);
        return error;
    }
    error = exec_bind(e, b);
    if (error) {
        plan_return_exec(e);
        return error;
    }
    e->collective = coll_kind_name((coll_kind)key->kind);
    e->algorithm = algo_table[key->algo]->name;
    *result = e;
    return MPI_SUCCESS;
}

/* The number that its tags come from: the same on all ranks, in the order of the calls. */
static void number(exec *e)
{
    library_lock();
    e->operation = e->comm->next_operation++;
    library_unlock();
    e->window = (int)(e->operation % e->comm->split);
    e->timed = watch_on;
}

int call_start(exec *e, MPI_Request *request)
{
    int error;

    e->collect = plan_return_exec;
    error = comm_begin(e->comm);
    if (!error)
        error = library_driver()->request(e, &e->native);
    if (error) {
        plan_return_exec(e);
        return error;
    }
    number(e);
    *request = e->native;
    engine_start(e);
    return MPI_SUCCESS;
}

int call_run(exec *e)
{
    int error = comm_begin(e->comm);

    if (!error) {
        number(e);
        engine_start(e);
        engine_wait(e);
        error = e->error;
    }
    plan_return_exec(e);
    return error;
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

int call_init(exec *e, MPI_Info info, MPIX_Request *request)
{
    comm *c = e->comm;
    bool timed;
    int error = timed_from(info, &timed);

    if (!error)
        error = comm_begin(c);
    if (error)
        goto fail;
    error = comm_wait_ready(c);
    if (!error)
        error = comm_persistent_window(c, e);
    if (error)
        goto fail;
    error = exec_make_requests(e, e->window * SCHED_WINDOW);
    if (!error)
        error = request_make(e, timed, request);
    if (!error)
        return MPI_SUCCESS;
    comm_persistent_release(c, e);
fail:
    plan_return_exec(e);
    return error;
}
