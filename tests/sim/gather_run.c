/* gather_run.c - see gather_run.h. */
#include "sim/gather_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint16_t value(int rank, int64_t i)
{
    return (uint16_t)(rank * 257 + i * 40503u + 1);
}

void gather_run_fail(const gather_run *t, const char *what)
{
    fail_msg(
        "%s %s form %d variant %d order %d p %d count %d in_place %d sends %d seed %llu %s: %s",
        coll_kind_name(t->kind), t->a->name, t->form, t->variant, t->order, t->p, t->count,
        t->in_place, t->sends, (unsigned long long)t->seed, t->shape ? t->shape : "", what);
}

/* Unequal blocks: every third one empty, gaps of 1 to 3 elements, not in the order of the ranks. */
static void shape(gather_run *t)
{
    int64_t at = 0;

    t->counts = calloc((size_t)t->p * 2, sizeof *t->counts);
    t->displs = t->counts + t->p;
    for (int i = 0; i < t->p; i++) {
        int r = t->kind == COLL_allgatherv ? (i + t->p / 2) % t->p : i;
        t->counts[r] = t->count;
        if (t->kind == COLL_allgatherv) {
            t->counts[r] = t->count ? (r * 5 % 3) * (t->count / 2 + 1) : 0;
            at += t->p < 65 ? r % 4 : 0;
        }
        t->displs[r] = at;
        at += t->counts[r];
    }
    t->length = at + 2;
}

static void compile_rank(gather_run *t, int r)
{
    coll c = {.kind = t->kind,
              .p = t->p,
              .rank = r,
              .in_place = t->in_place,
              .variant = t->variant,
              .order = t->order,
              .send.count = t->counts[r],
              .recv.count = t->count,
              .recv.counts = t->counts,
              .recv.displs = t->displs};
    sched *s = NULL;

    if (algo_compile(t->a, t->form, &c, t->topo, &s) != SCHED_OK)
        gather_run_fail(t, "does not compile");
    t->scratch[r] = malloc((size_t)s->extent[SPACE_SCRATCH] * 2 + 1);
    t->ranks[r] = (sim_rank){s, {t->send[r], t->recv[r], t->scratch[r]}};
    if (t->p <= 32 || (r % (t->p / 8) == 0 && s->nsteps < 1200)) {
        const char *wrong = sched_check(s);
        if (wrong)
            gather_run_fail(t, wrong);
    }
}

static void setup(gather_run *t)
{
    size_t p = (size_t)t->p;

    shape(t);
    t->send = calloc(p, sizeof *t->send);
    t->recv = calloc(p, sizeof *t->recv);
    t->scratch = calloc(p, sizeof *t->scratch);
    t->ranks = calloc(p, sizeof *t->ranks);
    for (int r = 0; r < t->p; r++) {
        t->send[r] = malloc((size_t)t->counts[r] * 2 + 1);
        t->recv[r] = malloc((size_t)t->length * 2);
        memset(t->recv[r], 0x5a, (size_t)t->length * 2);
        for (int64_t i = 0; i < t->counts[r]; i++) {
            t->send[r][i] = t->in_place ? 0 : value(r, i);
            if (t->in_place)
                t->recv[r][t->displs[r] + i] = value(r, i);
        }
        compile_rank(t, r);
    }
}

static void teardown(gather_run *t)
{
    for (int r = 0; r < t->p; r++) {
        sched_free((sched *)t->ranks[r].sched);
        free(t->send[r]);
        free(t->recv[r]);
        free(t->scratch[r]);
    }
    free(t->ranks);
    free(t->recv);
    free(t->scratch);
    free(t->send);
    free(t->counts);
}

/* Every byte of every receive buffer, the gaps included. */
static void check_buffers(const gather_run *t)
{
    uint16_t *expected = malloc((size_t)t->length * 2);

    memset(expected, 0x5a, (size_t)t->length * 2);
    for (int r = 0; r < t->p; r++)
        for (int64_t i = 0; i < t->counts[r]; i++)
            expected[t->displs[r] + i] = value(r, i);
    for (int r = 0; r < t->p; r++)
        if (memcmp(t->recv[r], expected, (size_t)t->length * 2) != 0)
            gather_run_fail(t, "wrong data");
    free(expected);
}

sim_result gather_run_do(gather_run t)
{
    sim_options o = {.seed = t.seed,
                     .sends = t.sends,
                     .size = {2, 2, 2},
                     .traffic = t.traffic,
                     .context = t.context};
    sim_result r;

    setup(&t);
    sim_run(t.ranks, t.p, &o, &r);
    if (r.error[0])
        gather_run_fail(&t, r.error);
    check_buffers(&t);
    teardown(&t);
    return r;
}
