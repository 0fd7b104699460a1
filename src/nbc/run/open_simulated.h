/* SPDX-License-Identifier: BSD-3-Clause */
/* open_simulated.h - open messages in SimGrid (-DTUTTI_SIMULATED=ON; process/simulated.h): native
 * waits, because polling would take simulated time, and much real time.
 *
 * A message costs real time that grows with the receives its rank has posted. So only the oldest
 * few of a queue are: open_hold says whether this one has to wait, open_release which one is next
 * when one of the queue has completed. Simulated times stay the same: what arrives meanwhile is
 * complete when its receive is posted; only above the eager limit, where a transfer begins with the
 * receive, they may differ a little. A ring of 576 ranks takes 12 s instead of 18.
 *
 * It cannot block what does not block when all steps are executed one by one in the order of the
 * program, if the receives of a queue become ready in that order: then the first receive of a rank
 * that is not complete is the oldest of its queue, and so is posted. Tried with one posted receive
 * in place of 16: bench/sim/verify, and all algorithms on 2 to 28 ranks, end with the right data.
 */
#ifndef TUTTI_OPEN_SIMULATED_H
#define TUTTI_OPEN_SIMULATED_H

#include "nbc/run/open.h"

#ifdef TUTTI_SIMULATED

/* Does the message of this step have to wait? */
bool open_hold(exec *e, int index);

/* One of the queue has completed: which is next? -1: none. */
int open_release(exec *e, int queue);

/* Some message is open: wait until one completes. It is exec.finished[0]. */
void open_wait_any(exec *e);

#else

static inline bool open_hold(exec *e, int index)
{
    (void)e, (void)index;
    return false;
}

static inline int open_release(exec *e, int queue)
{
    (void)e, (void)queue;
    return -1;
}

static inline void open_wait_any(exec *e)
{
    (void)e;
}

#endif
#endif
