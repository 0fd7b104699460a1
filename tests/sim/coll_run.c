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
    rank_data *data;  /* [p] */
    sim_rank *ranks;  /* [p] */
    int64_t **survey; /* [p], or NULLs */
    bool compiled;
    uint64_t **kept; /* [p], bits: what each rank had after the run before; [0] NULL: none yet */
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

/* As the library knows them: of a gatherv, for instance, only the root does. */
static coll_side side_in_call(const data_side *s, bool empty)
{
    if ((s->extent >= COLL_LISTED && s->there) || s->extent == COLL_SIZED)
        return (coll_side){.counts = s->counts, .displs = s->displs};
    return (coll_side){.count = !empty};
}

static bool is_empty(const rank_data *k)
{
    return k->recv.there && k->recv.extent < COLL_LISTED ? k->recv.counts[0] == 0
                                                         : k->send.counts[0] == 0;
}

static void compile_survey(run *u, int rank)
{
    const algo *a = u->t.part ? split_row(&u->split, rank) : u->t.a;
    coll c = {.kind = u->t.kind,
              .p = u->t.p,
              .rank = rank,
              .parameter = algo_parameter_for(u->t.a, u->t.parameter, u->data[rank].o.p)};
    sched *s = NULL;

    if (algo_compile_survey(a, &c, &s) != SCHED_OK || sched_check(s))
        coll_run_fail(&u->t, "the survey does not compile");
    u->ranks[rank].sched = s;
}

/* Items that each rank sends to each other one, and what they find out. */
static void bind_survey(run *u, int rank)
{
    sim_rank *r = &u->ranks[rank];
    const data_side *sent = u->data[rank].in_place ? &u->data[rank].recv : &u->data[rank].send;

    free(u->survey[rank]);
    u->survey[rank] = zeroed((size_t)r->sched->extent[SPACE_RECV], sizeof **u->survey);
    r->count[SPACE_SEND] = r->count[SPACE_RECV] = 1;
    r->buffer[SPACE_SEND] = sent->counts;
    r->buffer[SPACE_RECV] = u->survey[rank];
}

static void run_survey(run *u)
{
    sim_options o = {.seed = u->t.seed,
                     .sends = u->t.sends,
                     .size = {sizeof(int64_t), sizeof(int64_t), sizeof(int64_t)}};
    sim_result result;

    for (int r = 0; r < u->t.p; r++) {
        compile_survey(u, r);
        bind_survey(u, r);
    }
    sim_run(u->ranks, u->t.p, &o, &result);
    if (result.error[0])
        coll_run_fail(&u->t, result.error);
    for (int r = 0; r < u->t.p; r++)
        sched_free((sched *)u->ranks[r].sched);
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
              .in_place = k->in_place || u->shape->send == COLL_NONE,
              .ordered = t->ordered,
              .symmetric = !t->ordered && !t->bits,
              .packs = t->packs,
              .parameter = algo_parameter_for(t->a, t->parameter, k->o.p),
              .variant = t->variant,
              .order = t->order,
              .survey = u->survey[rank],
              .send = side_in_call(&k->send, is_empty(k)),
              .recv = side_in_call(&k->recv, is_empty(k))};
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
    if (u->t.a->survey && coll_is_v(u->t.kind))
        run_survey(u);
    for (int r = 0; r < u->t.p; r++)
        compile_rank(u, r);
    for (int r = 0; r < u->t.p; r++)
        check_schedule(u, r);
    u->compiled = true;
}

/* ---- bind: what elements are, and where ---- */

static int64_t element(const run *u, const data_side *s)
{
    return s->extent >= COLL_SIZED || u->shape->send == COLL_SIZED ? 1 : s->counts[0];
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

    r->count[SPACE_SEND] = element(u, &k->send);
    r->count[SPACE_RECV] = element(u, &k->recv);
    r->count[SPACE_SCRATCH] = r->count[k->recv.there ? SPACE_RECV : SPACE_SEND] *
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

/* All ranks of a part must have what its first rank has, if all have the same; else whatever they
 * have. */
static void expect_equal(run *u)
{
    bool common = oracle_is_common(u->t.kind);

    for (int r = 0; r < u->t.p; r++) {
        rank_data *k = &u->data[r];
        memcpy(k->expected, u->data[common ? k->first : r].recvs,
               (size_t)k->recv.length * sizeof *k->recvs);
    }
}

static void forget_kept(run *u)
{
    for (int r = 0; r < u->t.p; r++) {
        free(u->kept[r]);
        u->kept[r] = NULL;
    }
}

/* And in this run what they had in the one before. */
static void expect_repeated(run *u)
{
    bool before = u->kept[0];

    for (int r = 0; r < u->t.p; r++) {
        size_t bytes = (size_t)u->data[r].recv.length * sizeof **u->kept;

        if (before && memcmp(u->kept[r], u->data[r].recvs, bytes) != 0)
            coll_run_fail(&u->t, "another result than at the start before");
        free(u->kept[r]);
        u->kept[r] = zeroed(bytes, 1);
        memcpy(u->kept[r], u->data[r].recvs, bytes);
    }
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
    if (t->finer && coll_is_vector(t->kind))
        u->split.finer = t->finer;
    u->data = zeroed((size_t)t->p, sizeof *u->data);
    u->kept = zeroed((size_t)t->p, sizeof *u->kept);
    u->survey = zeroed((size_t)t->p, sizeof *u->survey);
    u->ranks = zeroed((size_t)t->p, sizeof *u->ranks);
}

static void run_close(run *u)
{
    free_schedules(u);
    for (int r = 0; r < u->t.p; r++) {
        rank_data_free(&u->data[r]);
        free(u->ranks[r].buffer[SPACE_SCRATCH]);
    }
    forget_kept(u);
    for (int r = 0; r < u->t.p; r++)
        free(u->survey[r]);
    free(u->survey);
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
            forget_kept(&u);
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
