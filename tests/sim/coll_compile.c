/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_compile.c - see coll_compile.h. */
#include "sim/coll_compile.h"

#include "sim/must.h"

#include <stdlib.h>

enum { SAMPLED_STEPS = 400 };

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

static bool has_size_exchange(const all_ranks *u)
{
    return u->t.a->size_exchange && coll_is_v(u->t.kind);
}

size_t scratch_size(const all_ranks *u)
{
    return u->t.packs || has_size_exchange(u) ? sizeof(uint64_t) / 2 : sizeof(uint64_t);
}

static void compile_size_exchange(all_ranks *u, int rank)
{
    const algo *a = u->t.part ? split_row(&u->split) : u->t.a;
    coll c = {.kind = u->t.kind,
              .p = u->t.p,
              .rank = rank,
              .parameter = algo_parameter_for(u->t.a, u->t.parameter, u->data[rank].o.p),
              .variant = u->t.variant};
    sched *s = NULL;

    if (algo_compile_size_exchange(a, &c, 0, u->t.topo, &s) != SCHED_OK || sched_check(s))
        coll_run_fail(&u->t, "the size exchange does not compile");
    u->ranks[rank].sched = s;
}

/* What each rank sends to each other one, in items of scratch, and what they find out. */
static void bind_size_exchange(all_ranks *u, int rank)
{
    sim_rank *r = &u->ranks[rank];
    const data_side *sent = u->data[rank].in_place ? &u->data[rank].recv : &u->data[rank].send;
    int64_t n = r->sched->extent[SPACE_RECV], *lengths;

    free(u->exchanged_sizes[rank]);
    u->exchanged_sizes[rank] = sim_zeroed((size_t)(n + u->t.p), sizeof **u->exchanged_sizes);
    lengths = u->exchanged_sizes[rank] + n;
    for (int i = 0; i < u->t.p; i++)
        lengths[i] = sent->counts[i] * (int64_t)(sizeof(uint64_t) / scratch_size(u));
    r->count[SPACE_SEND] = r->count[SPACE_RECV] = 1;
    r->buffer[SPACE_SEND] = lengths;
    r->buffer[SPACE_RECV] = u->exchanged_sizes[rank];
}

static void run_size_exchange(all_ranks *u)
{
    sim_options o = {.seed = u->t.seed,
                     .sends = u->t.sends,
                     .size = {sizeof(int64_t), sizeof(int64_t), sizeof(int64_t)}};
    sim_result result;

    for (int r = 0; r < u->t.p; r++) {
        compile_size_exchange(u, r);
        bind_size_exchange(u, r);
    }
    sim_run(u->ranks, u->t.p, &o, &result);
    if (result.error[0])
        coll_run_fail(&u->t, result.error);
    for (int r = 0; r < u->t.p; r++) {
        if (u->ranks[r].sched->extent[SPACE_RECV] == 0) { /* it needs none here */
            free(u->exchanged_sizes[r]);
            u->exchanged_sizes[r] = NULL;
        }
        sched_free((sched *)u->ranks[r].sched);
    }
}

static void compile_rank(all_ranks *u, int rank)
{
    const coll_run *t = &u->t;
    const rank_data *k = &u->data[rank];
    const algo *a = t->part ? split_row(&u->split) : t->a;
    coll c = {.kind = t->kind,
              .p = t->p,
              .rank = rank,
              .root = k->root,
              .in_place = k->in_place || u->shape->send == COLL_NONE,
              .noncommutative = t->noncommutative,
              .symmetric = !t->noncommutative && !t->bits,
              .packs = t->packs,
              .user_op = t->user_op,
              .parameter = algo_parameter_for(t->a, t->parameter, k->o.p),
              .variant = t->variant,
              .order = t->order,
              .exchanged_sizes = u->exchanged_sizes[rank],
              .send = side_in_call(&k->send, is_empty(k)),
              .recv = side_in_call(&k->recv, is_empty(k))};
    sched *s = NULL;

    if (algo_compile(a, t->form, &c, t->topo, &s) != SCHED_OK)
        coll_run_fail(t, "does not compile");
    u->ranks[rank].sched = s;
}

/* What the root broadcasts may lie where nobody may write. */
static bool writes_recv(const sched *s)
{
    for (int i = 0; i < s->nsteps; i++)
        for (int k = 0; k < s->steps[i].n; k++)
            if (step_writes(&s->steps[i], k) && s->list[s->steps[i].first + k].space == SPACE_RECV)
                return true;
    return false;
}

static void check_schedule(const all_ranks *u, int rank)
{
    const coll_run *t = &u->t;
    const sched *s = u->ranks[rank].sched;
    bool sampled = t->p <= 8 || rank == 0 || rank == t->p / 2 || rank == t->p - 1;
    const char *wrong = NULL;

    if (t->thorough || (sampled && s->nsteps < SAMPLED_STEPS))
        wrong = sched_check(s);
    if (t->kind == COLL_bcast && rank == u->data[rank].root && writes_recv(s))
        wrong = "the root writes into its buffer";
    if (wrong)
        coll_run_fail(t, wrong);
}

void compile_free(all_ranks *u)
{
    for (int r = 0; r < u->t.p && u->compiled; r++)
        sched_free((sched *)u->ranks[r].sched);
    u->compiled = false;
}

void compile_all(all_ranks *u)
{
    compile_free(u);
    if (has_size_exchange(u))
        run_size_exchange(u);
    for (int r = 0; r < u->t.p; r++)
        compile_rank(u, r);
    for (int r = 0; r < u->t.p; r++)
        check_schedule(u, r);
    u->compiled = true;
}
