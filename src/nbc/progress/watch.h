/* watch.h - TUTTI_TIMEOUT: tell of operations that do not complete.
 *
 * An operation is reported once per start, on the rank where it is stuck, when the engine has been
 * polled for so many seconds without a pause (a wait, or a loop of tests) and the operation has
 * been open all the time. The wait goes on. Time between polls, while the program computes, does
 * not count.
 */
#ifndef TUTTI_WATCH_H
#define TUTTI_WATCH_H

#include "nbc/run/exec.h"

/* Is TUTTI_TIMEOUT set? Starts then read the clock, and no wait of ours is left to native MPI. */
extern bool watch_on;

/* seconds <= 0: off */
void watch_start(double seconds);

/* Engine lock held, at each poll: look at the clock, and then at the list of running execs. */
void watch_tick(void);
void watch_turn(exec *running);

/* The same for the list of execs at a communicator's gate. */
void watch_gated(exec *gated);

/* The same for a handshake: who has not come. */
struct comm;
void watch_comm(struct comm *c);

#endif
