/* SPDX-License-Identifier: BSD-3-Clause */
/* survey.c - see survey.h. */
#include "api/survey.h"

#include "algos/algo.h"

#include <stdlib.h>
#include <string.h>

struct survey {
    sched *sched;
    size_t bytes;    /* of what is found */
    int64_t *mine;   /* [p]: bytes of my blocks */
    int64_t found[]; /* those of blocks that pass */
};

bool survey_needed(coll_kind kind, choice chosen)
{
    return algo_table[chosen.algo]->survey && coll_is_v(kind);
}

static sched_error compile_survey(const call *of, const plan_key *key, choice chosen,
                                  sched **result)
{
    coll c = {.kind = (coll_kind)key->kind,
              .p = of->coll.p,
              .rank = of->coll.rank,
              .parameter = chosen.parameter,
              .variant = chosen.variant};

    return algo_compile_survey(algo_table[chosen.algo], &c, of->comm->ready ? of->comm->topo : NULL,
                               result);
}

/* Takes over the schedule. NULL: out of memory. */
static survey *make_survey(const call *of, const plan_key *key, sched *how)
{
    size_t n = (size_t)how->extent[SPACE_RECV], p = (size_t)of->coll.p;
    survey *s = calloc(1, sizeof *s + (n + p) * sizeof *s->found);

    if (!s) {
        sched_free(how);
        return NULL;
    }
    s->sched = how;
    s->bytes = n * sizeof *s->found;
    s->mine = s->found + n;
    for (int i = 0; i < of->coll.p; i++)
        s->mine[i] = call_key_bytes(key, of, i);
    return s;
}

int survey_begin(exec *e, const call *of, const plan_key *key, choice chosen, survey **result)
{
    sched *how;
    survey *s;
    binding b = {.sendtype = MPI_INT64_T,
                 .sendcount = 1,
                 .recvtype = MPI_INT64_T,
                 .recvcount = 1,
                 .op = operation_none};

    if (compile_survey(of, key, chosen, &how) != SCHED_OK)
        return MPI_ERR_NO_MEM;
    if (how->extent[SPACE_RECV] == 0) {
        sched_free(how);
        return MPI_SUCCESS;
    }
    s = make_survey(of, key, how);
    if (!s || !exec_attach(e, how)) {
        survey_end(s, NULL);
        return MPI_ERR_NO_MEM;
    }
    *result = s;
    b.sendbuf = s->mine;
    b.recvbuf = s->found;
    return exec_bind(e, &b);
}

plan_key *survey_key(const survey *s, const plan_key *key, size_t *size)
{
    plan_key *longer = malloc(*size + s->bytes);

    if (!longer)
        return NULL;
    memcpy(longer, key, *size);
    longer->surveyed = true;
    memcpy((char *)longer + *size, s->found, s->bytes);
    *size += s->bytes;
    return longer;
}

void survey_end(survey *s, exec *e)
{
    if (!s)
        return;
    if (e && e->bound.sched == s->sched)
        exec_detach(e);
    sched_free(s->sched);
    free(s);
}
