/* SPDX-License-Identifier: BSD-3-Clause */
/* first.h - the first handshake of a communicator (comm.h), and what waits for it. */
#ifndef TUTTI_FIRST_H
#define TUTTI_FIRST_H

#include "nbc/comm/comm.h"

/* ---- for calls ---- */

/* Begin the handshake, if nobody has: after all arguments have been checked, because it is
 * collective. caller: the name of the call. May it block? Then it is over on return. Else it blocks
 * only where comm_prepared says so. An error also if it has failed before. */
int comm_begin_slowly(comm *c, const char *caller, bool may_block);

static inline int comm_begin(comm *c, const char *caller, bool may_block)
{
    if (atomic_load_explicit(&c->ready, memory_order_acquire) && !c->failure && !c->no_context_id)
        return MPI_SUCCESS;
    return comm_begin_slowly(c, caller, may_block);
}

/* Would comm_begin return at once in every call from now on? The same on all ranks. */
bool comm_prepared(comm *c);

/* Wait until the communicator is ready, if it has been begun; advances. Returns its error. */
int comm_wait_ready(comm *c);

/* comm_begin, which may block, and comm_wait_ready. Collective the first time. */
static inline int comm_make_ready(comm *c, const char *caller)
{
    int error = comm_begin(c, caller, true);

    return error ? error : comm_wait_ready(c);
}

/* ---- for the engine, its lock held ---- */

/* Complete pending handshakes and open gates. Returns how many communicators became ready;
 * admitted: what may begin now, in the order of the starts, by gate_next. */
int comm_advance(comm_ticket **admitted);

/* Do not go on with handshakes that are under way. */
void comm_abandon(void);

/* All that wait at a gate. */
void comm_visit_gated(void (*visit)(comm_ticket *t));

#endif
