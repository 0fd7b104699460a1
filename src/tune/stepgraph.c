/* stepgraph.c - see stepgraph.h. */
#include "tune/stepgraph.h"

#include <limits.h>
#include <stdlib.h>

typedef struct end {
    int from, to, step;
} end;

static int compare(const void *left, const void *right)
{
    const end *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

static int list_ends(const stepgraph *g, step_kind kind, end *list)
{
    int n = 0;

    for (int i = 0; i < g->n; i++) {
        const step *s = stepgraph_step(g, i);
        int me = g->rank[i];
        if (s->kind == kind)
            list[n++] = kind == STEP_SEND ? (end){me, s->peer, i} : (end){s->peer, me, i};
    }
    qsort(list, (size_t)n, sizeof *list, compare);
    return n;
}

static bool match(stepgraph *g)
{
    end *sends = malloc(2 * ((size_t)g->n + 1) * sizeof *sends), *receives = sends + g->n + 1;
    int n;

    if (!sends)
        return false;
    n = list_ends(g, STEP_SEND, sends);
    list_ends(g, STEP_RECV, receives);
    for (int i = 0; i < n; i++) {
        g->peer[sends[i].step] = receives[i].step;
        g->peer[receives[i].step] = sends[i].step;
    }
    free(sends);
    return true;
}

static void number_steps(stepgraph *g)
{
    int i = 0;

    for (int r = 0; r < g->p; r++) {
        g->base[r] = i;
        for (int end = i + g->of[r]->nsteps; i < end; i++) {
            g->rank[i] = r;
            g->peer[i] = -1;
        }
    }
    g->base[g->p] = i;
}

bool stepgraph_make(stepgraph *g, sched *const of[], int p)
{
    size_t n = 0;

    for (int r = 0; r < p; r++)
        n += (size_t)of[r]->nsteps;
    if (n > INT_MAX / 2)
        return false;
    *g = (stepgraph){.of = of, .p = p, .n = (int)n};
    g->base = malloc(((size_t)p + 1 + 2 * n) * sizeof *g->base);
    if (!g->base)
        return false;
    g->rank = g->base + p + 1;
    g->peer = g->rank + n;
    number_steps(g);
    if (match(g))
        return true;
    stepgraph_free(g);
    return false;
}

void stepgraph_free(stepgraph *g)
{
    free(g->base);
    *g = (stepgraph){0};
}
