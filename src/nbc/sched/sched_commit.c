/* SPDX-License-Identifier: BSD-3-Clause */
/* sched_commit.c - make what has been emitted a compact read-only schedule: one pass of deps_derive
 * and one counting sort of the edges by predecessor.
 */
#include "nbc/sched/sched_builder.h"

#include <stdlib.h>
#include <string.h>

/* The arrays of a sched follow it in one block; each part is a multiple of 8 bytes but the
 * int32_t ones, which come last. */
static sched *sched_alloc(const sched_builder *b, int nedges)
{
    size_t n = (size_t)b->nsteps;
    sched *s = malloc(sched_memory(&(sched){
        .nsteps = b->nsteps, .nintervals = b->nintervals, .nrooms = b->nrooms, .nedges = nedges}));

    if (!s)
        return NULL;
    interval *list = (interval *)(s + 1);
    int64_t *room = (int64_t *)(list + b->nintervals);
    step *steps = (step *)(room + b->nrooms);
    int32_t *words = (int32_t *)(steps + n);
    if (b->nintervals)
        memcpy(list, b->list, (size_t)b->nintervals * sizeof *list);
    if (n)
        memcpy(steps, b->steps, n * sizeof *steps);
    *s = (sched){.nsteps = b->nsteps,
                 .nmessages = b->nmessages,
                 .nqueues = b->nqueues,
                 .nintervals = b->nintervals,
                 .nrooms = b->nrooms,
                 .room = room,
                 .nedges = nedges,
                 .nphases = b->nphases,
                 .parts = b->parts,
                 .packs = b->packs,
                 .steps = steps,
                 .list = list,
                 .ndeps = words,
                 .succ_at = words + n,
                 .ready = words + 2 * n + 1,
                 .succ = words + 3 * n + 1};
    if (b->nrooms)
        memcpy(room, b->room, (size_t)b->nrooms * sizeof *room);
    memcpy(s->extent, b->extent, sizeof s->extent);
    memcpy(s->phase, b->phase, sizeof s->phase);
    return s;
}

size_t sched_memory(const sched *s)
{
    return sizeof *s + (size_t)s->nintervals * sizeof(interval) + (size_t)s->nsteps * sizeof(step) +
           (size_t)s->nrooms * sizeof(int64_t) +
           (3 * (size_t)s->nsteps + 1 + (size_t)s->nedges) * sizeof(int32_t);
}

static void fill_edges(sched *s, const edges *e)
{
    int32_t *ndeps = (int32_t *)s->ndeps, *at = (int32_t *)s->succ_at, *succ = (int32_t *)s->succ;

    memset(ndeps, 0, (size_t)s->nsteps * sizeof *ndeps);
    memset(at, 0, ((size_t)s->nsteps + 1) * sizeof *at);
    for (int i = 0; i < e->n; i++) {
        ndeps[e->at[i].to]++;
        at[e->at[i].from]++;
    }
    for (int i = 0, sum = 0; i <= s->nsteps; i++) {
        sum += at[i];
        at[i] = sum; /* the end of i's range: filled backwards below, it becomes the start */
    }
    for (int i = e->n - 1; i >= 0; i--)
        succ[--at[e->at[i].from]] = e->at[i].to;
}

/* The only step that is not ready, if it is local. */
static int find_tail(const sched *s)
{
    for (int i = s->nsteps - 1; i >= 0 && s->nready == s->nsteps - 1; i--)
        if (s->ndeps[i] > 0)
            return step_is_message(&s->steps[i]) ? -1 : i;
    return -1;
}

static bool is_flat(const sched *s)
{
    for (int k = 0; k < s->nready; k++)
        if (s->steps[s->ready[k]].kind == STEP_REDUCE)
            return false;
    return s->nready + (s->tail >= 0) == s->nsteps && s->nqueues == s->nmessages;
}

/* Receives first, so that they are posted when the peers' messages come; local work last, so that
 * it runs while the messages travel. */
static void fill_ready(sched *s)
{
    int32_t *ready = (int32_t *)s->ready;
    int n = 0;

    for (int round = 0; round < 3; round++)
        for (int i = 0; i < s->nsteps; i++) {
            int kind = s->steps[i].kind;
            int turn = kind == STEP_RECV ? 0 : kind == STEP_SEND ? 1 : 2;
            if (turn == round && s->ndeps[i] == 0)
                ready[n++] = i;
        }
    s->nready = n;
    s->tail = find_tail(s);
    s->flat = is_flat(s);
}

static void builder_free(sched_builder *b)
{
    for (loan *l = b->loans, *next; l; l = next) {
        next = l->next;
        free(l);
    }
    free(b->throttled[0].at);
    free(b->throttled[1].at);
    free(b->order.at);
    free(b->queues.at);
    free(b->queues.sent);
    free(b->room);
    free(b->list);
    free(b->steps);
    free(b);
}

sched_error sched_commit(sched_builder *b, sched **result)
{
    edges e = {0};
    sched *s = NULL;
    sched_error error;

    if (b->open)
        sched_fail(b, SCHED_BAD_STEP);
    error = b->error ? b->error : deps_derive(b, &e);
    if (error)
        goto out;
    s = sched_alloc(b, e.n);
    if (!s) {
        error = SCHED_NO_MEMORY;
        goto out;
    }
    fill_edges(s, &e);
    fill_ready(s);
    *result = s;
out:
    free(e.at);
    builder_free(b);
    return error;
}

void sched_free(sched *s)
{
    free(s);
}
