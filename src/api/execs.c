/* SPDX-License-Identifier: BSD-3-Clause */
/* execs.c - see execs.h. */
#include "api/execs.h"

#include "algos/halo.h"
#include "nbc/comm/first.h"
#include "nbc/comm/windows.h"
#include "nbc/process/watch.h"
#include "nbc/run/engine.h"

#include <stddef.h>
#include <stdlib.h>

static int compile(const plan_key *key, const comm *c, sched **result)
{
    coll_sides has = coll_sides_of((coll_kind)key->kind, c->rank, key->root, key->in_place);
    coll call = {.kind = (coll_kind)key->kind,
                 .p = c->p,
                 .rank = c->rank,
                 .root = key->root,
                 .in_place = key->in_place,
                 .noncommutative = key->noncommutative,
                 .symmetric = key->symmetric,
                 .user_op = key->user_op,
                 .packs = key->packs,
                 .parameter = key->parameter,
                 .variant = key->variant,
                 .order = (coll_order)key->order,
                 .neighbors = comm_neighbors(c, (coll_kind)key->kind),
                 .send = {.count = !key->send_empty},
                 .recv = {.count = !key->recv_empty}};
    int in = call.neighbors ? call.neighbors->nsources : c->p;
    int out = call.neighbors ? call.neighbors->ndestinations : c->p;
    const int64_t *v = key->v;

    if (has.recv >= COLL_LISTED) {
        call.recv = (coll_side){.counts = v, .displs = v + in};
        v += 2 * (ptrdiff_t)in;
    }
    if (has.send >= COLL_LISTED || coll_shapes[call.kind].send == COLL_SIZED) {
        call.send = (coll_side){.counts = v, .displs = v + out};
        v += 2 * (ptrdiff_t)out;
    }
    if (key->exchanged_rounds)
        call.exchanged_sizes = v;
    call.exchanged_rounds = key->exchanged_rounds;

    return size_exchange_error(algo_compile(algo_table[key->algo], (coll_form)key->form, &call,
                                            c->ready ? c->topo : NULL, result));
}

void execs_describe(exec *e)
{
    e->stats.collective = coll_kind_name((coll_kind)e->plan->key.kind);
    e->stats.algorithm = algo_table[e->plan->key.algo]->name;
}

void execs_number(exec *e)
{
    gate_number(&e->comm->gate, &e->ticket);
    e->stats.timed = watch_on | stats_on;
}

/* To its end. */
int execs_run(exec *e)
{
    int error = comm_begin(e->comm, e->stats.collective, true);

    if (error)
        return error;
    execs_number(e);
    engine_start(e);
    engine_wait(e);
    return exec_error(e);
}

/* What it needs memory for is done before it has a number, and others wait for it. */
static int address_if_ready(comm *c, exec *e)
{
    if (!c->ready || c->failure || e->bound.addressed == 1)
        return MPI_SUCCESS;
    e->ticket.tag_space = 0;
    return exec_address_all(e);
}

int execs_of_plan(comm *c, plan *p, binding *b, bool persistent, exec **result)
{
    exec *e;
    int error = plan_take_exec(p, c, &e);

    if (error) {
        bind_drop(b);
        plan_unref(p);
        return error;
    }
    error = exec_bind(e, b);
    if (!error && !persistent)
        error = address_if_ready(c, e);
    if (error) {
        plan_return_exec(e);
        return error;
    }
    execs_describe(e);
    *result = e;
    return MPI_SUCCESS;
}

int execs_plan(comm *c, plan_key *key, size_t size, choice chosen, plan **result)
{
    key->algo = chosen.algo;
    key->form = (uint16_t)chosen.form;
    key->parameter = chosen.parameter;
    key->variant = chosen.variant;
    key->order = chosen.order;
    key->noncommutative |= chosen.in_order;
    return plan_get(c, key, size, compile, result);
}

choice execs_choice(const exec *e)
{
    return plan_choice(e->plan);
}

/* The plan for what the size exchange has found, if there was anything to ask. */
int execs_plan_after(comm *c, const size_exchange *s, plan_key *key, size_t size, choice chosen,
                     plan **result)
{
    plan_key *longer = s ? size_exchange_key(s, key, &size) : key;
    int error = longer ? execs_plan(c, longer, size, chosen, result) : MPI_ERR_NO_MEM;

    if (s)
        free(longer);
    return error;
}

/* Its plan is not made yet, and the binding has not been taken over. */
static void forget_asking(execs_asking *q)
{
    size_exchange_end(q->size_exchange, q->exec);
    if (q->exec)
        plan_return_exec(q->exec);
    call_key_free(q->key, &q->small);
}

void execs_ask_no_more(execs_asking *q)
{
    forget_asking(q);
    bind_drop(&q->binding);
}

static int prepare_size_exchange(const call *c, choice chosen, execs_asking *q)
{
    int error = plan_take_empty(c->comm, &q->exec);

    if (error)
        return error;
    q->exec->stats.collective = coll_kind_name(c->coll.kind);
    q->exec->stats.algorithm = "size exchange";
    error = size_exchange_begin(q->exec, c, q->key, chosen, q->persistent ? FOR_INIT : FOR_CALL,
                                &q->size_exchange);
    if (error || !q->size_exchange || size_exchange_shows(q->size_exchange))
        return error;
    return address_if_ready(c->comm, q->exec);
}

int execs_ask(const call *c, choice chosen, bool persistent, execs_asking *q)
{
    int error;

    q->exec = NULL;
    q->size_exchange = NULL;
    q->agree = NULL;
    q->persistent = persistent;
    error = call_binding(c, &q->binding);
    if (error)
        return error;
    q->key = call_key(c, &q->small, &q->size);
    if (!q->key)
        error = MPI_ERR_NO_MEM;
    else if (size_exchange_needed(c->coll.kind, chosen))
        error = prepare_size_exchange(c, chosen, q);
    if (error)
        execs_ask_no_more(q);
    return error;
}

int execs_ask_by_sending(const call *c, execs_asking *q)
{
    int error = size_exchange_send(q->size_exchange, q->exec);

    return error ? error : address_if_ready(c->comm, q->exec);
}

/* All nodes know their lists. *over: as all ranks know, no more rounds are needed. False: none
 * begins. */
static bool decide(const call *c, execs_asking *q, choice *chosen, bool *over, int *error)
{
    *error = q->decide(c, q->without, size_exchange_found(q->size_exchange), chosen);
    *over |= !algo_table[chosen->algo]->size_exchange;
    if (*error || *over)
        return false;
    if (size_exchange_choose(q->size_exchange, *chosen))
        return size_exchange_goes_on(q->size_exchange, q->exec, error);
    size_exchange_end(q->size_exchange, q->exec);
    q->size_exchange = NULL;
    *error = size_exchange_begin(q->exec, c, q->key, *chosen, FOR_INIT_AGAIN, &q->size_exchange);
    return !*error;
}

/* A round has run: prepare the next one. False: there is none, or an error. *over: as above. */
static bool prepare_round(const call *c, execs_asking *q, choice *chosen, bool *over, int *error)
{
    bool asks;

    if (chosen->undecided && size_exchange_rounds(q->size_exchange) == HALO_LISTS)
        asks = decide(c, q, chosen, over, error);
    else
        asks = size_exchange_goes_on(q->size_exchange, q->exec, error);
    if (asks)
        *error = address_if_ready(c->comm, q->exec);
    return asks && !*error;
}

/* All rounds, until enough is known. Nobody begins one that another rank cannot take part in. */
static int ask(const call *c, execs_asking *q, choice *chosen)
{
    bool asks = true;
    int error = MPI_SUCCESS;

    while (asks && !error) {
        bool over = size_exchange_is_last(q->size_exchange);
        if (size_exchange_runs(q->size_exchange)) /* else its lists are known already */
            error = execs_run(q->exec);
        asks = !error && prepare_round(c, q, chosen, &over, &error);
        if (q->agree && !over)
            error = q->agree(c, chosen, error);
    }
    return error;
}

int execs_answer(const call *c, choice chosen, execs_asking *q, exec **result)
{
    plan *p;
    int error = q->size_exchange ? ask(c, q, &chosen) : MPI_SUCCESS;
    bool found = q->size_exchange && algo_table[chosen.algo]->size_exchange;

    if (!error)
        error =
            execs_plan_after(c->comm, found ? q->size_exchange : NULL, q->key, q->size, chosen, &p);
    forget_asking(q);
    if (error)
        bind_drop(&q->binding);
    else
        error = execs_of_plan(c->comm, p, &q->binding, q->persistent, result);
    if (!error)
        (*result)->staged = staged_share(c->staged);
    return error;
}

int execs_bind(const call *c, choice chosen, bool persistent, exec **result)
{
    execs_asking q;
    int error = execs_ask(c, chosen, persistent, &q);
    bool asks = !error && q.size_exchange;

    if (!error)
        error = execs_answer(c, chosen, &q, result);
    if (error && asks) /* others go on with the call, which would be taken for the next one here */
        c->comm->failure = error;
    return error;
}

int execs_persist(exec *e)
{
    int error = comm_persistent_window(e->comm, &e->ticket);

    if (error) { /* on all ranks */
        shm_peers_skip(e->comm->shm_peers);
        return error;
    }
    error = exec_make_requests(e); /* the others wait for it */
    /* Rings for what is not sent here, as a wrong program expects it: nobody waits for ever. */
    shm_peers_skip(e->comm->shm_peers);
    if (error) {
        shm_abandon(&e->shm);
        comm_persistent_release(e->comm, &e->ticket);
    }
    return error;
}
