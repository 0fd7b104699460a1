/* SPDX-License-Identifier: BSD-3-Clause */
/* trial.h - a persistent request tries its candidates in its first starts, and goes on with the one
 * that has been the fastest.
 *
 *   start    0 .. n-1         each candidate once: first touches, not counted
 *            n .. L-1         TRIAL_ROUNDS rounds of all n, in another order in each
 *            L                the first one again, and beside it the vote: the times of all ranks
 *            L+1 ..           the winner
 *
 * Which one runs follows from the number of the start alone, and starts of a persistent collective
 * have the same number on all ranks. Start L is complete when the vote is: so every rank knows the
 * winner before its start L+1, and no start waits for another rank.
 *
 * The time of a start is what the program has spent inside Start, Test and Wait of the request, of
 * a start through a native request from its beginning to its end; the slowest rank's counts.
 * Another candidate replaces the first one, which is the estimate's (of neighborhood collectives
 * `linear`), if its median is 5 % less and it has been faster in all rounds but one. So noise,
 * which comes to all of them, does not make it be replaced.
 */
#ifndef TUTTI_TRIAL_H
#define TUTTI_TRIAL_H

#include "nbc/run/exec.h"
#include "tune/wisdom.h"

enum { TRIAL_MOST = 3, TRIAL_ROUNDS = 10 };

typedef struct trial {
    int n; /* candidates, each a bound exec with a window and requests of its own */
    exec *candidate[TRIAL_MOST];
    choice choice[TRIAL_MOST];
    wisdom_key key;         /* of NEIGHBORS nothing is remembered: a winner for one pattern */
    exec *vote;             /* from `mine` to `slowest` */
    int64_t start;          /* number of the next one */
    int winner;             /* -1: it has not been found yet */
    double entered, inside; /* seconds; the current start */
    int64_t mine[TRIAL_MOST * TRIAL_ROUNDS], slowest[TRIAL_MOST * TRIAL_ROUNDS]; /* nanoseconds */
} trial;

/* Who wins, by times [round * n + candidate]; and its median. */
int trial_winner(const int64_t *times, int n, int64_t *median);

/* The exec that the next start runs. When the trial is over it is the winner. */
exec *trial_next(const trial *t);
bool trial_is_over(const trial *t);

/* That one is started now; starts the vote, where it is due. */
void trial_begin(trial *t, exec *e);

/* The current start is complete. native: it had a native request. */
void trial_note(trial *t, const exec *e, bool native);

/* Around calls in which the program may wait for the request. */
void trial_enter(trial *t);
void trial_leave(trial *t);

/* Give back all but `kept`, which may be NULL, and the trial. Not inside a callback of MPI. */
void trial_free(trial *t, const exec *kept);

#endif
