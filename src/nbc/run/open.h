/* open.h - the open messages of one exec: posted and not complete. Test them, wait for them.
 *
 * Messages from one peer complete in order, or nearly. So only the oldest open message of each
 * (peer, direction), its queue, is tested: the probe. The others wait in a list behind it. A poll
 * costs the number of peers with something open. Every SWEEP fruitless polls all open messages are
 * tested, so that nothing depends on that order.
 *
 * What completes goes to steps_finish. Called with the engine's lock held, by steps.c only.
 */
#ifndef TUTTI_OPEN_H
#define TUTTI_OPEN_H

#include "nbc/run/exec.h"

/* The message of this step has been posted: it is its queue's probe, or waits behind the tail. */
void open_add(exec *e, int index);

/* Test; returns how many have completed. */
int open_poll(exec *e);

/* Wait for all of them, at most EXEC_WAITALL, in one native call. */
void open_wait(exec *e);

/* ---- for open_simulated.c ---- */

/* The head of probe i has completed: the next of its queue takes its place, or the last probe. */
void open_next(exec *e, int i);

/* The message behind `before`, another one of its queue, has completed. */
void open_drop_behind(exec *e, int queue, int before);

#ifdef TUTTI_SIMULATED
/* Some message is open: wait until one completes. */
void open_wait_any(exec *e);

/* In SimGrid a message costs real time that grows with the receives its rank has posted. So only
 * the oldest few of a queue are: open_hold says whether this one has to wait, open_release which
 * one is next when one of the queue has completed (-1: none). Simulated times stay the same: what
 * arrives meanwhile is complete when its receive is posted; only above the eager limit, where a
 * transfer begins with the receive, they may differ a little. A ring of 576 ranks takes 12 s
 * instead of 18.
 *
 * It cannot block what does not block when all steps are executed one by one in the order of the
 * program, if the receives of a queue become ready in that order: then the first receive of a rank
 * that is not complete is the oldest of its queue, and so is posted. Tried with one posted receive
 * in place of 16: bench/sim/verify, and all algorithms on 2 to 28 ranks, end with the right data.
 */
bool open_hold(exec *e, int index);
int open_release(exec *e, int queue);

/* SimGrid's MPI_Waitall takes time that grows with the square of n. */
int open_waitall(int n, MPI_Request *requests);
#endif

#endif
