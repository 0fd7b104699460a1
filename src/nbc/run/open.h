/* SPDX-License-Identifier: BSD-3-Clause */
/* open.h - the open messages of one exec: posted and not complete. Test them, wait for them.
 *
 * Messages from one peer complete in order, or nearly. So only the oldest open message of each
 * (peer, direction), its queue, is tested: the probe. The others wait in a list after it. A poll
 * costs the number of peers with something open. Every SWEEP fruitless polls all open messages are
 * tested, so that nothing depends on that order.
 *
 * What has completed is in exec.finished, for steps.c. Engine lock held.
 */
#ifndef TUTTI_OPEN_H
#define TUTTI_OPEN_H

#include "nbc/run/exec.h"

/* The message of this step has been posted: it is its queue's probe, or waits after the tail. Of a
 * flat schedule it is a probe: nothing clears the queues between its starts. */
void open_add(exec *e, int index);

/* Test; returns how many have completed. */
int open_poll(exec *e);

/* Wait for all of them, at most EXEC_WAITALL, in one native call. Returns how many there were; 0:
 * all have completed without an error, and nothing comes after them. */
int open_wait(exec *e);

/* ---- for open_simulated.c ---- */

/* The head of probe i has completed: the next of its queue becomes the probe, or the last probe
 * moves there. */
void open_next(exec *e, int i);

/* The message after `before`, another one of its queue, has completed. */
void open_drop_behind(exec *e, int queue, int before);

/* Give up all that are open, for good: receives are cancelled; sends are not waited for, because
 * who would receive may have given up, too. False: some are just being received. */
bool open_give_up(exec *e);

#endif
