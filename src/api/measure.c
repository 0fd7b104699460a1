/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c - see measure.h. */
#include "api/measure.h"

#include "algos/algo.h"
#include "api/choose.h"
#include "api/execs.h"
#include "nbc/process/env.h"
#include "nbc/process/mpi_calls.h"
#include "nbc/process/watch.h"
#include "persistent/request.h"
#include "persistent/trial.h"

#include <stdlib.h>
#include <string.h>
#include <tutti_pmpix.h>

int measure_read(MPI_Info info, measure_wish *wish)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int flag = 0;

    *wish = MEASURE_UNSAID;
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    if (mpi_info_get(info, "tutti_plan", text, &flag) != MPI_SUCCESS)
        return MPI_ERR_INFO;
    if (!flag)
        return MPI_SUCCESS;
    *wish = strcmp(text, "measure") == 0 ? MEASURE_YES : MEASURE_NO;
    if (*wish == MEASURE_YES || strcmp(text, "estimate") == 0)
        return MPI_SUCCESS;
    *wish = MEASURE_UNSAID;
    return MPI_ERR_INFO_VALUE;
}

static int persistent_exec(const args *a, const facts *f, choice chosen, exec **result)
{
    exec *e;
    int error = execs_bind(a, f, chosen, &e);

    if (error)
        return error;
    error = execs_persist(e);
    if (error)
        plan_return_exec(e);
    else
        *result = e;
    return error;
}

/* From `mine` to `slowest`. It is short: few steps are what counts. */
static int make_vote(trial *t, const args *of)
{
    args a = {.kind = COLL_allreduce, .algo = ALGO_allreduce_recursive_doubling, .comm = of->comm};
    facts f = {.comm = t->candidate[0]->comm};
    int n = t->n * TRIAL_ROUNDS, error;
    choice chosen;

    a.op = MPI_MAX;
    a.send = (args_side){.buffer = t->mine, .type = MPI_INT64_T, .count = n};
    a.recv = (args_side){.buffer = t->slowest, .type = MPI_INT64_T, .count = n};
    error = args_check(&a, &f);
    if (error)
        return error;
    select_named(a.algo, 0, f.comm->p, 8 * (int64_t)n, &chosen);
    error = persistent_exec(&a, &f, chosen, &t->vote);
    if (!error)
        t->vote->stats.timed = watch_on;
    return error;
}

static int fill(trial *t, const args *a, int n)
{
    facts f = {.comm = t->candidate[0]->comm};
    int error = args_check(a, &f);

    for (; !error && t->n < n; t->n += !error)
        error = persistent_exec(a, &f, t->choice[t->n], &t->candidate[t->n]);
    return error ? error : make_vote(t, a);
}

int measure_begin(const args *a, MPI_Info info, measure_wish wish, MPIX_Request *request)
{
    MPIX_Request r = *request;
    facts f = {.comm = r->exec->comm};
    bool said = wish == MEASURE_UNSAID && f.comm->asks_alike && env_measures();
    trial *t;
    int error, n;

    if ((wish != MEASURE_YES && !said) || f.comm->p == 1 || args_check(a, &f))
        return MPI_SUCCESS;
    t = calloc(1, sizeof *t);
    if (!t) {
        PMPIX_Request_free(request);
        return MPI_ERR_NO_MEM;
    }
    *t = (trial){.n = 1, .candidate = {r->exec}, .winner = -1};
    n = choose_candidates(a, &f, info, t->choice, TRIAL_MOST, &t->key);
    if (n < 2) {
        free(t);
        return MPI_SUCCESS;
    }
    r->trial = t;
    error = fill(t, a, n);
    if (error)
        PMPIX_Request_free(request);
    return error;
}
