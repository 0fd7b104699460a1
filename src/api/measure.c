/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c - see measure.h. */
#include "api/measure.h"

#include "api/choose.h"
#include "api/execs.h"
#include "api/together.h"
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

/* On failure there is none any more. */
static int persist(exec **e)
{
    int error = execs_persist(*e);

    if (error) {
        plan_return_exec(*e);
        *e = NULL;
    }
    return error;
}

/* From `mine` to `slowest`. */
static int make_vote(trial *t)
{
    int error =
        together_largest(t->candidate[0]->comm, t->mine, t->slowest, t->n * TRIAL_ROUNDS, &t->vote);

    if (!error)
        error = persist(&t->vote);
    if (!error)
        t->vote->stats.timed = watch_on;
    return error;
}

static int fill(trial *t, const call *c, int n)
{
    int error = MPI_SUCCESS;

    for (; !error && t->n < n; t->n += !error) {
        error = execs_bind(c, t->choice[t->n], &t->candidate[t->n]);
        if (!error)
            error = persist(&t->candidate[t->n]);
    }
    return error ? error : make_vote(t);
}

int measure_begin(const call *c, MPI_Info info, measure_wish wish, MPIX_Request *request)
{
    MPIX_Request r = *request;
    bool said = wish == MEASURE_UNSAID && c->comm->asks_alike && env_measures();
    trial *t;
    int error, n;

    if ((wish != MEASURE_YES && !said) || c->coll.p == 1)
        return MPI_SUCCESS;
    t = calloc(1, sizeof *t);
    if (!t) {
        PMPIX_Request_free(request);
        return MPI_ERR_NO_MEM;
    }
    *t = (trial){.n = 1, .candidate = {r->exec}, .winner = -1};
    error = choose_candidates(c, info, t->choice, TRIAL_MOST, &n, &t->key);
    if (error)
        PMPIX_Request_free(request);
    if (error || n < 2) {
        free(t);
        return error;
    }
    r->trial = t;
    error = fill(t, c, n);
    if (error)
        PMPIX_Request_free(request);
    return error;
}
