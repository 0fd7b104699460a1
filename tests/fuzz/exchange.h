/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h - one call of a row of collectives.def: what is chosen at random, buffers, arguments,
 * and the data of each start.
 *
 * The block from rank s to rank d in start t is data(key, t, s, d) (without d where a rank sends
 * the same to all), written through whatever types the two ranks have chosen; where an operation
 * combines them, elements of its type. Bytes between must stay as they were. A side that a rank has
 * not gets wild arguments.
 */
#ifndef TUTTI_FUZZ_EXCHANGE_H
#define TUTTI_FUZZ_EXCHANGE_H

#include "call.h"
#include "layout.h"

typedef struct exchange {
    coll_kind kind;
    const coll_shape *shape;
    bool in_place, large; /* in place: here, not at every rank of a rooted one */
    coll_sides has;       /* here */
    bool dense;           /* listed blocks lie one after the other too */
    bool tame;            /* not MPI_IN_PLACE nor NULL where a buffer does not count */
    bool same_size;       /* all types have the same size */
    int p, rank, root;
    int members[MAX_RANKS]; /* see arrivals.h */
    int grain, most,
        empty; /* units of a block: multiples of grain up to most; `empty` % have none */
    uint64_t key;
    signature sig;
    const reduction *reduction; /* or NULL */
    MPI_Op op;                  /* of my own, or MPI_OP_NULL */
    blocks send, recv;
    call call;
    MPI_Request request; /* persistent */
    void *own;
} exchange;

/* From the key of o, in o->state. */
exchange *exchange_make(fuzz *f, op *o);
void exchange_free(exchange *x);

/* Types and operations may be freed as soon as the call has returned. */
void exchange_forget(fuzz *f, exchange *x);

/* What I send, and where nothing is received yet. */
void exchange_fill(exchange *x, int turn);

/* Afterwards. */
void exchange_verify(fuzz *f, const op *o, exchange *x, int turn);

#endif
