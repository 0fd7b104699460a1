/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.h - how the ranks begin a repetition together.
 *
 *   barrier    MPI_Barrier; a rank's time begins when it returns there
 *   dissem     a dissemination barrier of this program: the same on every MPI
 *   roundtime  all begin at an agreed time of a common clock: rank 0 names it, each waits for it.
 *              A rank that gets it too late spoils the repetition, which is then done again. The
 *              time of a repetition is from the agreed begin to the last rank's end.
 *              Hunold, Carpen-Amarie, IEEE TPDS 27(12), 2016.
 *
 * The common clock: MPI_Wtime plus an offset to rank 0, half way of the fastest of 100 round trips
 * along a binomial tree; taken anew before every block size and every half second, and carried on
 * by the drift between two that are one to ten seconds apart. In SimGrid there is one clock.
 */
#ifndef BENCH_SYNC_H
#define BENCH_SYNC_H

#include <stdbool.h>

typedef enum sync_kind { SYNC_BARRIER, SYNC_DISSEMINATION, SYNC_ROUNDTIME, SYNC_KINDS } sync_kind;

extern const char *const sync_names[SYNC_KINDS]; /* "barrier", "dissem", "roundtime" */

/* Before each block size. Collective, on MPI_COMM_WORLD, as all here. */
void sync_prepare(sync_kind kind);

/* Returns when to begin, on this rank's MPI_Wtime. */
double sync_begin(sync_kind kind);

/* Did all ranks begin in time? Collective for roundtime; else true. */
bool sync_held(sync_kind kind);

/* How much the clock of a rank gains or loses against rank 0's, in seconds of a second, at most;
 * 0 until a second has passed. Collective for roundtime; else 0. */
double sync_drift(sync_kind kind);

#endif
