/* coll_run.c - see coll_run.h. */
#include "sim/coll_run.h"

#include "sim/coll_data.h"
#include "sim/split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { POISON = 0xd2, SAMPLED_STEPS = 400 };

typedef struct run {
    coll_run t;
    const coll_shape *shape;
    int *all; /* [p] zeros: everybody in one part */
    split split;
    rank_data *data; /* [p] */
    sim_rank *ranks; /* [p] */
    bool compiled;
    uint64_t *kept; /* bits: what rank 0 had after the run before */
} run;

void coll_run_fail(const coll_run *t, const char *what)
{
    fail_msg("%s %s:%d form %d variant %d order %d p %d count %d root %d%s%s%s%s%s finer %d sends "
             "%d seed %llu %s: %s",
             coll_kind_name(t->kind), t->a->name, t->parameter, t->form, t->variant, t->order, t->p,
             t->count, t->root, t->in_place ? " in place" : "", t->ordered ? " ordered" : "",
             t->bits ? " bits" : "", t->packs ? " packs" : "", t->part ? " in parts" : "", t->finer,
             t->sends, (unsigned long long)t->seed, t->shape ? t->shape : "", what);
}

static void *zeroed(size_t n, size_t size)
{
    void *memory = calloc(n + 1, size);

    if (!memory)
        abort();
    return memory;
}

/* ---- schedules ---- */

static coll_side side_in_call(const data_side *s)
{
    if (s->extent == COLL_LISTED)
        return (coll_side){.counts = s->counts, .displs = s->displs};
    return (coll_side){.count = s->counts[0] > 0};
}

static void compile_rank(run *u, int rank)
{
    const coll_run *t = &u->t;
    const rank_data *k = &u->data[rank];
    const algo *a = t->part ? split_row(&u->split, rank) : t->a;
    coll c = {.kind = t->kind,
              .p = t->p,
              .rank = rank,
              .root = k->root,
              .in_place = t->in_place,
              .ordered = t->ordered,
              .packs = t->packs,
              .parameter = algo_parameter_for(t->a, t->parameter, k->o.p),
              .variant = t->variant,
              .order = t->order,
              .send = side_in_call(&k->send),
              .recv = side_in_call(&k->recv)};
    sched *s = NULL;

    if (algo_compile(a, t->form, &c, t->topo, &s) != SCHED_OK)
        coll_run_fail(t, "does not compile");
    u->ranks[rank].sched = s;
}

static void check_schedule(const run *u, int rank)
{
    const coll_run *t = &u->t;
    const sched *s = u->ranks[rank].sched;
    bool sampled = t->p <= 8 || rank == 0 || rank == t->p / 2 || rank == t->p - 1;
    const char *wrong = NULL;

    if (t->thorough || (sampled && s->nsteps < SAMPLED_STEPS))
        wrong = sched_check(s);
    if (wrong)
        coll_run_fail(t, wrong);
}

static void free_schedules(run *u)
{
    for (int r = 0; r < u->t.p && u->compiled; r++)
        sched_free((sched *)u->ranks[r].sched);
    u->compiled = false;
}

static void compile_all(run *u)
{
    free_schedules(u);
    for (int r = 0; r < u->t.p; r++)
        compile_rank(u, r);
    for (int r = 0; r < u->t.p; r++)
        check_schedule(u, r);
    u->compiled = true;
}

/* ---- bind: what elements are, and where ---- */

static int64_t element(const data_side *s)
{
    return s->extent == COLL_LISTED ? 1 : s->counts[0];
}

static int64_t items_used(const sim_rank *r, sched_space space)
{
    return sched_items(r->sched->parts, r->count[space], r->sched->extent[space]);
}

/* Bytes of an item of scratch: packed, there are twice as many of half the size. */
static size_t scratch_size(const run *u)
{
    return u->t.packs ? sizeof(uint64_t) / 2 : sizeof(uint64_t);
}

/* Scratch is of the elements of RECV, or of SEND where there is none. */
static void bind_rank(run *u, int rank)
{
    rank_data *k = &u->data[rank];
    sim_rank *r = &u->ranks[rank];
    size_t bytes;

    r->count[SPACE_SEND] = element(&k->send);
    r->count[SPACE_RECV] = element(&k->recv);
    r->count[SPACE_SCRATCH] = r->count[k->recv.extent == COLL_NONE ? SPACE_SEND : SPACE_RECV] *
                              (int64_t)(sizeof(uint64_t) / scratch_size(u));
    if (items_used(r, SPACE_SEND) > k->send.length || items_used(r, SPACE_RECV) > k->recv.length)
        coll_run_fail(&u->t, "the schedule touches what is behind a buffer");
    bytes = (size_t)items_used(r, SPACE_SCRATCH) * scratch_size(u);
    free(r->buffer[SPACE_SCRATCH]);
    r->buffer[SPACE_SCRATCH] = zeroed(bytes, 1);
    memset(r->buffer[SPACE_SCRATCH], POISON, bytes);
    r->buffer[SPACE_SEND] = k->sends;
    r->buffer[SPACE_RECV] = k->recvs;
}

/* ---- execute ---- */

static void add(const void *in, void *inout, int64_t n)
{
    oracle_add(in, inout, n);
}

static void compose(const void *in, void *inout, int64_t n)
{
    oracle_compose(in, inout, n);
}

/* Commutes, but is not associative: like a sum of floating-point numbers, but for any data. */
static void blend(const void *in, void *inout, int64_t n)
{
    const uint64_t *x = in;
    uint64_t *y = inout;

    for (int64_t i = 0; i < n; i++) {
        uint64_t sum = x[i] + y[i];
        y[i] = sim_random(&sum);
    }
}

static sim_op *operation(const coll_run *t)
{
    return t->bits ? blend : t->ordered ? compose : add;
}

/* All ranks of a part must have what its first rank has. */
static void expect_equal(run *u)
{
    for (int r = 0; r < u->t.p; r++) {
        rank_data *k = &u->data[r];
        memcpy(k->expected, u->data[k->first].recvs, (size_t)k->recv.length * sizeof *k->recvs);
    }
}

/* And in this run what it had in the one before. */
static void expect_repeated(run *u)
{
    size_t bytes = (size_t)u->data[0].recv.length * sizeof *u->kept;

    if (u->kept && memcmp(u->kept, u->data[0].recvs, bytes) != 0)
        coll_run_fail(&u->t, "another result than at the start before");
    free(u->kept);
    u->kept = zeroed(bytes, 1);
    memcpy(u->kept, u->data[0].recvs, bytes);
}

/* Nobody of its part may finish before it has begun. */
static void check_withheld(const run *u, sim_options o)
{
    o.traffic = NULL;
    for (int r = 0; r < u->t.p; r++) {
        sim_result result;

        o.withheld = r + 1;
        sim_run(u->ranks, u->t.p, &o, &result);
        if (result.error[0])
            coll_run_fail(&u->t, result.error);
        if (u->data[r].o.p > 1 && result.finished != u->t.p - u->data[r].o.p)
            coll_run_fail(&u->t, "a rank does not wait for all others");
    }
}

static sim_result execute(run *u)
{
    const coll_run *t = &u->t;
    sim_options o = {.seed = t->seed,
                     .sends = t->sends,
                     .size = {sizeof(uint64_t), sizeof(uint64_t), scratch_size(u)},
                     .op = operation(t),
                     .traffic = t->traffic,
                     .context = t->context};
    sim_result result;

    for (int r = 0; r < t->p; r++)
        bind_rank(u, r);
    sim_run(u->ranks, t->p, &o, &result);
    if (result.error[0])
        coll_run_fail(t, result.error);
    if (t->count == 0 && u->shape->recv != COLL_NONE && (result.max_messages || result.copied))
        coll_run_fail(t, "messages or copies of nothing");
    if (t->bits) {
        expect_equal(u);
        expect_repeated(u);
    }
    for (int r = 0; r < t->p; r++)
        if (!rank_data_right(&u->data[r]))
            coll_run_fail(t, "wrong data");
    if (u->shape->recv == COLL_NONE)
        check_withheld(u, o);
    return result;
}

/* ---- a run ---- */

static void run_open(run *u, const coll_run *t)
{
    *u = (run){.t = *t, .shape = &coll_shapes[t->kind]};
    u->all = zeroed((size_t)t->p, sizeof *u->all);
    u->split = (split){.a = t->a, .p = t->p, .part = t->part ? t->part : u->all, .finer = 1};
    if (t->finer && u->shape->recv == COLL_ONE)
        u->split.finer = t->finer;
    u->data = zeroed((size_t)t->p, sizeof *u->data);
    u->ranks = zeroed((size_t)t->p, sizeof *u->ranks);
}

static void run_close(run *u)
{
    free_schedules(u);
    for (int r = 0; r < u->t.p; r++) {
        rank_data_free(&u->data[r]);
        free(u->ranks[r].buffer[SPACE_SCRATCH]);
    }
    free(u->kept);
    free(u->ranks);
    free(u->data);
    free(u->all);
}

static void fill(run *u)
{
    coll_data d = {.kind = u->t.kind,
                   .p = u->t.p,
                   .count = u->t.count,
                   .root = u->t.root,
                   .in_place = u->t.in_place,
                   .ordered = u->t.ordered,
                   .turn = u->t.bits ? 0 : (int)(u->t.seed % 1000),
                   .part = u->split.part};

    for (int r = 0; r < u->t.p; r++) {
        rank_data_free(&u->data[r]);
        rank_data_make(u->data, &d, r);
    }
}

static void find_path(const run *u)
{
    sched **all = zeroed((size_t)u->t.p, sizeof *all);

    for (int r = 0; r < u->t.p; r++)
        all[r] = (sched *)u->ranks[r].sched;
    if (!critical_path_find(all, u->t.p, u->t.topo, u->t.path))
        abort();
    free(all);
}

sim_result coll_run_do(coll_run t)
{
    run u;
    sim_result r;

    run_open(&u, &t);
    fill(&u);
    compile_all(&u);
    r = execute(&u);
    if (t.path)
        find_path(&u);
    run_close(&u);
    return r;
}

void coll_run_many(coll_run t, const int *counts, int n, int sends)
{
    run u;

    run_open(&u, &t);
    for (int i = 0; i < n * sends; i++) {
        int count = counts[i / sends], before = u.t.count;
        bool same = coll_is_v(t.kind) ? count == before : (count > 0) == (before > 0);

        if (count != before) {
            free(u.kept);
            u.kept = NULL;
        }
        u.t.count = count;
        u.t.sends = (sim_sends)(((int)t.sends + i) % SIM_SENDS);
        u.t.seed++;
        fill(&u);
        if (!u.compiled || !same)
            compile_all(&u);
        execute(&u);
    }
    run_close(&u);
}

bool coll_run_fits(const coll_run *t)
{
    const coll_shape *shape = &coll_shapes[t->kind];
    coll c = {.kind = t->kind, .p = t->p, .ordered = t->ordered};
    bool reduces = coll_has(t->kind, COLL_REDUCES);

    if (!algo_serves(t->a, t->kind) || (t->in_place && shape->send == COLL_NONE) ||
        ((t->ordered || t->bits) && !reduces) || (t->packs && (!t->a->parts || reduces)))
        return false;
    for (int r = 0; r < t->p && t->part; r++) {
        split s = {.p = t->p, .part = t->part};
        c.p = split_size(&s, r);
        if (algo_refuses(t->a, &c))
            return false;
    }
    return t->part || !algo_refuses(t->a, &c);
}
