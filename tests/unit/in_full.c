/* SPDX-License-Identifier: BSD-3-Clause */
/* in_full.c - see in_full.h. */
#include "unit/in_full.h"

#include "sim/machine.h"
#include "tune/estimate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MOST = 512 };

topo *ranks_on(const char *shape, int p)
{
    return shape ? machine(shape, p) : NULL;
}

int64_t all_of(coll_kind kind, int p, int64_t bytes)
{
    return coll_is_vector(kind) ? bytes : bytes * p;
}

forecast_call call_on(coll_kind kind, int p, const topo *t, int64_t bytes)
{
    return (forecast_call){.kind = kind,
                           .p = p,
                           .bytes = all_of(kind, p, bytes),
                           .t = t,
                           .k = constants_builtin("fast")};
}

static sched *compiled(const choice *c, coll_kind kind, int p, int rank, const topo *t)
{
    const algo *a = algo_table[c->algo];
    coll call = {.kind = kind,
                 .p = p,
                 .rank = rank,
                 .parameter = algo_parameter_for(a, c->parameter, p),
                 .variant = c->variant,
                 .order = c->order,
                 .send = {.count = 1},
                 .recv = {.count = 1}};
    sched *s;

    assert_int_equal(algo_compile(a, c->form, &call, t, &s), SCHED_OK);
    return s;
}

int64_t executed(const choice *c, coll_kind kind, int p, const topo *t, const fold *f,
                 int64_t bytes)
{
    sched *of[MOST] = {NULL};
    int n = f ? f->n : p;
    stepgraph g;
    estimate e = {.time = -1};
    int64_t size = coll_has(kind, COLL_REDUCES) ? 8 : 1;

    if (kind == COLL_barrier)
        bytes = 0;
    for (int i = 0; i < n; i++)
        of[i] = compiled(c, kind, p, f ? f->who[i] : i, t);
    if (stepgraph_make(&g, of, n, f)) {
        if (!estimate_find(&g, bytes / size, size, t, constants_builtin("fast"), ESTIMATE_ALL, &e))
            e.time = -1;
        stepgraph_free(&g);
    }
    for (int i = 0; i < n; i++)
        sched_free(of[i]);
    return e.time;
}

int64_t in_full(const choice *c, coll_kind kind, int p, const topo *t, int64_t bytes)
{
    return executed(c, kind, p, t, NULL, bytes);
}
