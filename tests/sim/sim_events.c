/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_events.c - what may happen next in the simulator, what follows from a step that is done, and
 * chance. See sim_inside.h.
 */
#include "sim/must.h"
#include "sim/sim_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t sim_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void sim_push(sim *m, sim_event e)
{
    if (m->nevents == m->cap) {
        m->cap = m->cap ? 2 * m->cap : 256;
        m->events = sim_must(realloc(m->events, (size_t)m->cap * sizeof *m->events));
    }
    m->events[m->nevents++] = e;
}

void sim_fail(sim *m, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(m->r->error, sizeof m->r->error, format, list);
    va_end(list);
}

void sim_count_open(sim *m, int rank, step_kind kind, int by)
{
    int *open = &m->state[rank].open[kind == STEP_RECV], *most = &m->r->max_open[kind == STEP_RECV];

    *open += by;
    if (*open > *most)
        *most = *open;
}

void sim_retire(sim *m, int rank, int index)
{
    const sched *s = m->ranks[rank].sched;
    sim_state *t = &m->state[rank];

    t->done++;
    if (step_is_message(&s->steps[index]) && !sim_is_empty(m, rank, &s->steps[index]))
        sim_count_open(m, rank, (step_kind)s->steps[index].kind, -1);
    if (t->depth[index] > m->r->critical_path)
        m->r->critical_path = t->depth[index];
    for (int k = s->succ_at[index]; k < s->succ_at[index + 1]; k++) {
        int next = s->succ[k];
        if (t->depth[index] > t->depth[next])
            t->depth[next] = t->depth[index];
        if (--t->waiting[next] == 0)
            sim_push(m, (sim_event){.kind = EVENT_ISSUE, .rank = rank, .step = next});
    }
}
