/* SPDX-License-Identifier: BSD-3-Clause */
/* forecaster_times.c - which machines a choice is executed on, and what follows of it: see
 * forecaster.h.
 */
#include "tune/forecaster.h"

#include "tune/estimate.h"
#include "tune/execution.h"
#include "tune/extend.h"
#include "tune/size.h"

/* Steps of all executions, which take about half a microsecond each: of few ranks; of one rank
 * more; of those that correct closed forms; of those on the whole machine behind others; of a large
 * machine, of which three parts are executed; and of more than a few ranks more times as many where
 * nodes have not the same number of them, so that few algorithms fold. */
enum {
    WORK = 6000,
    WORK_OF_A_RANK = 96,
    WORK_OF_THIN = 32000,
    WORK_OF_PROOF = 40000,
    WORK_OF_PARTS = 16000,
    UNEVEN = 2
};

/* So many intervals of a large schedule take as long to compile as a step to be executed. */
enum { INTERVALS_OF_A_STEP = 4 };

/* Ranks from which on smaller machines are looked at; and steps up to which a schedule of the large
 * one is. */
enum { LARGE = 300, SHORT = 500 };

/* Ranks up to which the whole is executed, too, behind others (forecaster_prove); of few there is
 * no time for it, and all but the longest are anyway. */
enum { PROOF_MOST = 512 };

/* Steps of a sketch: of all executions behind the first look; and of all ranks of the smallest
 * machine, from which on it is not begun. */
enum { WORK_OF_SKETCHES = 40000, LONG_SKETCH = 3000 };

/* ---- look ---- */

/* How many times as large as the last part the machine is. */
static double times_of(const forecaster *q)
{
    return (double)place_units(&q->whole) / place_units(&q->part[PLACE_PARTS - 1]);
}

static bool look_at_parts(const forecaster *q, const choice *c, sight *f)
{
    closed_form exact;
    int64_t time[PLACE_PARTS] = {-1};

    if (!look_count(&q->asked, c, &q->part[0], &f->part[0]))
        return false;
    for (int i = 1; i < PLACE_PARTS; i++) {
        if (!look_at(&q->asked, c, &q->part[i], &f->part[i]))
            return false;
        time[i] = f->part[i].time;
    }
    f->whole = extend_form(f->part, times_of(q));
    if (!extend_is_regular(f->part) && f->whole.steps <= SHORT &&
        look_count(&q->asked, c, &q->whole, &exact))
        f->whole = exact;
    f->whole.time = extend_time(f->part, time, &f->whole, times_of(q));
    return true;
}

/* ---- execute ---- */

/* At least: others may stand for none of its ranks. */
static int64_t work_of_parts(const forecaster *q, const sight *f)
{
    int64_t sum = 0;

    for (int i = 0; i < PLACE_PARTS; i++)
        sum += f->part[i].steps * (q->part[i].fold.n ? q->part[i].fold.n : q->part[i].p);
    return sum;
}

/* Of the largest one nothing is given up that is faster than `most`: the whole takes longer. It is
 * the first, so that what does not fit, and what is given up, is no work on the others. */
static bool execute_parts(forecaster *q, const choice *c, const sight *f, int64_t most,
                          int64_t *time)
{
    enum { LAST = PLACE_PARTS - 1 };
    int64_t times[PLACE_PARTS], before = q->intervals;
    bool done;

    if (work_of_parts(q, f) > q->work)
        return false;
    done = execution_to(q, c, &q->part[LAST], f->part[LAST].steps, most, &times[LAST]);
    for (int i = LAST; done && !q->last.longer && i-- > 0;)
        done = execution_on(q, c, &q->part[i], f->part[i].steps, &times[i]);
    q->work -= (q->intervals - before) / INTERVALS_OF_A_STEP;
    if (done)
        *time = q->last.longer ? times[LAST] : extend_time(f->part, times, &f->whole, times_of(q));
    return done;
}

/* ---- sketch ---- */

/* By as few machines as tell how it begins to grow: what it takes at least, for most grow as much
 * again with each doubling, or more. */
static bool look_at_sketch(forecaster *q, const choice *c, sight *f)
{
    int64_t steps;

    *f = (sight){.steps = 0};
    for (int i = 0; i < SKETCH_FIRST; i++)
        if (q->sketch.at[i].p > 0) {
            if (!execution_of_sketch(q, c, i, i == 0 ? LONG_SKETCH : INT64_MAX, &f->on[i], &steps))
                return false;
            f->steps += steps;
        }
    f->steps *= 2;
    f->whole.time = sketch_least(&q->sketch, f->on);
    return true;
}

static bool execute_sketches(forecaster *q, const choice *c, const sight *f, int64_t *time)
{
    estimate on[SKETCH_MOST] = {f->on[0], f->on[1], f->on[2]};
    int64_t steps;

    if (f->steps > q->work)
        return false;
    for (int i = SKETCH_FIRST; i < SKETCH_MOST; i++)
        if (q->sketch.at[i].p > 0) {
            if (!execution_of_sketch(q, c, i, INT64_MAX, &on[i], &steps))
                return false;
            q->work -= steps;
        }
    *time = sketch_time(&q->sketch, on);
    return true;
}

/* ---- both ---- */

bool forecaster_look(forecaster *q, const choice *c, sight *found)
{
    if (q->is_sketched)
        return look_at_sketch(q, c, found);
    return q->is_large ? look_at_parts(q, c, found)
                       : look_at(&q->asked, c, &q->whole, &found->whole);
}

/* As much work as half of what is left is too much for one. */
static bool is_much(const forecaster *q, int64_t steps)
{
    return steps * (q->whole.fold.n ? q->whole.fold.n : q->whole.p) > q->work / 2;
}

static bool count_parts(const forecaster *q, const choice *c, sight *f)
{
    for (int i = 0; i < PLACE_PARTS; i++)
        if (!look_count(&q->asked, c, &q->part[i], &f->part[i]))
            return false;
    return true;
}

bool forecaster_affords(const forecaster *q, const choice *c, int times)
{
    closed_form f;
    const place *m = q->is_large ? &q->part[PLACE_PARTS - 1] : &q->whole;

    return q->is_sketched || (look_count(&q->asked, c, m, &f) &&
                              f.steps * times * (m->fold.n ? m->fold.n : m->p) <= q->work);
}

/* By how much longer than its closed form it takes on a machine with fewer ranks of each node. */
static bool execute_thin(forecaster *q, const choice *c, const sight *f, int64_t most,
                         int64_t *time)
{
    int64_t work = q->work, took;
    closed_form said;
    bool done;

    if (q->thin.p == 0 || !look_at(&q->asked, c, &q->thin, &said) || said.time <= 0)
        return false;
    q->work = q->thin_work;
    if (most < ESTIMATE_ALL && f->whole.time > 0)
        most = (int64_t)((__int128)most * said.time / f->whole.time);
    done = execution_to(q, c, &q->thin, said.steps, most, &took);
    q->thin_work = q->work;
    q->work = work;
    if (done)
        *time = (int64_t)((__int128)f->whole.time * took / said.time);
    return done;
}

static bool execute_whole(forecaster *q, const choice *c, const sight *f, int64_t most,
                          int64_t *time)
{
    bool done = execution_to(q, c, &q->whole, f->whole.steps, most, time);

    q->proven = done && !q->last.longer;
    return done;
}

bool forecaster_execute(forecaster *q, const choice *c, const sight *f, int64_t most, int64_t *time)
{
    bool extends = q->part[PLACE_PARTS - 1].p > 0;
    sight s = *f;

    q->proven = q->last.longer = false;
    if (q->is_sketched)
        return execute_sketches(q, c, f, time);
    if (q->is_large)
        return execute_parts(q, c, f, most, time) || execute_thin(q, c, f, most, time);
    if (q->shares_cores)
        return execute_whole(q, c, f, most, time);
    return (!(extends && is_much(q, f->whole.steps)) && execute_whole(q, c, f, most, time)) ||
           (extends && count_parts(q, c, &s) && execute_parts(q, c, &s, most, time)) ||
           execute_thin(q, c, f, most, time);
}

/* Steps of a rank: of some the most. */
static int64_t most_steps(const forecaster *q, const choice *c)
{
    int64_t most = 0;

    for (int i = 1; i <= 3; i++) {
        sched *s = look_compile(&q->asked, c, &q->whole, (q->whole.p * i - 1) / 3);
        if (!s)
            return INT64_MAX / q->whole.p;
        most = s->nsteps > most ? s->nsteps : most;
        sched_free(s);
    }
    return most;
}

bool forecaster_prove(forecaster *q, const choice *c, int64_t *time)
{
    int64_t work = q->work;

    if (q->whole.p <= FORECASTER_FEW || q->whole.p > PROOF_MOST)
        return false;
    q->work = q->proof_work;
    q->proven = execution_on(q, c, &q->whole, most_steps(q, c), time);
    q->proof_work = q->work;
    q->work = work;
    return q->proven;
}

int64_t forecaster_unexecuted(forecaster *q, const choice *c, int64_t time)
{
    closed_form all;

    if (!q->shares_cores)
        return time;
    q->asked.k = &q->executed;
    if (look_at(&q->asked, c, &q->whole, &all) && all.time > time)
        time = all.time;
    q->asked.k = &q->closed;
    return time;
}

/* ---- begin and end ---- */

/* Few ranks that share cores are executed on these, and closed forms, which know nothing of who
 * works at a time, tell what it takes at least. Else all are as slow as if all were at work. */
static void take_constants(forecaster *q)
{
    q->shares_cores =
        estimate_gives_cores(&q->executed, q->whole.p) && !q->is_large && !q->is_sketched;
    if (q->shares_cores)
        q->closed = constants_alone(&q->executed);
    else
        q->executed.load = 0;
    q->asked.k = &q->closed;
}

/* Who has a root, or sums up what ranks before it have, does nothing that another does, too. */
static bool is_uniform(coll_kind kind)
{
    return !coll_has(kind, COLL_ROOTED) && coll_shapes[kind].family != COLL_scan &&
           coll_shapes[kind].family != COLL_exscan;
}

static coll_kind regular_kind(coll_kind kind)
{
    int k = 0;

    while (coll_shapes[k].family != coll_shapes[kind].family || coll_is_v((coll_kind)k))
        k++;
    return (coll_kind)k;
}

static int64_t work_for(int p)
{
    return WORK + (p > FORECASTER_FEW ? (int64_t)WORK_OF_A_RANK * (p - FORECASTER_FEW) : 0);
}

static bool knows_no_switches(const forecast_call *c)
{
    return !c->t || c->t->nlevels == 0 || c->t->level[0].kind != TOPO_SWITCH || c->k->switches <= 0;
}

void forecaster_begin(forecaster *q, const forecast_call *c)
{
    int64_t bytes = coll_is_vector(c->kind) ? c->bytes : c->bytes / c->p;
    int64_t size = coll_has(c->kind, COLL_REDUCES) && bytes % 8 == 0 ? 8 : 1;
    coll_kind kind = regular_kind(c->kind);
    int64_t most = coll_is_vector(c->kind) ? SIZE_MOST : SIZE_MOST / c->p;
    bool alike = is_uniform(kind);

    bytes = bytes < most ? bytes : most;
    *q = (forecaster){.call = c,
                      .asked = {.kind = kind,
                                .size = size,
                                .count = coll_shapes[kind].recv == COLL_NONE ? 0 : bytes / size,
                                .ordered = c->ordered,
                                .whole = c->whole},
                      .executed = *c->k,
                      .closed = *c->k,
                      .work = work_for(c->p),
                      .most = ESTIMATE_ALL,
                      .proof_work = WORK_OF_PROOF};
    place_make(&q->whole, c->p, c->t, alike);
    q->is_sketched = !alike && c->p > LARGE && sketch_make(&q->sketch, &q->whole);
    if (!q->is_sketched)
        place_make_parts(q->part, &q->whole, alike);
    q->is_large = c->p > LARGE && q->part[PLACE_PARTS - 1].p > 0;
    if (q->is_large || q->is_sketched)
        q->work = q->is_large ? WORK_OF_PARTS : WORK_OF_SKETCHES;
    if (alike && !q->is_large && knows_no_switches(c))
        place_make_even(&q->even, &q->whole);
    if (!q->is_sketched && place_nodes(&q->whole) <= PLACE_FEW) {
        place_make_thin(&q->thin, &q->whole, alike);
        q->thin_work = WORK_OF_THIN;
    }
    take_constants(q);
    if (c->p > FORECASTER_FEW && q->whole.fold.n > 1 && q->whole.fold.n * c->t->nodes != c->p &&
        q->even.p == 0)
        q->work *= UNEVEN;
}

void forecaster_end(forecaster *q)
{
    place_free(&q->whole);
    place_free(&q->even);
    place_free(&q->thin);
    if (q->is_sketched)
        sketch_free(&q->sketch);
    for (int i = 0; i < PLACE_PARTS; i++)
        place_free(&q->part[i]);
}
