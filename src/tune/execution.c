/* SPDX-License-Identifier: BSD-3-Clause */
/* execution.c - see execution.h. */
#include "tune/execution.h"

#include "tune/fold_check.h"
#include "tune/memory.h"

#include <stdlib.h>

typedef struct crew {
    sched **of; /* [n], or NULL */
    int n;
    int64_t steps;
} crew;

static void crew_free(crew *w)
{
    for (int i = 0; w->of && i < w->n; i++)
        sched_free(w->of[i]);
    free(w->of);
}

/* who: NULL: ranks 0 to n - 1. False: they have more steps than `most`, or one cannot be compiled,
 * or there is no memory; to be freed anyway. */
static bool crew_compile(crew *w, const execution *x, const choice *c, const machine_model *m,
                         const int *who, int n, int64_t most)
{
    *w = (crew){.of = tune_allocated(calloc((size_t)n, sizeof *w->of))};
    for (; w->of && w->n < n && w->steps <= most; w->steps += w->of[w->n++]->nsteps)
        if (!(w->of[w->n] = modeled_call_compile(x->call, c, m, who ? who[w->n] : w->n)))
            return false;
    return w->of && w->steps <= most;
}

static bool execute(const execution *x, const machine_model *m, const crew *w, const fold *f,
                    int64_t *work, estimate *e)
{
    stepgraph g = {0};
    bool done = stepgraph_make(&g, w->of, w->n, f) &&
                estimate_find(&g, x->call->count, x->call->size, m->t, x->k, x->most, e);

    if (done)
        *work -= e->longer ? (g.n + e->steps) / 2 : g.n;
    stepgraph_free(&g);
    return done;
}

/* If a vector is cut into more parts than it has items, some ranks have no part. */
static bool has_all_parts(const modeled_call *q, const choice *c, const machine_model *m)
{
    return !algo_table[c->algo]->parts || !coll_is_vector(q->kind) || q->count >= m->p;
}

/* Are there ranks enough that others stand for? Of nodes that differ there often is
 * something that does not fit. */
static bool is_worth(const fold *f, int p)
{
    return f->n > 0 && (p % f->n == 0 || 2 * f->n <= p);
}

/* Whether the fold holds is found out before anything is executed. */
static bool execute_folded(const execution *x, const choice *c, const machine_model *m,
                           int64_t *work, estimate *e)
{
    crew w;
    bool done;

    if (!is_worth(&m->fold, m->p) || !has_all_parts(x->call, c, m))
        return false;
    done = crew_compile(&w, x, c, m, m->fold.who, m->fold.n, *work) &&
           fold_holds(x->call, c, m, w.of) && execute(x, m, &w, &m->fold, work, e);
    crew_free(&w);
    return done;
}

bool execution_on(const execution *x, const choice *c, const machine_model *m, int64_t *work,
                  estimate *e)
{
    crew w;
    bool done;

    if (!x->all && execute_folded(x, c, m, work, e))
        return true;
    done = crew_compile(&w, x, c, m, NULL, m->p, *work) && execute(x, m, &w, NULL, work, e);
    crew_free(&w);
    return done;
}
