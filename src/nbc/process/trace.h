/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.h - TUTTI_TRACE: what this process has done, in memory until MPI_Finalize.
 *
 * Events are written into a buffer that is allocated once; what comes when it is full is counted.
 * So the first ones are kept, and the second of a pair never without the first. Any thread may
 * write: a slot is taken by one atomic addition. Read when nobody writes any more.
 *
 * Off, `trace_active` is false for ever, and all that it costs is to look at it.
 */
#ifndef TUTTI_TRACE_H
#define TUTTI_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef enum trace_kind {
    TRACE_BEGIN, /* of an operation: it starts */
    TRACE_END,   /* of an operation: it ends, with the same number */
    TRACE_POST,  /* of a message: it is posted */
    TRACE_DONE,  /* of a message: it is done, in the same operation and step */
    TRACE_SPAN   /* a copy, a reduction, a wait: from `since` to `at` in one thread */
} trace_kind;

enum { TRACE_EVENTS = 1 << 16, TRACE_THREADS = 64 };

/* Nanoseconds of CLOCK_MONOTONIC. */
typedef struct trace_event {
    int64_t at, since;
    uint64_t operation; /* number in this process, from 1; 0: of none */
    const char *name;   /* static */
    const char *detail; /* BEGIN, END: the algorithm, static; else NULL */
    int64_t bytes;      /* of a message, a copy, a reduction; BEGIN, END: of the send buffer */
    int64_t received;   /* BEGIN, END: of the receive buffer; -1: not known */
    int32_t step, peer; /* a wait has the step -1; END: the error, in peer */
    int32_t comm, size, rank; /* BEGIN: the number of the communicator here; its size; my rank */
    uint8_t kind;             /* trace_kind */
    uint8_t role;             /* who has recorded it: role.h */
    uint8_t thread;           /* number of the thread, in the order of their first events */
    bool shm;                 /* through shared memory */
    bool persistent;          /* BEGIN */
} trace_event;

extern atomic_bool trace_active;

static inline bool trace_is_on(void)
{
    return atomic_load_explicit(&trace_active, memory_order_relaxed);
}

static inline int64_t trace_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Begin, with room for so many. False: out of memory. */
bool trace_start(int64_t events);
void trace_stop(void); /* other threads may be at it: what there is stays until trace_free */
void trace_free(void); /* nobody writes any more */

/* A new one, with its time, thread and role; NULL: there is no room. */
trace_event *trace_add(trace_kind kind, uint64_t operation, const char *name);

/* A span that ends now. */
void trace_span(uint64_t operation, const char *name, int64_t since);

/* A number for an operation. */
uint64_t trace_operation(void);

/* What there is, when nobody writes any more. */
const trace_event *trace_events(int64_t *n, int64_t *dropped);

#endif
