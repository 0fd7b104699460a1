/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_execute.c - run one collective of all ranks, and check what they have then: coll_run.h. */
#include "sim/coll_compile.h"

#include "sim/must.h"

#include <stdlib.h>
#include <string.h>

enum { POISON = 0xd2 };

/* ---- bind: what elements are, and where ---- */

static int64_t element(const all_ranks *u, const data_side *s)
{
    return s->extent >= COLL_SIZED || u->shape->send == COLL_SIZED ? 1 : s->counts[0];
}

static int64_t items_used(const sim_rank *r, sched_space space)
{
    return sched_items(r->sched->parts, r->count[space], r->sched->extent[space]);
}

/* Scratch is of the elements of RECV, or of SEND where there is none; or of the size exchange's. */
static void bind_rank(all_ranks *u, int rank)
{
    rank_data *k = &u->data[rank];
    sim_rank *r = &u->ranks[rank];
    size_t bytes;

    r->count[SPACE_SEND] = element(u, &k->send);
    r->count[SPACE_RECV] = element(u, &k->recv);
    r->count[SPACE_SCRATCH] = r->count[k->recv.there ? SPACE_RECV : SPACE_SEND] *
                              (int64_t)(sizeof(uint64_t) / scratch_size(u));
    if (r->sched->packs)
        r->count[SPACE_SCRATCH] = 1;
    if (items_used(r, SPACE_SEND) > k->send.length || items_used(r, SPACE_RECV) > k->recv.length)
        coll_run_fail(&u->t, "the schedule touches what is behind a buffer");
    bytes = (size_t)items_used(r, SPACE_SCRATCH) * scratch_size(u);
    free(r->buffer[SPACE_SCRATCH]);
    r->buffer[SPACE_SCRATCH] = sim_zeroed(bytes, 1);
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

/* Nor does it commute. */
static void blend_ordered(const void *in, void *inout, int64_t n)
{
    const uint64_t *x = in;
    uint64_t *y = inout;

    for (int64_t i = 0; i < n; i++) {
        uint64_t sum = 3 * x[i] + y[i];
        y[i] = sim_random(&sum);
    }
}

/* Operations of the program: how many items one has seen at least, each time. */
static int64_t least_seen;

static void add_whole(const void *in, void *inout, int64_t n)
{
    least_seen = n < least_seen ? n : least_seen;
    oracle_add(in, inout, n);
}

static void compose_whole(const void *in, void *inout, int64_t n)
{
    least_seen = n < least_seen ? n : least_seen;
    oracle_compose(in, inout, n);
}

static sim_op *operation(const coll_run *t)
{
    if (t->bits)
        return t->noncommutative ? blend_ordered : blend;
    if (t->user_op)
        return t->noncommutative ? compose_whole : add_whole;
    return t->noncommutative ? compose : add;
}

/* All ranks of a part must have what its first rank has, if all have the same; else whatever they
 * have. */
static void expect_equal(all_ranks *u)
{
    bool common = oracle_is_common(u->t.kind);

    for (int r = 0; r < u->t.p; r++) {
        rank_data *k = &u->data[r];
        memcpy(k->expected, u->data[common ? k->first : r].recvs,
               (size_t)k->recv.length * sizeof *k->recvs);
    }
}

static void forget_kept(all_ranks *u)
{
    for (int r = 0; r < u->t.p; r++) {
        free(u->kept[r]);
        u->kept[r] = NULL;
    }
}

/* And in this run what they had in the one before. */
static void expect_repeated(all_ranks *u)
{
    bool before = u->kept[0];

    for (int r = 0; r < u->t.p; r++) {
        size_t bytes = (size_t)u->data[r].recv.length * sizeof **u->kept;

        if (before && memcmp(u->kept[r], u->data[r].recvs, bytes) != 0)
            coll_run_fail(&u->t, "another result than at the start before");
        free(u->kept[r]);
        u->kept[r] = sim_zeroed(bytes, 1);
        memcpy(u->kept[r], u->data[r].recvs, bytes);
    }
}

/* In place, too, a result begins at the start of RECV. */
static uint64_t digest_of(const all_ranks *u)
{
    uint64_t hash = 0;

    for (int r = 0; r < u->t.p; r++) {
        const rank_data *k = &u->data[r];
        bool empty = !k->recv.there || (coll_has(u->t.kind, COLL_EXCLUSIVE) && k->index == 0);

        for (int64_t i = 0; !empty && i < k->recv.counts[0]; i++) {
            hash ^= k->recvs[i];
            hash = sim_random(&hash);
        }
    }
    return hash;
}

/* Nobody of its part may finish before it has begun. */
static void check_withheld(const all_ranks *u, sim_options o)
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

static sim_result execute(all_ranks *u)
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
    least_seen = t->count;
    sim_run(u->ranks, t->p, &o, &result);
    if (result.error[0])
        coll_run_fail(t, result.error);
    if (t->user_op && coll_is_vector(t->kind) && least_seen < t->count)
        coll_run_fail(t, "an operation of the program does not see the whole vector");
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

static void run_open(all_ranks *u, const coll_run *t)
{
    *u = (all_ranks){.t = *t, .shape = &coll_shapes[t->kind]};
    u->all = sim_zeroed((size_t)t->p, sizeof *u->all);
    u->split = (split){.a = t->a, .p = t->p, .part = t->part ? t->part : u->all, .finer = 1};
    if (t->finer && coll_is_vector(t->kind) && !t->user_op)
        u->split.finer = t->finer;
    u->data = sim_zeroed((size_t)t->p, sizeof *u->data);
    u->kept = sim_zeroed((size_t)t->p, sizeof *u->kept);
    u->exchanged_sizes = sim_zeroed((size_t)t->p, sizeof *u->exchanged_sizes);
    u->ranks = sim_zeroed((size_t)t->p, sizeof *u->ranks);
}

static void run_close(all_ranks *u)
{
    compile_free(u);
    for (int r = 0; r < u->t.p; r++) {
        rank_data_free(&u->data[r]);
        free(u->ranks[r].buffer[SPACE_SCRATCH]);
    }
    forget_kept(u);
    for (int r = 0; r < u->t.p; r++)
        free(u->exchanged_sizes[r]);
    free(u->exchanged_sizes);
    free(u->kept);
    free(u->ranks);
    free(u->data);
    free(u->all);
}

static void fill(all_ranks *u)
{
    coll_data d = {.kind = u->t.kind,
                   .p = u->t.p,
                   .count = u->t.count,
                   .root = u->t.root,
                   .in_place = u->t.in_place,
                   .noncommutative = u->t.noncommutative,
                   .turn = u->t.bits ? 0 : (int)(u->t.seed % 1000),
                   .part = u->split.part};

    for (int r = 0; r < u->t.p; r++) {
        rank_data_free(&u->data[r]);
        rank_data_make(u->data, &d, r);
    }
}

static void find_path(const all_ranks *u)
{
    sched **all = sim_zeroed((size_t)u->t.p, sizeof *all);

    for (int r = 0; r < u->t.p; r++)
        all[r] = (sched *)u->ranks[r].sched;
    if (!critical_path_find(all, u->t.p, u->t.topo, u->t.path))
        abort();
    free(all);
}

sim_result coll_run_do(coll_run t)
{
    all_ranks u;
    sim_result r;

    run_open(&u, &t);
    fill(&u);
    compile_all(&u);
    r = execute(&u);
    if (t.digest)
        *t.digest = digest_of(&u);
    if (t.path)
        find_path(&u);
    run_close(&u);
    return r;
}

void coll_run_many(coll_run t, const int *counts, int n, int sends)
{
    all_ranks u;

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
