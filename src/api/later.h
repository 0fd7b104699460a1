/* SPDX-License-Identifier: BSD-3-Clause */
/* later.h - a non-blocking call that cannot be compiled yet.
 *
 * Which schedule it gets depends on where the ranks are, and on a new communicator they have not
 * exchanged that yet; or on lengths at other ranks. The call must not wait for that. So it keeps
 * what it was called with: types held, counts copied; the engine has the schedule made when the
 * communicator is ready, or a size exchange's first and then the call's.
 */
#ifndef TUTTI_LATER_H
#define TUTTI_LATER_H

#include "api/choose.h"
#include "api/size_exchange.h"

/* What is kept. Without the arrays of the arguments; the key is without algorithm. */
typedef struct later_call {
    call what; /* types not held */
    binding b;
    plan_key *key;
    size_t key_size;
    selection selection;
    size_exchange *size_exchange; /* that runs, or has run */
    bool asks;                    /* the schedule that has been made is one of it */
} later_call;

/* Make the schedule of the call, or that of its size exchange, and bind it to the exec; given by
 * call.c. Called again when that has run. */
typedef int later_make(exec *e, later_call *call);

/* An exec that will be prepared. */
int later_exec(const call *c, later_make *make, exec **result);

/* It will not be started. */
void later_forget(exec *e);

#endif
