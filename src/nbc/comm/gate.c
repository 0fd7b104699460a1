/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.c - see gate.h. */
#include "nbc/comm/gate.h"

#include "nbc/process/waker.h"

_Atomic(comm_work) comm_pending;

/* The thread may have fallen asleep while somebody was at it. */
void comm_set_pending(void)
{
    atomic_store(&comm_pending, COMM_PENDING);
    waker_wake(false);
}

void gate_hold(gate *g, comm_ticket *t)
{
    t->unprepared = true;
    atomic_fetch_add(&g->shut, 1);
}

void gate_release(gate *g, comm_ticket *t)
{
    t->unprepared = false;
    atomic_fetch_sub(&g->shut, 1);
    comm_set_pending();
}

comm_ticket **gate_open(gate *g, comm_ticket **end)
{
    while (g->waiting && !g->waiting->unprepared && gate_has_window(g, g->waiting)) {
        comm_ticket *t = g->waiting;
        DL_DELETE(g->waiting, t);
        DL_APPEND(g->running, t);
        t->gate_next = NULL;
        *end = t;
        end = &t->gate_next;
    }
    return end;
}
