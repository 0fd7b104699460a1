/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c - see measure.h. */
#include "api/measure.h"

#include "api/choose.h"
#include "api/execs.h"
#include "api/halo_choice.h"
#include "api/together.h"
#include "nbc/process/env.h"
#include "nbc/process/mpi_calls.h"
#include "nbc/process/reason.h"
#include "nbc/process/watch.h"
#include "persistent/trial.h"

#include <stdlib.h>
#include <string.h>

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
    return reason_set(MPI_ERR_INFO_VALUE, "tutti_plan=%s: must be estimate or measure", text);
}

int measure_prepare(const call *c, MPI_Info info, measure_wish wish, trial **result)
{
    bool said = wish == MEASURE_UNSAID && c->comm->same_environment && env_measures();
    trial *t;
    int error;

    *result = NULL;
    if ((wish != MEASURE_YES && !said) || c->coll.p == 1)
        return MPI_SUCCESS;
    t = calloc(1, sizeof *t);
    if (!t)
        return MPI_ERR_NO_MEM;
    t->winner = -1;
    if (coll_has(c->coll.kind, COLL_NEIGHBORS))
        error = halo_choice_candidates(c, info, t->choice, TRIAL_MOST, &t->n);
    else
        error = choose_candidates(c, info, t->choice, TRIAL_MOST, &t->n, &t->key);
    if (error || t->n < 2)
        free(t);
    else
        *result = t;
    return error;
}

/* From `mine` to `slowest`. */
static int make_vote(trial *t, comm *c, const char *caller)
{
    int error = together_largest(c, t->mine, t->slowest, t->n * TRIAL_ROUNDS, &t->vote);

    error = together_persist(c, caller, error, 0, &t->vote);
    if (!error)
        t->vote->stats.timed = watch_on;
    return error;
}

int measure_begin(trial *t, const call *c)
{
    const char *caller = coll_kind_name(c->coll.kind);
    int error = MPI_SUCCESS;

    for (int i = 1; !error && i < t->n; i++) {
        bool refused;
        error = together_bind(c, t->choice[i], NULL, NULL, 0, &t->candidate[i], &refused);
        if (!refused)
            error = together_persist(c->comm, caller, error, 0, &t->candidate[i]);
    }
    return error ? error : make_vote(t, c->comm, caller);
}
