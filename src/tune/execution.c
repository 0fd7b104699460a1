/* SPDX-License-Identifier: BSD-3-Clause */
/* execution.c - see execution.h. */
#include "tune/execution.h"

#include "tune/uniform.h"

#include <stdlib.h>

/* What most of the time is the work of, or nothing has that much to do. */
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

static void free_some(sched **of, int n)
{
    for (int i = 0; of && i < n; i++)
        sched_free(of[i]);
    free(of);
}

/* who: NULL: ranks 0 to n - 1. */
static sched **compile_some(forecaster *q, const choice *c, const place *m, const int *who, int n)
{
    sched **of = calloc((size_t)n, sizeof(sched *));

    for (int i = 0; of && i < n; i++) {
        of[i] = look_compile(&q->asked, c, m, who ? who[i] : i);
        if (!of[i]) {
            free_some(of, i);
            return NULL;
        }
        q->intervals += of[i]->nintervals;
    }
    return of;
}

static bool execute_graph(forecaster *q, const place *m, sched **of, int n, const fold *f,
                          int64_t *time)
{
    stepgraph g = {0};
    estimate e;
    bool done = stepgraph_make(&g, of, n, f) &&
                estimate_find(&g, q->asked.count, q->asked.size, m->t, &q->executed, q->most, &e);

    if (done) {
        *time = e.time;
        q->bound = bound_of(&e);
        q->last = e;
        q->spent = e.longer ? (g.n + e.steps) / 2 : g.n;
    }
    stepgraph_free(&g);
    return done;
}

/* Of a vector that is cut into more parts than it has items some have no part. */
static bool has_all_parts(const forecaster *q, const choice *c, const place *m)
{
    return !algo_table[c->algo]->parts || !coll_is_vector(q->asked.kind) || q->asked.count >= m->p;
}

/* Are there ranks enough that others stand for? Of nodes that are not alike there often is
 * something that does not fit. */
static bool is_worth(const fold *f, int p)
{
    return f->n > 0 && (p % f->n == 0 || 2 * f->n <= p);
}

/* What does not fit is no work: that is found out before anything is executed. */
static bool execute_folded(forecaster *q, const choice *c, const place *m, int64_t steps,
                           int64_t *time)
{
    int64_t work = steps * m->fold.n;
    sched **of;
    bool done;

    if (!is_worth(&m->fold, m->p) || work > q->work || !has_all_parts(q, c, m))
        return false;
    of = compile_some(q, c, m, m->fold.who, m->fold.n);
    done =
        of && uniform_on(&q->asked, c, m, of) && execute_graph(q, m, of, m->fold.n, &m->fold, time);
    if (done)
        q->work -= q->last.longer ? q->spent : work;
    free_some(of, m->fold.n);
    return done;
}

static bool execute_all(forecaster *q, const choice *c, const place *m, int64_t steps,
                        int64_t *time)
{
    sched **of = steps * m->p <= q->work ? compile_some(q, c, m, NULL, m->p) : NULL;
    bool done = of && execute_graph(q, m, of, m->p, NULL, time);

    if (of)
        q->work -= done && q->last.longer ? q->spent : steps * m->p;
    free_some(of, m->p);
    return done;
}

bool execution_on(forecaster *q, const choice *c, const place *m, int64_t steps, int64_t *time)
{
    bool even = m == &q->whole && q->even.p > 0 && !algo_table[c->algo]->regional;

    if (q->shares_cores &&
        m == &q->whole) /* where others stand for ranks, cores are not given out */
        return execute_all(q, c, m, steps, time);
    if (even && execute_folded(q, c, &q->even, steps, time))
        return true;
    return execute_folded(q, c, m, steps, time) || execute_all(q, c, m, steps, time);
}

bool execution_to(forecaster *q, const choice *c, const place *m, int64_t steps, int64_t most,
                  int64_t *time)
{
    q->most = most;
    bool done = execution_on(q, c, m, steps, time);
    q->most = ESTIMATE_ALL;
    return done;
}

bool execution_of_sketch(forecaster *q, const choice *c, int i, int64_t most, estimate *e,
                         int64_t *steps)
{
    const place *m = &q->sketch.at[i];
    sched **of = compile_some(q, c, m, NULL, m->p);
    int64_t time;
    bool done;

    *steps = 0;
    for (int r = 0; of && r < m->p; r++)
        *steps += of[r]->nsteps;
    done = of && *steps <= most && execute_graph(q, m, of, m->p, NULL, &time);
    *e = q->last;
    free_some(of, m->p);
    return done;
}
