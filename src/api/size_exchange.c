/* SPDX-License-Identifier: BSD-3-Clause */
/* size_exchange.c - see size_exchange.h. */
#include "api/size_exchange.h"

#include "algos/algo.h"

#include <stdlib.h>
#include <string.h>

struct size_exchange {
    sched *sched;
    size_t bytes;    /* of what is found */
    int64_t *mine;   /* [p]: bytes of my blocks */
    int64_t found[]; /* those of blocks that pass */
};

bool size_exchange_needed(coll_kind kind, choice chosen)
{
    return algo_table[chosen.algo]->size_exchange && coll_is_v(kind);
}

static sched_error compile_size_exchange(const call *of, const plan_key *key, choice chosen,
                                         sched **result)
{
    coll c = {.kind = (coll_kind)key->kind,
              .p = of->coll.p,
              .rank = of->coll.rank,
              .parameter = chosen.parameter,
              .variant = chosen.variant};

    return algo_compile_size_exchange(algo_table[chosen.algo], &c,
                                      of->comm->ready ? of->comm->topo : NULL, result);
}

/* Takes over the schedule. NULL: out of memory. */
static size_exchange *make_size_exchange(const call *of, const plan_key *key, sched *how)
{
    size_t n = (size_t)how->extent[SPACE_RECV], p = (size_t)of->coll.p;
    size_exchange *s = calloc(1, sizeof *s + (n + p) * sizeof *s->found);

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

int size_exchange_begin(exec *e, const call *of, const plan_key *key, choice chosen,
                        size_exchange **result)
{
    sched *how;
    size_exchange *s;
    binding b = {.sendtype = MPI_INT64_T,
                 .sendcount = 1,
                 .recvtype = MPI_INT64_T,
                 .recvcount = 1,
                 .op = operation_none};

    if (compile_size_exchange(of, key, chosen, &how) != SCHED_OK)
        return MPI_ERR_NO_MEM;
    if (how->extent[SPACE_RECV] == 0) {
        sched_free(how);
        return MPI_SUCCESS;
    }
    s = make_size_exchange(of, key, how);
    if (!s || !exec_attach(e, how)) {
        size_exchange_end(s, NULL);
        return MPI_ERR_NO_MEM;
    }
    *result = s;
    b.sendbuf = s->mine;
    b.recvbuf = s->found;
    return exec_bind(e, &b);
}

plan_key *size_exchange_key(const size_exchange *s, const plan_key *key, size_t *size)
{
    plan_key *longer = malloc(*size + s->bytes);

    if (!longer)
        return NULL;
    memcpy(longer, key, *size);
    longer->has_exchanged_sizes = true;
    memcpy((char *)longer + *size, s->found, s->bytes);
    *size += s->bytes;
    return longer;
}

void size_exchange_end(size_exchange *s, exec *e)
{
    if (!s)
        return;
    if (e && e->bound.sched == s->sched)
        exec_detach(e);
    sched_free(s->sched);
    free(s);
}
