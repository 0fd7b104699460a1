/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - advances the running execs (steps.h says how each).
 *
 * One engine per process, entered under a try-lock (process/process.h): who does not get it returns
 * at once, because somebody else is advancing everything. An exec started meanwhile is handed over
 * in a list that the holder of the lock takes in.
 *
 *   start -> [gate] -> running list -> poll ... poll -> done
 */
#ifndef TUTTI_ENGINE_H
#define TUTTI_ENGINE_H

#include "nbc/process/process.h"
#include "nbc/run/exec.h"

#include <stdbool.h>

/* Start an idle, bound exec. Local, does not block. */
void engine_start(exec *e);

/* Advance what runs: `first` if not NULL, and up to 16 others, the next ones in turn. Returns the
 * number of steps retired; 0 also if another thread (or a caller further up this stack) is in the
 * engine. */
int engine_progress(exec *first);

/* Advance this exec, and one other: the share of a caller that polls for each of many execs. */
int engine_progress_for(exec *e);

/* Wait until e is done: advances it and others as engine_progress does, or waits in one native call
 * if nothing but messages of e is left. */
void engine_wait(exec *e);

/* Wait for all that run here: for SimGrid only (tutti_simulated.h). */
void engine_wait_all(void);

/* One turn of a wait for anything else: advances, and yields the processor when nothing has
 * happened for long. */
void engine_idle_turn(int *idle);

/* So many of them have been fruitless, with threads: it grows as long as anybody waits here. */
unsigned engine_idle_turns(void);

/* Prepare an operation that waits at the gate (comm/hooks.h). */
void engine_prepare(struct comm_ticket *t);

/* Is an operation of this communicator running that has not got its schedule yet (exec.prepare)? */
bool engine_prepares(const struct comm *c);

/* Does anything run? Approximate while another thread is in the engine. */
bool engine_busy(void);

/* So many operations run; without those that wait to begin. */
int engine_running(void);

/* From now on the progress thread leaves it to the program's to complete native requests, whose
 * waits poll us (MPICH): 4.0 aborts if a thread is inside MPI when MPI_Finalize begins, and a
 * program may call that as soon as its last request is complete. It also is faster. */
void engine_defer_completions(void);

/* Steps of a started exec that have not retired. */
int engine_steps_left(exec *e);

/* MPI_Finalize has begun: operations that the program has left unfinished are not advanced any
 * more, whoever calls. */
void engine_abandon(void);

#endif
