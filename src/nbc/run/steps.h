/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.h - run the steps of one exec: issue, finish, retire. The only file that posts messages;
 * open.h tests those that are open.
 *
 * Called with the engine's lock held. Nothing recurses: a step that retires puts its successors on
 * the exec's ready lists, messages before local work, and a loop issues them. The exec is complete
 * when none of its steps is left (exec.left).
 */
#ifndef TUTTI_STEPS_H
#define TUTTI_STEPS_H

#include "nbc/run/exec.h"

/* Reset the exec and issue what is ready. */
void steps_begin(exec *e);

/* Instead of steps_begin: there is no communicator to use; complete with this error. */
void steps_fail(exec *e, int error);

/* Test open messages and issue what they make ready. Returns how many have completed. */
int steps_poll(exec *e);

/* All that is left are open messages, at most EXEC_WAITALL, and the tail: wait for them in one
 * native call. */
void steps_wait(exec *e);

/* In SimGrid: some message is open; wait for one, and issue what it makes ready. */
void steps_wait_any(exec *e);

/* Is that so? */
static inline bool steps_only_messages(const exec *e)
{
    return e->run.left == e->run.nopen + (e->run.tail_waits > 0) && e->run.nopen <= EXEC_WAITALL &&
           !shm_waits(e->shm);
}

/* Its communicator has failed, with this error: end it, as far as messages let that are just being
 * received. Returns whether it is over. */
int steps_give_up(exec *e, int error);

/* Has this step of a running exec retired? */
bool steps_retired(const exec *e, int index);

#endif
