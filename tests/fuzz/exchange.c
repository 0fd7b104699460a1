/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c - see exchange.h. */
#include "exchange.h"
#include "arrivals.h"
#include "reduce.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what is chosen ---- */

/* Does a rank send the same to all? */
static bool is_common(const exchange *x)
{
    return x->shape->send <= COLL_ONE;
}

static bool is_regular(const exchange *x)
{
    return !coll_is_v(x->kind);
}

/* Does each rank send to each, and receive? */
static bool swaps(const exchange *x)
{
    return !is_common(x) && x->shape->recv > COLL_ONE;
}

/* Is what is sent reduced, block by block, and scattered? */
static bool scatters_sum(const exchange *x)
{
    return !is_common(x) && x->reduction;
}

/* Who has sent what is received in block i. */
static int source_of(const exchange *x, int i)
{
    return x->shape->recv == COLL_ONE && coll_has(x->kind, COLL_ROOTED) ? x->root : i;
}

static void choose(exchange *x, uint64_t key, int variant)
{
    static const int grains[] = {1, 1, 2, 4, 6, 12};
    rng r = {key};

    x->key = key;
    x->kind = (coll_kind)variant;
    x->shape = &coll_shapes[x->kind];
    x->in_place = rng_chance(&r, 20) && x->shape->send != COLL_NONE;
    x->large = rng_chance(&r, 20);
    signature_choose(&r, &x->sig);
    x->grain = grains[rng_below(&r, 6)];
    int size = rng_below(&r, 100);
    int bytes = size < 8 ? 0 : size < 70 ? 200 : size < 90 ? 6000 : size < 98 ? 90000 : 600000;
    x->most = rng_below(&r, bytes / x->sig.bytes / x->grain + 1) * x->grain;
    x->empty = rng_chance(&r, 40) ? rng_below(&r, 100) : 0;
    x->root = rng_below(&r, x->p);
    x->op = MPI_OP_NULL;
    if (coll_has(x->kind, COLL_REDUCES))
        x->reduction = &reductions[rng_below(&r, reduction_count)];
}

/* In place where MPI allows it, and the sides that I have then. */
static void choose_sides(exchange *x)
{
    x->in_place = x->in_place && (!coll_has(x->kind, COLL_ROOTED) || x->rank == x->root);
    x->has = calls_sides(x->kind, x->rank, x->root, x->in_place);
}

/* Units from rank s to rank d. */
static int units(const exchange *x, int s, int d)
{
    if (is_regular(x))
        return x->most;
    if (scatters_sum(x)) /* the same of all */
        s = 0;
    if (x->in_place && s > d && swaps(x)) { /* as long both ways */
        int swap = s;
        s = d;
        d = swap;
    }
    rng r = {mix(mix(x->key, (uint64_t)s), is_common(x) ? 0 : (uint64_t)d)};
    if (rng_chance(&r, x->empty))
        return 0;
    return rng_below(&r, x->most / x->grain + 1) * x->grain;
}

static uint64_t data(const exchange *x, int turn, int s, int d)
{
    uint64_t k = mix(mix(x->key, 1000 + (uint64_t)turn), (uint64_t)s);
    return is_common(x) ? k : mix(k, (uint64_t)d);
}

/* What the MPIs themselves do wrong. */
static void avoid_defects(exchange *x)
{
    x->tame = true;
#ifdef AVOID_OPEN_MPI /* 4.1 corrupts memory; takes algorithms by the sizes of types */
    x->same_size = true;
    x->in_place = x->in_place && is_common(x);
#endif
#ifdef AVOID_MPICH
    /* MPICH 4.0.2 ignores the displacement of one rank's block; mixes up structs in place, and
     * blocks of more than 8 KiB in a non-blocking allgatherv; scatters sums of operations that do
     * not commute wrongly, and writes after what it has to in place */
    if (scatters_sum(x))
        x->in_place = false;
    if (scatters_sum(x) && x->reduction->noncommutative)
        x->reduction = &reductions[0];
    x->dense |= x->p == 1;
    if (x->kind == COLL_allgatherv && x->most * x->sig.bytes > 2000)
        x->most = 2000 / x->sig.bytes / x->grain * x->grain;
    x->in_place = x->in_place && (is_common(x) || x->sig.members == 1);
#endif
}

/* MPICH 4.0.2 cannot receive more than 8 KiB of a type that mixes basic types in one message that
 * is not contiguous ("Message truncated"), which algorithms that send several blocks at a time do.
 */
static void avoid_large_structs(exchange *x)
{
#ifdef AVOID_MPICH
    if (x->sig.members > 1 && x->most * x->sig.bytes * x->p > 8000)
        x->most = 8000 / (x->sig.bytes * x->p) / x->grain * x->grain;
#else
    (void)x;
#endif
}

/* ---- buffers and arguments ---- */

/* Units of an element: they divide the grain, or are a whole block of a regular call. */
static int element_units(const exchange *x, rng *r)
{
    rng same = {mix(x->key, 78)};
    int k;

    r = x->same_size ? &same : r;
    for (k = 1 + rng_below(r, x->grain); x->grain % k != 0;)
        k--;
    if (is_regular(x) && x->most > 0 && x->most <= 4096 && rng_chance(r, 30))
        k = x->most;
    return k;
}

/* A type of my own. */
static void make_side(exchange *x, blocks *b, coll_extent e, int p, const int n[], rng *r)
{
    layout l;
    bool dense = x->dense || e != COLL_LISTED;
    int k = x->reduction ? 1 : element_units(x, r);

    if (x->reduction) {
        layout_find(x->reduction->type, x->reduction->size, &l);
        blocks_make(b, &l, p, n, dense, r);
        return;
    }
    layout_make(r, &x->sig, k, false, &l);
    if (blocks_make(b, &l, p, n, dense, r))
        return;
    layout_make(r, &x->sig, k, true, &l);
    blocks_make(b, &l, p, n, dense, r);
}

/* Blocks of a side. */
static int blocks_of(const exchange *x, coll_extent e)
{
    return e == COLL_NONE ? 0 : e == COLL_ONE ? 1 : x->p;
}

static void make_sides(exchange *x, rng *r)
{
    int from[MAX_RANKS], to[MAX_RANKS];
    bool whole = x->in_place && scatters_sum(x); /* it lies where the result will be */

    for (int i = 0; i < x->p; i++) {
        from[i] = units(x, source_of(x, i), x->rank);
        to[i] = units(x, x->rank, i); /* the same to all: equal */
    }
    make_side(x, &x->recv, x->has.recv, whole ? x->p : blocks_of(x, x->has.recv), whole ? to : from,
              r);
    make_side(x, &x->send, x->has.send, blocks_of(x, x->has.send), to, r);
}

static call_side side_of(const blocks *b)
{
    return (call_side){.buffer = blocks_buffer(b),
                       .type = b->type.type,
                       .count = b->count[0],
                       .list = {b->count, b->displ, b->large_count, b->large_displ, NULL}};
}

/* What a call must not look at. */
static call_side nowhere(const exchange *x)
{
    static void *const wild[] = {(void *)8, NULL, MPI_IN_PLACE};

    return (call_side){.buffer = wild[x->tame ? 0 : x->key % 3],
                       .type = MPI_DATATYPE_NULL,
                       .count = x->key % 2 ? -5 : INT_MAX,
                       .list = {(int *)8, (int *)8, (MPI_Count *)8, (MPI_Aint *)8, NULL}};
}

/* Both sides of what is reduced have one type and count: those of the side that I have. */
static void share_type(const exchange *x, call_args *a)
{
    void *buffer = a->recv.buffer;

    if (!x->has.recv)
        a->recv = a->send;
    else if (x->has.send)
        a->recv.list = a->send.list;
    a->recv.buffer = buffer;
}

static void make_call(exchange *x, MPI_Comm comm)
{
    call_args *a = &x->call.args;
    bool scatters = coll_has(x->kind, COLL_ROOT_SENDS);

    x->call = (call){
        .kind = x->kind, .large = x->large, .choice = mix(x->key, 5), .reduction = x->reduction};
    *a = (call_args){.root = x->root, .comm = comm};
    a->send = x->has.send ? side_of(&x->send) : nowhere(x);
    a->recv = x->has.recv ? side_of(&x->recv) : nowhere(x);
    if (x->reduction) {
        share_type(x, a);
        a->op = x->op = reduce_operation(x->reduction);
    }
    if (x->in_place)
        (scatters ? &a->recv : &a->send)->buffer = MPI_IN_PLACE;
}

static const char *describe(const exchange *x, char *text, size_t size)
{
    snprintf(text, size,
             "%s %s%s%s%s%s, root %d, rank %d of %d, up to %d units of %d bytes, %d and %d in an "
             "element",
             coll_kind_name(x->kind), call_algorithm(&x->call), x->in_place ? " in place" : "",
             x->large ? " large" : "", x->reduction ? " " : "",
             x->reduction ? x->reduction->name : "", x->root, x->rank, x->p, x->most, x->sig.bytes,
             x->send.type.units, x->recv.type.units);
    return text;
}

/* An MPI alone is tried with its older collectives. MPICH 4.0.2 crashes now and then with several
 * of the newer non-blocking ones open; MPI_Gather of Open MPI 4.1.4 on 4 ranks gave wrong data. */
static int variant_of(const fuzz *f, const op *o)
{
    return f->opt->native && o->variant > COLL_allreduce ? COLL_allreduce : o->variant;
}

exchange *exchange_make(fuzz *f, op *o)
{
    const fcomm *c = &f->comms[o->comm];
    exchange *x = calloc(1, sizeof *x);
    char text[200];

    x->p = arrivals_members(c->comm, x->members);
    x->rank = c->rank;
    choose(x, o->key, variant_of(f, o));
    x->dense = is_regular(x);
    avoid_large_structs(x);
    if (f->opt->native)
        avoid_defects(x);
    choose_sides(x);
    x->request = MPI_REQUEST_NULL;
    rng r = {mix(mix(o->key, 77), (uint64_t)c->rank)};
    make_sides(x, &r);
    make_call(x, c->comm);
    o->state = x;
    if (f->opt->verbose && c->rank == 0)
        printf("  %d: %s\n", o->index, describe(x, text, sizeof text));
    return x;
}

static void free_operation(exchange *x)
{
    if (x->op != MPI_OP_NULL && x->reduction->function)
        MPI_Op_free(&x->op);
    x->op = MPI_OP_NULL;
}

void exchange_forget(fuzz *f, exchange *x)
{
    blocks *side[2] = {&x->send, &x->recv};

    if (!f->opt->native && rng_chance(&f->mine, 50)) /* neither MPI holds operations */
        free_operation(x);
#ifdef AVOID_OPEN_MPI /* 4.1 does not hold the types of persistent collectives */
    if (f->opt->native)
        return;
#endif
    for (int i = 0; i < 2; i++) {
        if (side[i]->type.derived && rng_chance(&f->mine, 50)) {
            MPI_Type_free(&side[i]->type.type);
            side[i]->type.derived = false;
        }
    }
}

/* ---- data ---- */

/* What rank s sends to rank d, into a block of mine. */
static void put(exchange *x, blocks *b, int block, int turn, int s, int d)
{
    if (x->reduction)
        reduce_put(x->reduction, b, block, data(x, turn, s, d));
    else
        blocks_put(b, block, data(x, turn, s, d));
}

/* What I send is where I receive: in place; at the root that sends nothing. */
static void put_own(exchange *x, int turn)
{
    for (int i = 0; i < x->recv.p; i++)
        if (!is_common(x) || x->recv.p == 1 || i == x->rank)
            put(x, &x->recv, i, turn, x->rank, i);
}

void exchange_fill(exchange *x, int turn)
{
    blocks_poison(&x->recv);
    if (x->in_place || (x->shape->send == COLL_NONE && x->rank == x->root))
        put_own(x, turn);
    blocks_load(&x->recv);
    blocks_poison(&x->send);
    for (int i = 0; i < x->send.p; i++)
        put(x, &x->send, i, turn, x->rank, i);
    blocks_load(&x->send);
}

static void complain(fuzz *f, const op *o, const exchange *x, int turn, const blocks *b, long at)
{
    char text[200];

    fail(f, o, "%s, start %d: %s buffer: byte %ld of %zu is %02x, not %02x",
         describe(x, text, sizeof text), turn, b == &x->recv ? "receive" : "send",
         at - (long)b->zero, b->bytes, b->memory[at], b->image[at]);
}

/* How many ranks' contributions I get: of the first ones. */
static int operands_of(const exchange *x)
{
    if (coll_has(x->kind, COLL_EXCLUSIVE))
        return x->rank;
    return x->kind == COLL_scan ? x->rank + 1 : x->p;
}

static void put_sum(exchange *x, int turn)
{
    uint64_t operands[MAX_RANKS];
    int n = operands_of(x);

    for (int i = 0; i < n; i++)
        operands[i] = data(x, turn, i, x->rank);
    if (n > 0)
        reduce_put_result(x->reduction, &x->recv, units(x, 0, x->rank), n, operands);
}

void exchange_verify(fuzz *f, const op *o, exchange *x, int turn)
{
    if (x->shape->recv == COLL_NONE)
        arrivals_check(f, o, x->p, x->members);
    if (x->reduction && x->has.recv)
        put_sum(x, turn);
    for (int i = 0; i < x->recv.p && !x->reduction; i++)
        put(x, &x->recv, i, turn, source_of(x, i), x->rank);
    long at = blocks_differ(&x->recv);
    if (at >= 0)
        complain(f, o, x, turn, &x->recv, at);
    at = blocks_differ(&x->send);
    if (at >= 0)
        complain(f, o, x, turn, &x->send, at);
}

void exchange_free(exchange *x)
{
    free_operation(x);
    blocks_free(&x->send);
    blocks_free(&x->recv);
    free(x);
}
