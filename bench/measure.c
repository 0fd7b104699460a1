/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c - see measure.h. */
#include "measure.h"

#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const phase_names[PHASES] = {
    "pure", "start", "wait", "cpu", "overall", "compute", "test", "overall_start", "overall_wait"};

enum { ATTEMPTS = 20 };

static void check(int error, const variant *v)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "tutti-bench: %s, %d bytes: %s\n", v->name, v->r.size, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int call(int (*f)(run *r), run *r)
{
    return f ? f(r) : MPI_SUCCESS;
}

static int start(variant *v)
{
    vary_next(&v->vary, &v->r);
    return call(v->how.start, &v->r);
}

static int once(variant *v)
{
    int error = start(v);

    return error ? error : call(v->how.wait, &v->r);
}

/* ---- before the repetitions ---- */

/* Can it be called at all? What the algorithm does not serve is refused before anything is sent: by
 * the init of persistent operations, else by the call. */
static bool begin(variant *v)
{
    int error = call(v->how.open, &v->r);

    if (!error && v->form != PERSISTENT) {
        error = call(v->how.enter, &v->r);
        if (!error)
            error = once(v);
        call(v->how.leave, &v->r);
    }
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (error && v->how.close)
        v->how.close(&v->r);
    return !error;
}

static void end(variant *v)
{
    if (v->how.close)
        v->how.close(&v->r);
}

/* Twice, with other data: a persistent operation must send the new contents. */
static int64_t verify(variant *v)
{
    int64_t wrong = 0, all;

    for (int seed = 1; seed <= 2; seed++) {
        MPI_Barrier(MPI_COMM_WORLD);
        v->fill(&v->r, seed);
        check(call(v->how.enter, &v->r), v);
        check(once(v), v);
        check(call(v->how.leave, &v->r), v);
        wrong += v->wrong(&v->r, seed);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* ---- one repetition of one variant ---- */

static void time_pure(const options *o, variant *v, double t[PHASES])
{
    double begin = sync_begin(o->sync), started = begin, now;

    for (int i = 0; i < o->batch; i++) {
        v->r.send[0]++;
        check(start(v), v);
        if (o->batch == 1)
            started = MPI_Wtime();
        check(call(v->how.wait, &v->r), v);
    }
    now = MPI_Wtime();
    t[PURE] = (now - begin) / o->batch;
    t[START] = started - begin;
    t[WAIT] = now - started;
}

static void time_cpu(const options *o, double seconds, double t[PHASES])
{
    double begin = sync_begin(o->sync);

    work_for(seconds);
    t[CPU] = MPI_Wtime() - begin;
}

static void time_overall(const options *o, variant *v, double seconds, double t[PHASES])
{
    double begin = sync_begin(o->sync), started, computed, piece = seconds / (o->calls + 1);

    v->r.send[0]++;
    t[TEST] = 0;
    check(start(v), v);
    started = MPI_Wtime();
    for (int i = 0; i < o->calls; i++) {
        work_for(piece);
        double test = MPI_Wtime();
        check(call(v->how.progress, &v->r), v);
        t[TEST] += MPI_Wtime() - test;
    }
    work_for(piece);
    computed = MPI_Wtime();
    check(call(v->how.wait, &v->r), v);
    t[OVERALL] = MPI_Wtime() - begin;
    t[OVERALL_START] = started - begin;
    t[COMPUTE] = computed - started;
    t[OVERALL_WAIT] = t[OVERALL] - t[OVERALL_START] - t[COMPUTE];
}

/* A repetition in which some rank began late is done again. False: also the last one. */
static bool repeat(const options *o, variant *v, double estimate, double t[PHASES])
{
    for (int i = 0; i < ATTEMPTS; i++) {
        check(call(v->how.enter, &v->r), v);
        time_pure(o, v, t);
        bool held = sync_held(o->sync);
        if (o->overlap && held) {
            time_cpu(o, estimate, t);
            held = sync_held(o->sync);
        }
        if (o->overlap && held) {
            time_overall(o, v, estimate, t);
            held = sync_held(o->sync);
        }
        check(call(v->how.leave, &v->r), v);
        if (held)
            return true;
    }
    return false;
}

/* ---- all repetitions ---- */

/* A new order, the same on all ranks: a generator of our own, because ranks may call rand(). */
static void shuffle(int order[], int n, uint32_t *state)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        *state = *state * 1664525u + 1013904223u;
        int k = (int)((*state >> 8) % (uint32_t)(i + 1)), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
}

/* Rank 0's clock decides for all. */
static bool out_of_time(const options *o, double begin)
{
    int over = MPI_Wtime() - begin > o->seconds;

    if (o->seconds <= 0)
        return false;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over;
}

/* Median over the first repetitions of the slowest rank's time. */
static double estimate_of(const double *times, int n)
{
    double *worst = malloc((size_t)n * sizeof *worst), result;

    MPI_Allreduce(times, worst, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    result = median(worst, n);
    free(worst);
    return result;
}

/* All applicable variants, once each. Those that began late each time are counted. */
static void turn(const options *o, variant *v, int n, result *r, const double estimate[],
                 uint32_t *state, double t[][PHASES])
{
    int order[MAX_VARIANTS];

    shuffle(order, n, state);
    for (int i = 0; i < n; i++)
        if (r[order[i]].applicable && !repeat(o, &v[order[i]], estimate[order[i]], t[order[i]]))
            r[order[i]].late++;
}

static void warm_up(const options *o, variant *v, int n, result *r, uint32_t *state,
                    double estimate[])
{
    int k = options_warmup(o, r->size);
    options first = *o;
    double t[MAX_VARIANTS][PHASES] = {{0}};

    if (o->overlap)
        k += options_iterations(o, r->size) / 10 + 1;
    first.overlap = OVERLAP_NONE;
    double *times = calloc((size_t)n * (size_t)(k ? k : 1), sizeof *times);
    for (int i = 0; i < k; i++) {
        turn(&first, v, n, r, estimate, state, t);
        for (int j = 0; j < n; j++)
            times[j * k + i] = t[j][PURE];
    }
    for (int j = 0; j < n && o->overlap; j++)
        estimate[j] = estimate_of(times + j * k, k);
    for (int j = 0; j < n; j++)
        r[j].late = 0; /* these do not count */
    free(times);
}

/* ---- what comes out ---- */

static double osu_overlap(const double t[PHASES])
{
    double x = 100 - 100 * (t[OVERALL] - (t[COMPUTE] - t[TEST])) / t[PURE];

    return x < 0 ? 0 : x;
}

static double imb_overlap(const double t[PHASES])
{
    double shorter = t[PURE] < t[CPU] ? t[PURE] : t[CPU];
    double x = 100 * (t[PURE] + t[CPU] - t[OVERALL]) / shorter;

    return x < 0 ? 0 : x > 100 ? 100 : x;
}

/* What one result sends to the others: its times, and the averages over them. */
static size_t sent(const result *r)
{
    return (size_t)PHASES * (size_t)r->n + 2;
}

/* From this rank's times to all ranks': two reductions for all results together, because in
 * SimGrid, with a thousand ranks, they take longer than what is measured. */
static void reduce_times(result *r, int n, int p)
{
    size_t all = 0, at = 0;
    double *most, *sums = calloc((size_t)n * PHASES, sizeof *sums);

    for (int i = 0; i < n; i++)
        all += sent(&r[i]);
    most = calloc(all, sizeof *most);
    for (int i = 0; i < n; at += sent(&r[i]), i++) {
        double *mean = sums + (size_t)i * PHASES;
        for (int f = 0; f < PHASES; f++)
            for (int k = 0; k < r[i].n; k++)
                mean[f] +=
                    (most[at + (size_t)f * (size_t)r[i].n + (size_t)k] = r[i].times[f][k]) / r[i].n;
        most[at + sent(&r[i]) - 2] = mean[PURE];
        most[at + sent(&r[i]) - 1] = -mean[PURE];
    }
    MPI_Allreduce(MPI_IN_PLACE, most, (int)all, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, sums, n * PHASES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    at = 0;
    for (int i = 0; i < n; at += sent(&r[i]), i++) {
        for (int f = 0; f < PHASES; f++) {
            r[i].average[f] = sums[(size_t)i * PHASES + (size_t)f] / p;
            memcpy(r[i].times[f], most + at + (size_t)f * (size_t)r[i].n,
                   (size_t)r[i].n * sizeof *most);
        }
        r[i].most = most[at + sent(&r[i]) - 2];
        r[i].least = -most[at + sent(&r[i]) - 1];
    }
    free(most);
    free(sums);
}

static void summarize_result(const options *o, result *r)
{
    double *sorted = malloc((size_t)r->n * sizeof *sorted);

    for (int i = 0; i < PHASES; i++) {
        memcpy(sorted, r->times[i], (size_t)r->n * sizeof *sorted);
        r->middle[i] = median(sorted, r->n);
        if (i == PURE)
            r->total = summarize(sorted, r->n);
    }
    free(sorted);
    if (o->overlap) {
        r->overlap = o->overlap == OVERLAP_IMB ? imb_overlap(r->middle) : osu_overlap(r->middle);
        r->osu_average = osu_overlap(r->average);
    }
}

static void record(result *r, int n, double t[][PHASES], int k)
{
    for (int i = 0; i < n; i++)
        for (int f = 0; f < PHASES; f++)
            r[i].times[f][k] = t[i][f];
}

static void prepare(const options *o, variant *v, const buffers *b, int64_t size, result *r)
{
    int n = options_iterations(o, size);

    variant_use(v, b, (int)size);
    vary_begin(&v->vary, o->vary, &v->r);
    *r = (result){.who = v, .size = size};
    for (int f = 0; f < PHASES; f++)
        r->times[f] = calloc((size_t)n, sizeof(double));
    r->applicable = begin(v);
    if (r->applicable && o->verify && !b->folded) {
        r->wrong = verify(v);
        r->verified = true;
    }
}

/* The share of the repetitions that are done, or of the time that they may take. */
static double share_done(const options *o, int k, int iterations, double started)
{
    double share = (double)k / iterations;
    double in_time = o->seconds > 0 ? (MPI_Wtime() - started) / o->seconds : 0;

    if (in_time > 1)
        in_time = 1;
    return share > in_time ? share : in_time;
}

void measure(const options *o, variant *v, int n, const buffers *b, int64_t size, result *r,
             void (*done)(double fraction))
{
    int iterations = options_iterations(o, size), k = 0, p;
    uint32_t state = (uint32_t)o->seed * 2654435761u + (uint32_t)size;
    double estimate[MAX_VARIANTS] = {0}, t[MAX_VARIANTS][PHASES] = {{0}}, started, drift;

    sync_prepare(o->sync);
    for (int i = 0; i < n; i++)
        prepare(o, &v[i], b, size, &r[i]);
    warm_up(o, v, n, r, &state, estimate);
    started = MPI_Wtime();
    while (k < iterations) {
        turn(o, v, n, r, estimate, &state, t);
        record(r, n, t, k++);
        done(share_done(o, k, iterations, started));
        if (out_of_time(o, started))
            break;
    }
    drift = sync_drift(o->sync);
    for (int i = 0; i < n; i++) {
        r[i].n = k;
        r[i].drift = drift;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    reduce_times(r, n, p);
    for (int i = 0; i < n; i++)
        if (r[i].applicable) {
            summarize_result(o, &r[i]);
            if (v[i].how.took)
                v[i].how.took(&v[i].r, r[i].took, sizeof r[i].took);
            end(&v[i]);
        }
    for (int i = 0; i < n; i++)
        vary_end(&v[i].vary);
}

void results_free(result *r, int n)
{
    for (int i = 0; i < n; i++)
        for (int f = 0; f < PHASES; f++)
            free(r[i].times[f]);
}
