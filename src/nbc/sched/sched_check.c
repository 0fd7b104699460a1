/* SPDX-License-Identifier: BSD-3-Clause */
/* sched_check.c - the invariants of a schedule, checked by brute force.
 *
 * Knows nothing of how sched_deps.c finds dependencies: computes who is reachable from whom, then
 * compares every pair of steps, interval by interval.
 */
#include "nbc/sched/sched.h"

#include <stdlib.h>
#include <string.h>

static const char *check_step(const sched *s, const step *st)
{
    if (st->kind > STEP_FENCE || st->first < 0 || st->n < 0 || st->first + st->n > s->nintervals)
        return "a step is malformed";
    if ((st->kind == STEP_COPY || st->kind == STEP_REDUCE) && st->n != 2)
        return "a local step needs two intervals";
    if (step_is_message(st) &&
        (st->n < 1 || st->message < 0 || st->message >= s->nmessages || st->queue < 0 ||
         st->queue >= s->nqueues || st->tag >= SCHED_WINDOW || st->peer < 0))
        return "a message is malformed";
    for (int i = 0; i < st->n; i++) {
        interval v = s->list[st->first + i];
        if (v.offset < 0 || v.length == 0 || v.space >= SPACES ||
            interval_end(v) > s->extent[v.space])
            return "an interval is outside its space";
        if (v.space == SPACE_SEND && step_writes(st, i))
            return "a step writes to the send buffer";
    }
    if ((st->kind == STEP_COPY || st->kind == STEP_REDUCE) &&
        interval_overlap(s->list[st->first], s->list[st->first + 1]))
        return "the ends of a local step overlap";
    return NULL;
}

static const char *check_graph(const sched *s, int32_t *indegree)
{
    for (int i = 0; i < s->nsteps; i++)
        for (int k = s->succ_at[i]; k < s->succ_at[i + 1]; k++) {
            if (s->succ[k] <= i || s->succ[k] >= s->nsteps)
                return "a dependency does not follow the program order";
            indegree[s->succ[k]]++;
        }
    if (s->succ_at[0] != 0 || s->succ_at[s->nsteps] != s->nedges)
        return "the successor lists are incomplete";
    if (memcmp(indegree, s->ndeps, (size_t)s->nsteps * sizeof *indegree) != 0)
        return "a dependency count differs from the edges";

    int nready = 0;
    for (int i = 0; i < s->nsteps; i++)
        nready += s->ndeps[i] == 0;
    return nready == s->nready ? NULL : "the list of ready steps is incomplete";
}

/* Does one of a's intervals that it writes meet one of b's, or the other way round? */
static bool conflict(const sched *s, const step *a, const step *b)
{
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < b->n; k++) {
            interval x = s->list[a->first + i], y = s->list[b->first + k];
            if ((step_writes(a, i) || step_writes(b, k)) && interval_overlap(x, y))
                return true;
        }
    return false;
}

static bool same_tag(const step *a, const step *b)
{
    return step_is_message(a) && step_is_message(b) && a->queue == b->queue && a->tag == b->tag;
}

/* Row j of `before` holds a bit for each step that is ordered before step j. */
static const char *check_order(const sched *s, uint64_t *before, size_t words)
{
    for (int i = 0; i < s->nsteps; i++)
        for (int k = s->succ_at[i]; k < s->succ_at[i + 1]; k++) {
            uint64_t *row = before + (size_t)s->succ[k] * words;
            for (size_t w = 0; w < words; w++)
                row[w] |= before[(size_t)i * words + w];
            row[i / 64] |= 1ull << (i % 64);
        }
    for (int j = 0; j < s->nsteps; j++)
        for (int i = 0; i < j; i++) {
            const step *a = &s->steps[i], *b = &s->steps[j];
            if (before[(size_t)j * words + (size_t)i / 64] >> (i % 64) & 1)
                continue;
            if (a->kind == STEP_FENCE || b->kind == STEP_FENCE)
                return "a step is not ordered with a fence";
            if (same_tag(a, b))
                return "two messages with equal tags are not ordered";
            if (conflict(s, a, b))
                return "two steps that are not ordered touch the same bytes";
        }
    return NULL;
}

const char *sched_check(const sched *s)
{
    size_t n = (size_t)s->nsteps, words = n / 64 + 1;
    int32_t *indegree = calloc(n + 1, sizeof *indegree);
    uint64_t *before = calloc(n * words + 1, sizeof *before);
    const char *wrong = NULL;

    if (!indegree || !before)
        wrong = "out of memory";
    for (int i = 0; i < s->nsteps && !wrong; i++)
        wrong = check_step(s, &s->steps[i]);
    if (!wrong)
        wrong = check_graph(s, indegree);
    if (!wrong)
        wrong = check_order(s, before, words);
    free(before);
    free(indegree);
    return wrong;
}
