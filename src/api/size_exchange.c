/* SPDX-License-Identifier: BSD-3-Clause */
/* size_exchange.c - see size_exchange.h. */
#include "api/size_exchange.h"

#include "algos/algo.h"
#include "nbc/comm/comm.h"

#include <stdlib.h>
#include <string.h>

struct size_exchange {
    const algo *algo;
    const topo *topo;
    coll c;       /* its exchanged_sizes: what the last round has found */
    int round;    /* that runs, or has run: from 1 on */
    sched *sched; /* its schedule */
    size_t bytes; /* of what it finds */
    int64_t *found, *mine;
};

bool size_exchange_needed(coll_kind kind, choice chosen)
{
    return algo_table[chosen.algo]->size_exchange &&
           (coll_is_v(kind) || coll_has(kind, COLL_NEIGHBORS));
}

/* ---- the lists of this rank ---- */

/* Bytes of the block from the i-th source, or to the i-th destination. */
static int64_t bytes_of_edge(const call_side *s, const int64_t *counts, int i)
{
    if (s->extent == COLL_TYPED)
        return counts[i];
    return (s->extent == COLL_LISTED ? counts[i] : s->count) * s->type.size;
}

static int64_t *put_edge(int64_t *to, int peer, int64_t bytes)
{
    to[0] = peer;
    to[1] = peer < 0 ? 0 : bytes;
    return to + 2;
}

static int64_t *list_edges(const call *of, const plan_key *key, const coll_neighbors *n)
{
    int64_t *list =
        malloc((2 + 2 * ((size_t)n->ndestinations + (size_t)n->nsources)) * sizeof *list);
    const int64_t *in = key->v, *out = in + (of->recv.extent >= COLL_LISTED ? 2 * of->recv.n : 0);
    int64_t *to = list;

    if (!list)
        return NULL;
    *to++ = n->ndestinations;
    *to++ = n->nsources;
    for (int i = 0; i < n->ndestinations; i++)
        to = put_edge(to, n->destinations[i], bytes_of_edge(&of->send, out, i));
    for (int i = 0; i < n->nsources; i++)
        to = put_edge(to, n->sources[n->order[i]], bytes_of_edge(&of->recv, in, n->order[i]));
    return list;
}

static int64_t *list_blocks(const call *of, const plan_key *key)
{
    int64_t *list = malloc((size_t)of->coll.p * sizeof *list);

    for (int i = 0; list && i < of->coll.p; i++)
        list[i] = call_key_bytes(key, of, i);
    return list;
}

/* ---- the rounds ---- */

/* *asks: there is something to ask in this round. */
static int begin_round(size_exchange *s, exec *e, bool *asks)
{
    binding b = {.sendbuf = s->mine,
                 .sendtype = MPI_INT64_T,
                 .sendcount = 1,
                 .recvtype = MPI_INT64_T,
                 .recvcount = 1,
                 .op = operation_none};

    *asks = false;
    if (algo_compile_size_exchange(s->algo, &s->c, s->topo, &s->sched) != SCHED_OK)
        return MPI_ERR_NO_MEM;
    s->round++;
    if (s->sched->extent[SPACE_RECV] == 0)
        return MPI_SUCCESS;
    free(s->found);
    s->bytes = (size_t)s->sched->extent[SPACE_RECV] * sizeof *s->found;
    s->found = b.recvbuf = malloc(s->bytes);
    if (!s->found || !exec_attach(e, s->sched))
        return MPI_ERR_NO_MEM;
    *asks = true;
    return exec_bind(e, &b);
}

static void end_round(size_exchange *s, exec *e)
{
    if (e && s->sched && e->bound.sched == s->sched)
        exec_detach(e);
    sched_free(s->sched);
    s->sched = NULL;
}

int size_exchange_begin(exec *e, const call *of, const plan_key *key, choice chosen,
                        size_exchange **result)
{
    size_exchange *s = calloc(1, sizeof *s);
    const coll_neighbors *n = comm_neighbors(of->comm, (coll_kind)key->kind);
    bool asks = false;
    int error = MPI_ERR_NO_MEM;

    if (!s)
        return error;
    s->algo = algo_table[chosen.algo];
    s->topo = of->comm->ready ? of->comm->topo : NULL;
    s->c = (coll){.kind = (coll_kind)key->kind,
                  .p = of->coll.p,
                  .rank = of->coll.rank,
                  .neighbors = n,
                  .parameter = chosen.parameter,
                  .variant = chosen.variant};
    s->mine = n ? list_edges(of, key, n) : list_blocks(of, key);
    if (s->mine)
        error = begin_round(s, e, &asks);
    if (error || !asks)
        size_exchange_end(s, e);
    else
        *result = s;
    return error;
}

bool size_exchange_goes_on(size_exchange *s, exec *e, int *error)
{
    bool asks = false;

    end_round(s, e);
    if (s->round >= s->algo->rounds)
        return false;
    s->c.exchanged_sizes = s->found;
    *error = begin_round(s, e, &asks);
    s->c.exchanged_sizes = NULL;
    return !*error && asks;
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
    end_round(s, e);
    free(s->found);
    free(s->mine);
    free(s);
}
