/* SPDX-License-Identifier: BSD-3-Clause */
/* native.c - collectives that stay with the MPI, between and during Tutti's on the same
 * communicators. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct native {
    int n, p, rank, root;
    MPI_Comm comm;
    size_t sent, got; /* elements in send and recv */
    uint64_t *send, *recv, *expected;
} native;

/* Element i of what rank r gives. */
static uint64_t element(const op *o, int r, size_t i)
{
    return mix(mix(o->key, (uint64_t)r), i);
}

static uint64_t sum(const op *o, int ranks, size_t i)
{
    uint64_t s = 0;
    for (int r = 0; r < ranks; r++)
        s += element(o, r, i);
    return s;
}

static uint64_t expected(const op *o, const native *x, size_t i)
{
    size_t n = (size_t)x->n, mine = (size_t)x->rank * n;

    switch (o->what->argument) {
    case BCAST:
        return element(o, x->root, i);
    case REDUCE:
    case ALLREDUCE:
        return sum(o, x->p, i);
    case SCAN:
        return sum(o, x->rank + 1, i);
    case EXSCAN:
        return sum(o, x->rank, i);
    case REDUCE_SCATTER_BLOCK:
        return sum(o, x->p, mine + i);
    case SCATTER:
        return element(o, x->root, mine + i);
    case NATIVE_ALLTOALL:
        return element(o, (int)(i / n), mine + i % n);
    default: /* gather, allgather */
        return element(o, (int)(i / n), i % n);
    }
}

/* Elements given and got by this rank. */
static void sizes(const op *o, native *x)
{
    size_t n = (size_t)x->n, all = n * (size_t)x->p;
    bool root = x->rank == x->root;

    x->sent = x->got = n;
    switch (o->what->argument) {
    case BARRIER:
        x->sent = x->got = 0;
        break;
    case REDUCE:
        x->got = root ? n : 0;
        break;
    case EXSCAN:
        x->got = x->rank > 0 ? n : 0;
        break;
    case REDUCE_SCATTER_BLOCK:
        x->sent = all;
        break;
    case GATHER:
        x->got = root ? all : 0;
        break;
    case SCATTER:
        x->sent = root ? all : 0;
        break;
    case NATIVE_ALLGATHER:
        x->got = all;
        break;
    case NATIVE_ALLTOALL:
        x->sent = x->got = all;
        break;
    default:
        break;
    }
}

static native *make(fuzz *f, op *o)
{
    const fcomm *c = &f->comms[o->comm];
    native *x = calloc(1, sizeof *x);
    rng r = {mix(o->key, 9)};

    x->p = c->size;
    x->rank = c->rank;
    x->comm = c->comm;
    x->n = rng_chance(&r, 85) ? rng_below(&r, 40) : rng_below(&r, 4000);
    x->root = rng_below(&r, x->p);
    sizes(o, x);
    x->send = malloc((x->sent + 1) * sizeof *x->send);
    x->recv = malloc((x->got + 1) * sizeof *x->recv);
    x->expected = malloc((x->got + 1) * sizeof *x->expected);
    for (size_t i = 0; i < x->sent; i++)
        x->send[i] = element(o, x->rank, i);
    for (size_t i = 0; i <= x->got; i++)
        x->recv[i] = x->expected[i] = ~(uint64_t)i;
    for (size_t i = 0; i < x->got; i++)
        x->expected[i] = expected(o, x, i);
    if (o->what->argument == BCAST && x->rank == x->root)
        memcpy(x->recv, x->send, x->sent * sizeof *x->send);
    o->state = x;
    return x;
}

void native_check(fuzz *f, op *o)
{
    native *x = o->state;

    for (size_t i = 0; i <= x->got; i++)
        if (x->recv[i] != x->expected[i])
            fail(f, o, "element %zu of %zu is wrong", i, x->got);
}

#define TYPE MPI_UINT64_T

void native_run(fuzz *f, op *o)
{
    native *x = make(f, o);

    switch (o->what->argument) {
    case BARRIER:
        MPI_Barrier(x->comm);
        break;
    case BCAST:
        MPI_Bcast(x->recv, x->n, TYPE, x->root, x->comm);
        break;
    case REDUCE:
        MPI_Reduce(x->send, x->recv, x->n, TYPE, MPI_SUM, x->root, x->comm);
        break;
    case ALLREDUCE:
        MPI_Allreduce(x->send, x->recv, x->n, TYPE, MPI_SUM, x->comm);
        break;
    case SCAN:
        MPI_Scan(x->send, x->recv, x->n, TYPE, MPI_SUM, x->comm);
        break;
    case EXSCAN:
        MPI_Exscan(x->send, x->recv, x->n, TYPE, MPI_SUM, x->comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(x->send, x->recv, x->n, TYPE, MPI_SUM, x->comm);
        break;
    case GATHER:
        MPI_Gather(x->send, x->n, TYPE, x->recv, x->n, TYPE, x->root, x->comm);
        break;
    case SCATTER:
        MPI_Scatter(x->send, x->n, TYPE, x->recv, x->n, TYPE, x->root, x->comm);
        break;
    case NATIVE_ALLGATHER:
        MPI_Allgather(x->send, x->n, TYPE, x->recv, x->n, TYPE, x->comm);
        break;
    default:
        MPI_Alltoall(x->send, x->n, TYPE, x->recv, x->n, TYPE, x->comm);
    }
    native_check(f, o);
}

void native_start(fuzz *f, op *o)
{
    native *x = make(f, o);
    MPI_Request r;

    switch (o->what->argument) {
    case BARRIER:
        MPI_Ibarrier(x->comm, &r);
        break;
    case BCAST:
        MPI_Ibcast(x->recv, x->n, TYPE, x->root, x->comm, &r);
        break;
    case REDUCE:
        MPI_Ireduce(x->send, x->recv, x->n, TYPE, MPI_SUM, x->root, x->comm, &r);
        break;
    case ALLREDUCE:
        MPI_Iallreduce(x->send, x->recv, x->n, TYPE, MPI_SUM, x->comm, &r);
        break;
    case SCAN:
        MPI_Iscan(x->send, x->recv, x->n, TYPE, MPI_SUM, x->comm, &r);
        break;
    case EXSCAN:
        MPI_Iexscan(x->send, x->recv, x->n, TYPE, MPI_SUM, x->comm, &r);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(x->send, x->recv, x->n, TYPE, MPI_SUM, x->comm, &r);
        break;
    case GATHER:
        MPI_Igather(x->send, x->n, TYPE, x->recv, x->n, TYPE, x->root, x->comm, &r);
        break;
    case SCATTER:
        MPI_Iscatter(x->send, x->n, TYPE, x->recv, x->n, TYPE, x->root, x->comm, &r);
        break;
    case NATIVE_ALLGATHER:
        MPI_Iallgather(x->send, x->n, TYPE, x->recv, x->n, TYPE, x->comm, &r);
        break;
    default:
        MPI_Ialltoall(x->send, x->n, TYPE, x->recv, x->n, TYPE, x->comm, &r);
    }
    pending_add(f, o, 0, r, NULL);
}

void native_release(op *o)
{
    native *x = o->state;

    free(x->send);
    free(x->recv);
    free(x->expected);
    free(x);
}
