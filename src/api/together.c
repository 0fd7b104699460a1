/* SPDX-License-Identifier: BSD-3-Clause */
/* together.c - see together.h. */
#include "api/together.h"

#include "algos/algo.h"
#include "api/execs.h"
#include "api/repeat.h"
#include "nbc/comm/first.h"
#include "nbc/comm/windows.h"
#include "nbc/library.h"
#include "nbc/plan/plan.h"
#include "nbc/process/reason.h"
#include "nbc/process/simulated.h"
#include "nbc/run/engine.h"

int together_ready(MPI_Comm user, const char *caller, comm **c)
{
    int error = library_enter();

    *c = NULL;
    if (!error)
        error = comm_get(user, c);
    if (error)
        return error;
    comm_free_deferred();
    return comm_make_ready(*c, caller);
}

int together_largest(comm *c, int64_t *mine, int64_t *all, int n, exec **result)
{
    const args a = {.kind = COLL_allreduce,
                    .algo = ALGO_allreduce_recursive_doubling,
                    .comm = c->user,
                    .op = MPI_MAX,
                    .send = {.buffer = mine, .type = MPI_INT64_T, .count = n},
                    .recv = {.buffer = all, .type = MPI_INT64_T, .count = n}};
    choice chosen;
    call of;
    int error = repeat_exec(&a, c, result);

    if (error || *result)
        return error;
    select_named(a.algo, 0, c->p, 8 * (int64_t)n, &chosen);
    error = call_check(&a, c, &of);
    if (!error)
        error = execs_bind(&of, chosen, false, result);
    if (!error)
        repeat_remember(&a, &of, *result, false);
    return error;
}

int together_find_largest(comm *c, int64_t *mine, int64_t *all, int n)
{
    exec *e;
    int error = together_largest(c, mine, all, n, &e);

    if (error) {
        plan_cache_clear(c);
        error = together_largest(c, mine, all, n, &e);
    }
    if (error)
        return error;
    error = execs_run(e);
    plan_return_exec(e);
    return error;
}

static int error_of_another(int class)
{
    char text[MPI_MAX_ERROR_STRING];

    reason_of_class(class, text);
    return reason_elsewhere(class, "error on another rank: %s", text);
}

static int agree_on_call(comm *c, int error, uint64_t what)
{
    int64_t hash = (int64_t)(what >> 1), mine[] = {0, hash, -hash}, all[3];
    int class = MPI_SUCCESS, failure;

    if (c->p == 1)
        return error;
    if (error) {
        PMPI_Error_class(error, &class);
        mine[0] = class;
    }
    failure = together_find_largest(c, mine, all, 3);
    if (error || failure || simulated_folded()) /* it takes the same time, without data */
        return error ? error : failure;
    if (all[0] != MPI_SUCCESS)
        return error_of_another((int)all[0]);
    if (all[1] == hash && all[2] == -hash)
        return MPI_SUCCESS;
    return reason_set(MPI_ERR_INFO_VALUE, "the ranks ask for different algorithms or plans");
}

/* After an error nobody writes to rings that have been published. */
int together_agree(comm *c, const char *caller, int error, uint64_t what)
{
    int failure = comm_make_ready(c, caller);

    if (failure)
        return error ? error : failure;
    if (c->shm_peers)
        c->shm_peers->inits++;
    error = agree_on_call(c, error, what);
    if (error)
        shm_peers_skip(c->shm_peers);
    return error;
}

static int agree_on_round(const call *of, const choice *chosen, int error)
{
    uint64_t what = (uint64_t)chosen->algo << 32 | (uint32_t)chosen->parameter;

    return together_agree(of->comm, coll_kind_name(of->coll.kind), error, what << 1);
}

/* To ask is an operation: all ranks begin it, or none does. */
int together_bind(const call *of, choice chosen, execs_decide *decide, const algo_set *without,
                  uint64_t what, exec **e, bool *refused)
{
    execs_asking q;
    bool began;
    int error;

    *refused = false;
    if (!size_exchange_needed(of->coll.kind, chosen))
        return execs_bind(of, chosen, true, e);
    error = execs_ask(of, chosen, true, &q);
    began = !error;
    error = together_agree(of->comm, coll_kind_name(of->coll.kind), error, what);
    *refused = error != MPI_SUCCESS;
    if (error && began)
        execs_ask_no_more(&q);
    if (error)
        return error;
    q.decide = decide;
    q.without = without;
    q.agree = agree_on_round;
    return execs_answer(of, chosen, &q, e);
}

/* The rings are published before, so that the agreement is all that an init waits for. */
int together_persist(comm *c, const char *caller, int error, uint64_t what, exec **e)
{
    int failure = comm_make_ready(c, caller);

    if (!error)
        error = failure ? failure : exec_publish_rings(*e);
    if (!error)
        error = comm_persistent_reserve(c);
    error = together_agree(c, caller, error, what);
    if (!error)
        error = execs_persist(*e);
    if (error && *e) {
        plan_return_exec(*e);
        *e = NULL;
    }
    return error;
}

void together_pass_gate(const comm *c)
{
    bool closed = true;

    for (int idle = 0; closed;) {
        bool prepares = engine_prepares(c);
        engine_enter();
        closed = prepares || c->gate.waiting != NULL;
        engine_leave();
        if (closed)
            engine_idle_turn(&idle);
    }
}
