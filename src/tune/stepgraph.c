/* SPDX-License-Identifier: BSD-3-Clause */
/* stepgraph.c - see stepgraph.h. */
#include "tune/stepgraph.h"

#include "tune/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct end {
    int from, to; /* `from` twice, and one more if it goes to another node */
    int step;
} end;

static end end_of(const stepgraph *g, int i)
{
    const step *s = stepgraph_step(g, i);
    int me = g->rank[i], other = s->peer, far = 0;

    if (g->fold) {
        far = fold_is_far(g->fold, stepgraph_who(g, me), other);
        other = g->fold->of[other];
    }
    return s->kind == STEP_SEND ? (end){2 * me + far, other, i} : (end){2 * other + far, me, i};
}

static int list_ends(const stepgraph *g, step_kind kind, end *list)
{
    int n = 0;

    for (int i = 0; i < g->n; i++)
        if (stepgraph_step(g, i)->kind == kind)
            list[n++] = end_of(g, i);
    return n;
}

/* Counting sort, stable. at: [keys + 1]. */
static void sort(const end *list, end *sorted, int n, bool by_from, int *at, int keys)
{
    memset(at, 0, ((size_t)keys + 1) * sizeof *at);
    for (int i = 0; i < n; i++)
        at[1 + (by_from ? list[i].from : list[i].to)]++;
    for (int k = 0; k < keys; k++)
        at[k + 1] += at[k];
    for (int i = 0; i < n; i++)
        sorted[at[by_from ? list[i].from : list[i].to]++] = list[i];
}

static void sort_ends(const stepgraph *g, end *list, end *spare, int n, int *at)
{
    sort(list, spare, n, false, at, g->p);
    sort(spare, list, n, true, at, 2 * g->p);
}

static int64_t length_of_step(const stepgraph *g, int i)
{
    const step *s = stepgraph_step(g, i);
    int64_t sum = 0;

    for (int k = 0; k < s->n; k++)
        sum += (int64_t)g->of[g->rank[i]]->list[s->first + k].length;
    return sum;
}

/* Tokens have none, whatever their ends name. */
static bool same_length(const stepgraph *g, int i, int k)
{
    const sched *s = g->of[g->rank[i]];

    return s->extent[SPACE_SEND] + s->extent[SPACE_RECV] == 0 ||
           length_of_step(g, i) == length_of_step(g, k);
}

static bool join(stepgraph *g, const end *send, const end *receive)
{
    if (send->from != receive->from || send->to != receive->to ||
        (g->fold && !same_length(g, send->step, receive->step)))
        return false;
    g->peer[send->step] = receive->step;
    g->peer[receive->step] = send->step;
    return true;
}

static bool match(stepgraph *g)
{
    size_t room = (size_t)g->n + 1;
    end *sends = tune_allocated(malloc(3 * room * sizeof *sends)), *receives = sends + room;
    int *at = tune_allocated(malloc((2 * (size_t)g->p + 1) * sizeof *at)), n;
    bool joined = false;

    if (sends && at) {
        n = list_ends(g, STEP_SEND, sends);
        joined = list_ends(g, STEP_RECV, receives) == n;
        sort_ends(g, sends, receives + room, n, at);
        if (joined)
            sort_ends(g, receives, receives + room, n, at);
        for (int i = 0; joined && i < n; i++)
            joined = join(g, &sends[i], &receives[i]);
    }
    free(at);
    free(sends);
    return joined;
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

bool stepgraph_make(stepgraph *g, sched *const of[], int p, const fold *fold)
{
    size_t n = 0;

    for (int r = 0; r < p; r++)
        n += (size_t)of[r]->nsteps;
    if (n > INT_MAX / 4)
        return false;
    *g = (stepgraph){.of = of, .fold = fold, .p = p, .n = (int)n};
    g->base = tune_allocated(malloc(((size_t)p + 1 + 2 * n) * sizeof *g->base));
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
