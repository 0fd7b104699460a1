/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.h - where non-blocking operations wait, in the order of their starts, for the first
 * handshake of their communicator, or for a window of tags.
 *
 * They use the windows below `split` of the first tag space in turn: an operation waits while its
 * window is still in use by one that is a whole round older.
 *
 * Engine lock held but where noted.
 */
#ifndef TUTTI_GATE_H
#define TUTTI_GATE_H

#include "nbc/comm/ticket.h"
#include "nbc/process/process.h"

#include <stdatomic.h>
#include <stddef.h>
#include <utlist.h>

typedef struct gate {
    comm_ticket *waiting;   /* those that wait, oldest first */
    comm_ticket *running;   /* those that have passed, oldest first */
    atomic_int shut;        /* reasons: the handshake is not over, operations without a schedule */
    bool preparing;         /* the first one that waits is given its schedule */
    int split;              /* windows that go round */
    int64_t next_operation; /* number of the next operation. Library lock */
    int next_window;        /* window of the next operation. Library lock */
} gate;

/* Is there something to go on with in comm_advance (first.h)? Callbacks run inside the native calls
 * that it makes: to them it must not look idle. */
typedef enum comm_work { COMM_IDLE, COMM_PENDING, COMM_ADVANCING } comm_work;
extern _Atomic(comm_work) comm_pending;

void comm_set_pending(void);

/* The number of an operation, in the order of the calls, and its window. No lock held. */
static inline void gate_number(gate *g, comm_ticket *t)
{
    process_lock();
    t->operation = g->next_operation++;
    t->window = g->next_window++;
    if (g->next_window == g->split)
        g->next_window = 0;
    process_unlock();
    t->tag_space = 0;
}

/* Is the oldest operation that runs so new that this one has a window of its own? */
static inline bool gate_has_window(const gate *g, const comm_ticket *t)
{
    return !g->running || t->operation - g->running->operation < g->split;
}

/* Is the gate closed for this operation? Then it waits. */
static inline bool gate_is_closed(gate *g, comm_ticket *t)
{
    bool closed = g->shut || g->waiting || !gate_has_window(g, t);

    if (closed)
        DL_APPEND(g->waiting, t);
    else
        DL_APPEND(g->running, t);
    if (closed && t->unprepared)
        comm_set_pending();
    return closed;
}

/* The operation waits at the gate, where it will come, until it has been prepared; or it never
 * comes. No lock held. */
void gate_hold(gate *g, comm_ticket *t);
void gate_release(gate *g, comm_ticket *t);

/* Has it come there, and is it the first one? */
static inline bool gate_is_unprepared(const gate *g)
{
    return g->waiting && g->waiting->unprepared;
}

/* Put what may begin at the end of a list by gate_next; returns the new end. */
comm_ticket **gate_open(gate *g, comm_ticket **end);

/* The operation has completed: its window is free. */
static inline void gate_leave(gate *g, comm_ticket *t)
{
    DL_DELETE(g->running, t);
    if (g->waiting)
        comm_set_pending();
}

#endif
