/* ours.c - allgather(v) and alltoall(v): blocking, non-blocking, persistent.
 *
 * The block from rank s to rank d in start t is data(key, t, s, d) (allgather: without d), written
 * through whatever types the two ranks have chosen. Bytes between must stay as they were. */
#include "rows.h"
#include "call.h"
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct exchange {
    enum kind kind;
    bool in_place, large;
    bool dense;     /* no displacements */
    bool same_size; /* all types have the same size */
    int p, rank;
    int grain, most,
        empty; /* units of a block: multiples of grain up to most; `empty` % have none */
    uint64_t key;
    signature sig;
    blocks send, recv;
    call call;
    MPI_Request request; /* persistent */
    void *own;
} exchange;

static bool is_gather(enum kind kind)
{
    return kind == ALLGATHER || kind == ALLGATHERV;
}

static bool is_regular(enum kind kind)
{
    return kind == ALLGATHER || kind == ALLTOALL;
}

static void choose(exchange *x, uint64_t key, int variant)
{
    static const int grains[] = {1, 1, 2, 4, 6, 12};
    rng r = {key};

    x->key = key;
    x->kind = (enum kind)variant;
    x->in_place = rng_chance(&r, 20);
    x->large = rng_chance(&r, 20);
    signature_choose(&r, &x->sig);
    x->grain = grains[rng_below(&r, 6)];
    int size = rng_below(&r, 100);
    int bytes = size < 8 ? 0 : size < 70 ? 200 : size < 92 ? 6000 : 90000;
    x->most = rng_below(&r, bytes / x->sig.bytes / x->grain + 1) * x->grain;
    x->empty = rng_chance(&r, 40) ? rng_below(&r, 100) : 0;
}

/* Units from rank s to rank d. */
static int units(const exchange *x, int s, int d)
{
    if (is_regular(x->kind))
        return x->most;
    if (x->in_place && s > d &&
        !is_gather(x->kind)) { /* what two ranks send each other is as long both ways */
        int swap = s;
        s = d;
        d = swap;
    }
    rng r = {mix(mix(x->key, (uint64_t)s), is_gather(x->kind) ? 0 : (uint64_t)d)};
    if (rng_chance(&r, x->empty))
        return 0;
    return rng_below(&r, x->most / x->grain + 1) * x->grain;
}

static uint64_t data(const exchange *x, int turn, int s, int d)
{
    uint64_t k = mix(mix(x->key, 1000 + (uint64_t)turn), (uint64_t)s);
    return is_gather(x->kind) ? k : mix(k, (uint64_t)d);
}

/* Units of an element: they divide the grain, or are a whole block of a regular call. */
static int element_units(const exchange *x, rng *r)
{
    rng same = {mix(x->key, 78)};
    int k;

    r = x->same_size ? &same : r;
    for (k = 1 + rng_below(r, x->grain); x->grain % k != 0;)
        k--;
    if (is_regular(x->kind) && x->most > 0 && x->most <= 4096 && rng_chance(r, 30))
        k = x->most;
    return k;
}

/* A type of my own. */
static void make_side(exchange *x, blocks *b, int p, const int n[], rng *r)
{
    layout l;
    bool dense = x->dense || (is_gather(x->kind) && b == &x->send);
    int k = element_units(x, r);

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
        from[i] = units(x, i, x->rank);
        to[i] = units(x, x->rank, i);
    }
    make_side(x, &x->recv, x->p, from, r);
    if (!x->in_place)
        make_side(x, &x->send, is_gather(x->kind) ? 1 : x->p, to,
                  r); /* allgather: to[] are equal */
}

static side side_of(const blocks *b)
{
    return (side){blocks_buffer(b), b->count,       b->displ,
                  b->large_count,   b->large_displ, b->type.type};
}

static void make_call(exchange *x, MPI_Comm comm)
{
    x->call = (call){.kind = x->kind, .large = x->large, .choice = mix(x->key, 5), .comm = comm};
    x->call.recv = side_of(&x->recv);
    x->call.send = x->in_place ? x->call.recv : side_of(&x->send);
    if (x->in_place)
        x->call.send.buffer = MPI_IN_PLACE;
}

/* What I send, and where nothing is received yet. */
static void fill(exchange *x, int turn)
{
    blocks_poison(&x->recv);
    if (x->in_place) {
        for (int i = 0; i < x->p; i++)
            if (!is_gather(x->kind) || i == x->rank)
                blocks_put(&x->recv, i, data(x, turn, x->rank, i));
        blocks_load(&x->recv);
        return;
    }
    blocks_load(&x->recv);
    blocks_poison(&x->send);
    for (int i = 0; i < x->send.p; i++)
        blocks_put(&x->send, i, data(x, turn, x->rank, i));
    blocks_load(&x->send);
}

static const char *describe(const exchange *x, char *text, size_t size)
{
    static const char *const kinds[] = {"allgather", "allgatherv", "alltoall", "alltoallv"};

    snprintf(text, size,
             "%s %s%s%s, rank %d of %d, up to %d units of %d bytes, %d and %d in an element",
             kinds[x->kind], call_algorithm(&x->call), x->in_place ? " in place" : "",
             x->large ? " large" : "", x->rank, x->p, x->most, x->sig.bytes, x->send.type.units,
             x->recv.type.units);
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
    for (int i = 0; i < x->p; i++)
        blocks_put(&x->recv, i, data(x, turn, i, x->rank));
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
    x->in_place = x->in_place && is_gather(x->kind);
#else /* MPICH 4.0.2 ignores the displacement of one rank's block; mixes up structs in place, and  \
         blocks of more than 8 KiB in a non-blocking allgatherv */
    x->dense |= x->p == 1;
    if (x->kind == ALLGATHERV && x->most * x->sig.bytes > 2000)
        x->most = 2000 / x->sig.bytes / x->grain * x->grain;
    x->in_place = x->in_place && (is_gather(x->kind) || x->sig.members == 1);
#endif
}

/* MPICH 4.0.2 cannot receive more than 8 KiB of a type that mixes basic types in one message that
 * is not contiguous ("Message truncated"), which algorithms that send several blocks at a time do.
 * */
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

    choose(x, o->key, o->variant);
    x->p = c->size;
    x->rank = c->rank;
    x->dense = is_regular(x->kind);
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

/* Types may be freed as soon as the call has returned. */
static void forget_types(fuzz *f, exchange *x)
{
    blocks *side[2] = {&x->send, &x->recv};

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
    o->variant = rng_below(&f->shared, KINDS);
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
    must(f, o, call_run(&x->call), "blocking");
    verify(f, o, x, 0);
}

void ours_start(fuzz *f, op *o)
{
    exchange *x = exchange_make(f, o);
    MPI_Request request;

    fill(x, 0);
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

    blocks_free(&x->send);
    blocks_free(&x->recv);
    free(x);
}
