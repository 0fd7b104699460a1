/* SPDX-License-Identifier: BSD-3-Clause */
/* ours.c - the collectives of collectives.def: blocking, non-blocking, persistent. */
#include "arrivals.h"
#include "exchange.h"
#include "rows.h"

bool ours_generate(fuzz *f, op *o)
{
    o->comm = random_comm(f);
    do
        o->variant = rng_below(&f->shared, COLL_KINDS);
    while (!calls_are_general((coll_kind)o->variant));
    return true;
}

bool ours_generate_restart(fuzz *f, op *o)
{
    return generate_of(f, o, ours_init, false);
}

bool ours_generate_free(fuzz *f, op *o)
{
    return generate_of(f, o, ours_init, true);
}

void ours_run(fuzz *f, op *o)
{
    exchange *x = exchange_make(f, o);

    exchange_fill(x, o->turn);
    arrivals_come(f, o);
    must(f, o, call_run(&x->call), "blocking");
    exchange_verify(f, o, x, o->turn);
}

void ours_start(fuzz *f, op *o)
{
    exchange *x = exchange_make(f, o);
    MPI_Request request;

    exchange_fill(x, o->turn);
    arrivals_come(f, o);
    must(f, o, call_start(&x->call, &request), "non-blocking");
    exchange_forget(f, x);
    pending_add(f, o, 0, request, NULL);
}

void ours_check(fuzz *f, op *o)
{
    exchange_verify(f, o, o->state, o->turn);
}

void ours_init(fuzz *f, op *o)
{
    exchange *x = exchange_make(f, o);

    exchange_fill(x, 0);
    must(f, o, call_init(&x->call, &x->request, &x->own), "init");
    exchange_forget(f, x);
}

void ours_restart(fuzz *f, op *o)
{
    exchange *x = f->ops[o->of].state;
    MPI_Request request = x->request;

    exchange_fill(x, o->turn);
    arrivals_come(f, o);
    if (!x->own) {
        must(f, o, MPI_Start(&x->request), "MPI_Start");
        pending_add(f, o, 0, x->request, NULL);
    } else if (rng_chance(&f->mine, 30)) {
        must(f, o, own_start(&x->own, &request), "MPIX_Start_native");
        pending_add(f, o, 0, request, NULL);
    } else {
        must(f, o, own_start(&x->own, NULL), "MPIX_Start");
        pending_add(f, o, 0, MPI_REQUEST_NULL, x->own);
    }
}

void ours_recheck(fuzz *f, op *o)
{
    exchange_verify(f, o, f->ops[o->of].state, o->turn);
}

void ours_unmake(fuzz *f, op *o)
{
    exchange *x = f->ops[o->of].state;

    if (x->own)
        must(f, o, own_free(&x->own), "MPIX_Request_free");
    else if (x->request != MPI_REQUEST_NULL)
        must(f, o, MPI_Request_free(&x->request), "MPI_Request_free");
}

void ours_release(op *o)
{
    exchange_free(o->state);
}
