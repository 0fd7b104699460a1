/* ours.c - the collectives of collectives.def: blocking, non-blocking, persistent.
 *
 * The block from rank s to rank d in start t is data(key, t, s, d) (without d where a rank sends
 * the same to all), written through whatever types the two ranks have chosen; where an operation
 * combines them, elements of its type. Bytes between must stay as they were. */
#include "rows.h"
#include "arrivals.h"
#include "call.h"
#include "layout.h"
#include "reduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct exchange {
    coll_kind kind;
    const coll_shape *shape;
    bool in_place, large;
    bool dense;     /* no displacements */
    bool same_size; /* all types have the same size */
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

/* Blocks of a side. */
static int blocks_of(const exchange *x, coll_extent e)
{
    return e == COLL_NONE ? 0 : e == COLL_ONE ? 1 : x->p;
}

/* Does a rank send the same to all? */
static bool is_common(const exchange *x)
{
    return x->shape->send == COLL_ONE || x->shape->send == COLL_NONE;
}

static bool is_regular(const exchange *x)
{
    return !coll_is_v(x->kind);
}

/* Who has sent what is received in block i. */
static int source_of(const exchange *x, int i)
{
    return x->shape->traits & COLL_ROOTED ? x->root : i;
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
    int bytes = size < 8 ? 0 : size < 70 ? 200 : size < 92 ? 6000 : 90000;
    x->most = rng_below(&r, bytes / x->sig.bytes / x->grain + 1) * x->grain;
    x->empty = rng_chance(&r, 40) ? rng_below(&r, 100) : 0;
    x->root = rng_below(&r, x->p);
    x->op = MPI_OP_NULL;
    if (x->shape->traits & COLL_REDUCES)
        x->reduction = &reductions[rng_below(&r, reduction_count)];
}

/* Units from rank s to rank d. */
static int units(const exchange *x, int s, int d)
{
    if (is_regular(x))
        return x->most;
    if (x->in_place && s > d &&
        !is_common(x)) { /* what two ranks send each other is as long both ways */
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
static void make_side(exchange *x, blocks *b, int p, const int n[], rng *r)
{
    layout l;
    bool dense = x->dense || (is_common(x) && b == &x->send);
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

static void make_sides(exchange *x, rng *r)
{
    int from[MAX_RANKS], to[MAX_RANKS];

    for (int i = 0; i < x->p; i++) {
        from[i] = units(x, source_of(x, i), x->rank);
        to[i] = units(x, x->rank, i); /* the same to all: equal */
    }
    make_side(x, &x->recv, blocks_of(x, x->shape->recv), from, r);
    if (!x->in_place)
        make_side(x, &x->send, blocks_of(x, x->shape->send), to, r);
}

static call_side side_of(const blocks *b)
{
    return (call_side){.buffer = blocks_buffer(b),
                       .type = b->type.type,
                       .count = b->count[0],
                       .list = {b->count, b->displ, b->large_count, b->large_displ}};
}

static void make_call(exchange *x, MPI_Comm comm)
{
    call_args *a = &x->call.args;

    x->call = (call){
        .kind = x->kind, .large = x->large, .choice = mix(x->key, 5), .reduction = x->reduction};
    *a = (call_args){.recv = side_of(&x->recv), .root = x->root, .comm = comm};
    a->send = x->in_place ? a->recv : side_of(&x->send);
    if (x->in_place)
        a->send.buffer = MPI_IN_PLACE;
    if (x->reduction)
        a->op = x->op = reduce_operation(x->reduction);
}

/* What rank s sends to rank d, into a block of mine. */
static void put(exchange *x, blocks *b, int block, int turn, int s, int d)
{
    if (x->reduction)
        reduce_put(x->reduction, b, data(x, turn, s, d));
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

/* What I send, and where nothing is received yet. */
static void fill(exchange *x, int turn)
{
    blocks_poison(&x->recv);
    if (x->in_place || (x->shape->send == COLL_NONE && x->rank == x->root))
        put_own(x, turn);
    blocks_load(&x->recv);
    if (x->in_place)
        return;
    blocks_poison(&x->send);
    for (int i = 0; i < x->send.p; i++)
        put(x, &x->send, i, turn, x->rank, i);
    blocks_load(&x->send);
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

static void complain(fuzz *f, const op *o, const exchange *x, int turn, const blocks *b, long at)
{
    char text[200];

    fail(f, o, "%s, start %d: %s buffer: byte %ld of %zu is %02x, not %02x",
         describe(x, text, sizeof text), turn, b == &x->recv ? "receive" : "send",
         at - (long)b->zero, b->bytes, b->memory[at], b->image[at]);
}

static void verify(fuzz *f, const op *o, exchange *x, int turn)
{
    if (x->shape->recv == COLL_NONE)
        arrivals_check(f, o, x->p, x->members);
    if (x->reduction) {
        uint64_t operands[MAX_RANKS];
        for (int i = 0; i < x->p; i++)
            operands[i] = data(x, turn, i, x->rank);
        reduce_put_result(x->reduction, &x->recv, x->p, operands);
    } else {
        for (int i = 0; i < x->recv.p; i++)
            put(x, &x->recv, i, turn, source_of(x, i), x->rank);
    }
    long at = blocks_differ(&x->recv);
    if (at >= 0)
        complain(f, o, x, turn, &x->recv, at);
    at = x->in_place ? -1 : blocks_differ(&x->send);
    if (at >= 0)
        complain(f, o, x, turn, &x->send, at);
}

/* What the MPIs themselves do wrong. */
static void avoid_defects(exchange *x)
{
#ifdef OPEN_MPI /* 4.1 corrupts memory; takes algorithms by the sizes of types */
    x->same_size = true;
    x->in_place = x->in_place && is_common(x);
#else /* MPICH 4.0.2 ignores the displacement of one rank's block; mixes up structs in place, and  \
         blocks of more than 8 KiB in a non-blocking allgatherv */
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
#ifndef OPEN_MPI
    if (x->sig.members > 1 && x->most * x->sig.bytes * x->p > 8000)
        x->most = 8000 / (x->sig.bytes * x->p) / x->grain * x->grain;
#else
    (void)x;
#endif
}

static exchange *exchange_make(fuzz *f, op *o)
{
    const fcomm *c = &f->comms[o->comm];
    exchange *x = calloc(1, sizeof *x);
    char text[200];

    x->p = arrivals_members(c->comm, x->members);
    x->rank = c->rank;
    choose(x, o->key, o->variant);
    x->dense = is_regular(x);
    avoid_large_structs(x);
    if (f->opt->native)
        avoid_defects(x);
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

/* Types and operations may be freed as soon as the call has returned. */
static void forget_types(fuzz *f, exchange *x)
{
    blocks *side[2] = {&x->send, &x->recv};

    if (!f->opt->native && rng_chance(&f->mine, 50)) /* neither MPI holds operations */
        free_operation(x);
#ifdef OPEN_MPI /* 4.1 does not hold the types of persistent collectives */
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

bool ours_generate(fuzz *f, op *o)
{
    o->comm = random_comm(f);
    o->variant = rng_below(&f->shared, COLL_KINDS);
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

    fill(x, 0);
    arrivals_come(f, o);
    must(f, o, call_run(&x->call), "blocking");
    verify(f, o, x, 0);
}

void ours_start(fuzz *f, op *o)
{
    exchange *x = exchange_make(f, o);
    MPI_Request request;

    fill(x, 0);
    arrivals_come(f, o);
    must(f, o, call_start(&x->call, &request), "non-blocking");
    forget_types(f, x);
    pending_add(f, o, 0, request, NULL);
}

void ours_check(fuzz *f, op *o)
{
    verify(f, o, o->state, 0);
}

void ours_init(fuzz *f, op *o)
{
    exchange *x = exchange_make(f, o);

    fill(x, 0);
    must(f, o, call_init(&x->call, &x->request, &x->own), "init");
    forget_types(f, x);
}

void ours_restart(fuzz *f, op *o)
{
    exchange *x = f->ops[o->of].state;
    MPI_Request request = x->request;

    fill(x, o->turn);
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
    verify(f, o, f->ops[o->of].state, o->turn);
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
    exchange *x = o->state;

    free_operation(x);
    blocks_free(&x->send);
    blocks_free(&x->recv);
    free(x);
}
