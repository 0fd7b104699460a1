/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - what the engine records of an exec, for TUTTI_TRACE. Engine lock held, but for
 * record_begin and record_wait. Without the variable nothing but a look at a flag.
 */
#ifndef TUTTI_RECORD_H
#define TUTTI_RECORD_H

#include "nbc/process/trace.h"
#include "nbc/run/exec.h"

void record_operation_begin(exec *e);
void record_operation_end(const exec *e);
void record_message_post(const exec *e, int index, bool shm);
void record_message_done(const exec *e, int index, bool shm);
void record_local_step(const exec *e, const step *st, int64_t since);

/* It is started, and it is done: before that is reported. */
static inline void record_begin(exec *e)
{
    if (trace_is_on())
        record_operation_begin(e);
}

static inline void record_end(const exec *e)
{
    if (trace_is_on())
        record_operation_end(e);
}

/* A message is about to be posted, or has come or gone. shm: through shared memory. */
static inline void record_post(const exec *e, int index, bool shm)
{
    if (trace_is_on())
        record_message_post(e, index, shm);
}

static inline void record_done(const exec *e, int index, bool shm)
{
    if (trace_is_on())
        record_message_done(e, index, shm);
}

/* When something begins that may be recorded: 0, if it will not be. */
static inline int64_t record_now(void)
{
    return trace_is_on() ? trace_now() : 0;
}

/* A copy or reduction is done, since then. */
static inline void record_local(const exec *e, const step *st, int64_t since)
{
    if (since)
        record_local_step(e, st, since);
}

/* A wait is over: of an exec, or of several, NULL. */
static inline void record_wait(const exec *e, const char *name, int64_t since)
{
    if (since)
        trace_span(e ? e->stats.number : 0, name, since);
}

#endif
