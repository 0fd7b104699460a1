/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.c - see trace.h. */
#include "nbc/process/trace.h"

#include "nbc/process/role.h"

#include <stdlib.h>
#include <string.h>

atomic_bool trace_active;

static trace_event *events;
static int64_t room;
static _Atomic int64_t taken;
static atomic_int threads;
static _Atomic uint64_t operations;
static _Thread_local int thread; /* its number, from 1 */

bool trace_start(int64_t wanted)
{
    size_t bytes = (size_t)wanted * sizeof *events;

    events = malloc(bytes);
    if (!events)
        return false;
    memset(events, 0, bytes); /* now: page faults would be seen in the times */
    room = wanted;
    atomic_store(&trace_active, true);
    return true;
}

void trace_stop(void)
{
    atomic_store(&trace_active, false);
}

void trace_free(void)
{
    free(events);
    events = NULL;
    room = 0;
}

/* Those beyond the last one share its row. */
static int my_thread(void)
{
    if (!thread)
        thread = atomic_fetch_add(&threads, 1) + 1;
    return thread <= TRACE_THREADS ? thread - 1 : TRACE_THREADS - 1;
}

trace_event *trace_add(trace_kind kind, uint64_t operation, const char *name)
{
    int64_t slot = atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
    trace_event *e;

    atomic_thread_fence(memory_order_acquire); /* after trace_is_on: the buffer is there */
    if (slot >= room)
        return NULL;
    e = &events[slot];
    e->at = trace_now();
    e->operation = operation;
    e->name = name;
    e->kind = (uint8_t)kind;
    e->role = (uint8_t)role_now;
    e->thread = (uint8_t)my_thread();
    return e;
}

void trace_span(uint64_t operation, const char *name, int64_t since)
{
    trace_event *e = trace_add(TRACE_SPAN, operation, name);

    if (!e)
        return;
    e->since = since;
    e->step = -1;
}

uint64_t trace_operation(void)
{
    return atomic_fetch_add_explicit(&operations, 1, memory_order_relaxed) + 1;
}

const trace_event *trace_events(int64_t *n, int64_t *dropped)
{
    int64_t all = atomic_load(&taken);

    *n = all < room ? all : room;
    *dropped = all - *n;
    return events;
}
