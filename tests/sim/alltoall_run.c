/* alltoall_run.c - see alltoall_run.h. */
#include "sim/alltoall_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { POISON = 0x5a };

static uint16_t value(int from, int to, int64_t i)
{
    return (uint16_t)(from * 257 + to * 6007 + i * 40503u + 1);
}

void alltoall_run_fail(const alltoall_run *t, const char *what)
{
    fail_msg("%s %s:%d variant %d p %d count %d in_place %d sends %d seed %llu %s: %s",
             coll_kind_name(t->kind), t->a->name, t->parameter, t->variant, t->p, t->count,
             t->in_place, t->sends, (unsigned long long)t->seed, t->shape ? t->shape : "", what);
}

/* Unequal blocks, a quarter of them empty; the same in both directions where the call is in place.
 */
static int64_t count_of(const alltoall_run *t, int from, int to)
{
    int mix = t->in_place ? from + to : from + 3 * to;

    if (t->kind == COLL_alltoall || t->count == 0)
        return t->count;
    return mix * 7 % 4 * (t->count / 2 + 1);
}

/* Blocks in another order than the ranks, with gaps of 0 to 3 elements. */
static int64_t place(const alltoall_run *t, const int64_t *counts, int64_t *displs, int turn)
{
    int64_t at = 0;

    for (int i = 0; i < t->p; i++) {
        int r = t->kind == COLL_alltoallv ? (i + turn) % t->p : i;
        at += t->kind == COLL_alltoallv ? r % 4 : 0;
        displs[r] = at;
        at += counts[r];
    }
    return at;
}

static void shape(alltoall_run *t)
{
    size_t p = (size_t)t->p;

    t->counts = calloc(4 * p * p, sizeof *t->counts);
    t->recv_counts = t->counts + p * p;
    t->displs = t->recv_counts + p * p;
    t->out_displs = t->displs + p * p;
    for (int i = 0; i < t->p; i++)
        for (int j = 0; j < t->p; j++) {
            t->counts[i * t->p + j] = count_of(t, i, j);
            t->recv_counts[i * t->p + j] = count_of(t, j, i);
        }
    for (size_t r = 0; r < p; r++) {
        int64_t out = place(t, t->counts + r * p, t->out_displs + r * p, t->p / 3);
        int64_t in = place(t, t->recv_counts + r * p, t->displs + r * p, t->p / 2);
        t->length = out > t->length ? out : t->length;
        t->length = in > t->length ? in : t->length;
    }
    t->length += 2;
}

/* The schedule does not depend on the kind of sends: it is checked in the first of these runs. */
static void check_schedule(const alltoall_run *t, const sched *s, int r)
{
    bool sample = t->p <= 8 || ((r == 0 || r == t->p / 2 || r == t->p - 1) && s->nsteps < 1200);
    const char *wrong = sample && t->sends == SIM_EAGER && t->count ? sched_check(s) : NULL;

    if (wrong)
        alltoall_run_fail(t, wrong);
}

static void compile_rank(alltoall_run *t, int r)
{
    size_t row = (size_t)r * (size_t)t->p;
    coll c = {.kind = t->kind,
              .p = t->p,
              .rank = r,
              .in_place = t->in_place,
              .parameter = t->parameter,
              .variant = t->variant,
              .send.count = t->count,
              .send.counts = t->counts + row,
              .send.displs = t->out_displs + row,
              .recv.count = t->count,
              .recv.counts = t->recv_counts + row,
              .recv.displs = t->displs + row};
    sched *s = NULL;

    if (algo_compile(t->a, FORM_STEP, &c, t->topo, &s) != SCHED_OK)
        alltoall_run_fail(t, "does not compile");
    check_schedule(t, s, r);
    t->scratch[r] = malloc((size_t)s->extent[SPACE_SCRATCH] * 2 + 1);
    memset(t->scratch[r], POISON, (size_t)s->extent[SPACE_SCRATCH] * 2);
    t->ranks[r] = (sim_rank){s, {t->send[r], t->recv[r], t->scratch[r]}};
}

static void fill(const alltoall_run *t, int r)
{
    uint16_t *to = t->in_place ? t->recv[r] : t->send[r];
    const int64_t *at = (t->in_place ? t->displs : t->out_displs) + (size_t)r * (size_t)t->p;

    memset(t->send[r], POISON, (size_t)t->length * 2);
    memset(t->recv[r], POISON, (size_t)t->length * 2);
    for (int j = 0; j < t->p; j++)
        for (int64_t i = 0; i < count_of(t, r, j); i++)
            to[at[j] + i] = value(r, j, i);
}

static void setup(alltoall_run *t)
{
    size_t p = (size_t)t->p;

    shape(t);
    t->send = calloc(3 * p, sizeof *t->send);
    t->recv = t->send + p;
    t->scratch = t->recv + p;
    t->ranks = calloc(p, sizeof *t->ranks);
    for (int r = 0; r < t->p; r++) {
        t->send[r] = malloc((size_t)t->length * 2);
        t->recv[r] = malloc((size_t)t->length * 2);
        fill(t, r);
        compile_rank(t, r);
    }
}

static void teardown(alltoall_run *t)
{
    for (int r = 0; r < t->p; r++) {
        sched_free((sched *)t->ranks[r].sched);
        free(t->send[r]);
        free(t->recv[r]);
        free(t->scratch[r]);
    }
    free(t->ranks);
    free(t->send);
    free(t->counts);
}

/* Every byte of every receive buffer, the gaps included. */
static void check_buffers(const alltoall_run *t)
{
    uint16_t *expected = malloc((size_t)t->length * 2);

    for (int r = 0; r < t->p; r++) {
        memset(expected, POISON, (size_t)t->length * 2);
        for (int j = 0; j < t->p; j++)
            for (int64_t i = 0; i < count_of(t, j, r); i++)
                expected[t->displs[(size_t)r * (size_t)t->p + (size_t)j] + i] = value(j, r, i);
        if (memcmp(t->recv[r], expected, (size_t)t->length * 2) != 0)
            alltoall_run_fail(t, "wrong data");
    }
    free(expected);
}

sim_result alltoall_run_do(alltoall_run t)
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
        alltoall_run_fail(&t, r.error);
    check_buffers(&t);
    teardown(&t);
    return r;
}
