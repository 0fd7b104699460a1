/* SPDX-License-Identifier: BSD-3-Clause */
/* forecaster.c - see forecaster.h. */
#include "tune/forecaster.h"

#include "tune/execution.h"
#include "tune/size.h"

/* Steps of all executions, which take about half a microsecond each. WORK: on the whole machine of
 * few ranks. WORK_OF_A_RANK: for each rank more. WORK_OF_SAMPLES: on its samples.
 * WORK_OF_VERIFYING: on the whole machine after the samples. */
enum { WORK = 6000, WORK_OF_A_RANK = 96, WORK_OF_SAMPLES = 40000, WORK_OF_VERIFYING = 60000 };

/* Steps of all ranks of the smallest sample up to which there is a first estimate of a large
 * machine; and steps of a rank of a large machine up to which pieces are tried. */
enum { LONG = 3000 };

/* LARGE: ranks above which a machine is large. VERIFY_MOST: ranks up to which the whole machine is
 * executed, too (forecaster_verify). For few ranks there is no time for that, and all but the
 * longest are executed on it anyway. */
enum { LARGE = ESTIMATE_FEW, VERIFY_MOST = 512 };

/* ---- first estimate ---- */

/* What it takes at least, for most grow as much again with each doubling, or more. */
static bool estimate_on_samples(const forecaster *q, const choice *c, first_estimate *f)
{
    const execution x = {.call = &q->asked, .k = &q->executed, .most = ESTIMATE_ALL};

    *f = (first_estimate){.steps = 0};
    for (int i = 0; i < SAMPLES_FIRST; i++) {
        int64_t most = i == 0 ? LONG : INT64_MAX, work = most;
        if (q->samples.at[i].p == 0)
            continue;
        if (!execution_on(&x, c, &q->samples.at[i], &work, &f->on[i]))
            return false;
        f->steps += most - work;
    }
    f->time = samples_least(&q->samples, f->on);
    return true;
}

bool forecaster_first_estimate(forecaster *q, const choice *c, first_estimate *found)
{
    closed_form f;

    if (q->is_large)
        return estimate_on_samples(q, c, found);
    if (!modeled_call_closed_form(&q->asked, c, &q->whole, &f))
        return false;
    *found = (first_estimate){.time = f.time, .steps = f.steps};
    return true;
}

/* Steps of all ranks that are executed. */
static int64_t work_of_steps(const forecaster *q, int64_t steps)
{
    return steps * (q->whole.fold.n ? q->whole.fold.n : q->whole.p);
}

/* Steps of one rank of the whole machine; of a large one extended from samples. -1: there is no
 * closed form. */
static int64_t steps_of(const forecaster *q, const choice *c)
{
    int64_t steps[SAMPLES_MOST] = {0};
    closed_form f;

    if (!q->is_large)
        return modeled_call_closed_form(&q->asked, c, &q->whole, &f) ? f.steps : -1;
    for (int i = 0; i < SAMPLES_MOST; i++)
        if (q->samples.at[i].p > 0) {
            if (!modeled_call_closed_form(&q->asked, c, &q->samples.at[i], &f))
                return -1;
            steps[i] = f.steps;
        }
    return samples_steps(&q->samples, steps);
}

bool forecaster_affords(const forecaster *q, const choice *c, int times)
{
    int64_t steps = steps_of(q, c);

    return steps >= 0 && steps * times <= LONG &&
           (q->has_samples || work_of_steps(q, steps * times) <= q->work);
}

/* ---- execute ---- */

/* What takes most of the time. "latency": nothing works for so long. */
static const char *bound_of(const estimate *e)
{
    int64_t half = e->time / 2;

    if (e->out > half || e->in > half)
        return "links between nodes";
    if (e->memory > half)
        return "memory of a node";
    if (e->cores > half)
        return "cores of a node";
    if (e->processor > half)
        return "a rank's processor";
    return "latency";
}

/* As much work as half of what is left is too much for one, where there are samples. */
static bool execute_whole(forecaster *q, const choice *c, int64_t steps, int64_t most, estimate *e)
{
    const execution x = {
        .call = &q->asked, .k = &q->executed, .most = most, .all = q->shares_cores};
    int64_t work = work_of_steps(q, steps);

    return work <= (q->has_samples ? q->work / 2 : q->work) &&
           execution_on(&x, c, &q->whole, &q->work, e);
}

static int largest_sample(const samples *s)
{
    int largest = 0;

    for (int i = 1; i < SAMPLES_MOST; i++)
        largest = s->at[i].p > s->at[largest].p ? i : largest;
    return largest;
}

/* Execute the samples, the largest first: an algorithm that does not fit there costs no work on the
 * others. e: of the largest one; *time: extended to the whole machine. */
static bool execute_samples(forecaster *q, const choice *c, const first_estimate *f, estimate *e,
                            int64_t *time)
{
    const execution x = {.call = &q->asked, .k = &q->executed, .most = ESTIMATE_ALL};
    estimate on[SAMPLES_MOST] = {f->on[0], f->on[1], f->on[2]};

    if (!q->has_samples || (q->is_large && 2 * f->steps > q->sample_work))
        return false;
    for (int i = SAMPLES_MOST - 1; i >= (q->is_large ? SAMPLES_FIRST : 0); i--)
        if (q->samples.at[i].p > 0 &&
            !execution_on(&x, c, &q->samples.at[i], &q->sample_work, &on[i]))
            return false;
    *e = on[largest_sample(&q->samples)];
    *time = samples_time(&q->samples, on);
    return true;
}

/* Where ranks share cores the closed form is that of a rank with a core of its own. This is as if
 * all ranks were at work. */
static int64_t first_time(forecaster *q, const choice *c, int64_t time)
{
    closed_form all;

    if (!q->shares_cores)
        return time;
    q->asked.k = &q->executed;
    if (modeled_call_closed_form(&q->asked, c, &q->whole, &all) && all.time > time)
        time = all.time;
    q->asked.k = &q->closed;
    return time;
}

static void take_estimate(forecast *result, const estimate *e, bool whole)
{
    result->time = e->time;
    result->executed = true;
    result->longer = e->longer;
    result->verified = whole && !e->longer;
    result->bound = bound_of(e);
}

void forecaster_execute(forecaster *q, const choice *c, const first_estimate *f, int64_t most,
                        forecast *result)
{
    estimate e = {0};
    int64_t time;

    *result = (forecast){.choice = *c};
    if (!q->is_large && execute_whole(q, c, f->steps, most, &e))
        take_estimate(result, &e, true);
    else if (execute_samples(q, c, f, &e, &time)) {
        take_estimate(result, &e, false); /* bound as on the largest sample */
        result->time = time;
    } else
        result->time = first_time(q, c, f->time);
}

bool forecaster_verify(forecaster *q, forecast *result)
{
    const execution x = {.call = &q->asked, .k = &q->executed, .most = ESTIMATE_ALL};
    estimate e;

    if (q->whole.p <= FORECASTER_FEW || q->whole.p > VERIFY_MOST ||
        !execution_on(&x, &result->choice, &q->whole, &q->verify_work, &e))
        return false;
    take_estimate(result, &e, true);
    return true;
}

/* ---- begin and end ---- */

/* Few ranks that share cores are executed on these, and closed forms, which know nothing of who
 * works at a time, say what it takes at least. Else all are as slow as if all were at work. */
static void take_constants(forecaster *q)
{
    q->shares_cores = estimate_gives_cores(&q->executed, q->whole.p);
    if (q->shares_cores)
        q->closed = constants_alone(&q->executed);
    else
        q->executed.load = 0;
    q->asked.k = &q->closed;
}

/* Who has a root, or sums up what ranks before it have, does nothing that another does, too. */
static bool is_same_on_all_nodes(coll_kind kind)
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

/* Items of what is cut, and the bytes of one. */
static modeled_call asked_of(const forecast_call *c, coll_kind kind)
{
    int blocks = coll_is_vector(c->kind) ? 1 : c->p;
    int64_t bytes = c->bytes / blocks, most = SIZE_MOST / blocks;
    int64_t size = coll_has(c->kind, COLL_REDUCES) && bytes % 8 == 0 ? 8 : 1;

    bytes = bytes < most ? bytes : most;
    return (modeled_call){.kind = kind,
                          .size = size,
                          .count = coll_shapes[kind].recv == COLL_NONE ? 0 : bytes / size,
                          .noncommutative = c->noncommutative,
                          .user_op = c->user_op};
}

void forecaster_begin(forecaster *q, const forecast_call *c)
{
    coll_kind kind = regular_kind(c->kind);
    bool may_fold = is_same_on_all_nodes(kind);

    *q = (forecaster){.call = c,
                      .asked = asked_of(c, kind),
                      .executed = *c->k,
                      .closed = *c->k,
                      .work = WORK,
                      .sample_work = WORK_OF_SAMPLES,
                      .verify_work = WORK_OF_VERIFYING};
    if (c->p > FORECASTER_FEW)
        q->work += (int64_t)WORK_OF_A_RANK * (c->p - FORECASTER_FEW);
    machine_model_make(&q->whole, c->p, c->t, may_fold);
    take_constants(q);
    if (!q->shares_cores)
        q->has_samples = samples_make(&q->samples, &q->whole, may_fold);
    q->is_large = c->p > LARGE && q->has_samples;
}

void forecaster_end(forecaster *q)
{
    machine_model_free(&q->whole);
    if (q->has_samples)
        samples_free(&q->samples);
}
