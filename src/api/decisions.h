/* SPDX-License-Identifier: BSD-3-Clause */
/* decisions.h - what `auto` takes on a communicator, and who serves a call of the MPI's names. */
#ifndef TUTTI_DECISIONS_H
#define TUTTI_DECISIONS_H

#include "api/decision_tables.h"

/* What wisdom, or else planner_choose says of a call on this communicator, which is ready, without
 * what is forbidden (not all that could serve the call). The same on all ranks: of the call only
 * what is the same is looked at, and of the communicator what all have sent. MPI_ERR_NO_MEM:
 * nothing, so that no rank takes another choice than the others. */
int decision_of(comm *c, const coll *call, int64_t bytes, const algo_set *without,
                decision *result);

/* The MPI itself, if neither wisdom nor the estimate sees a gain of ours, and it is not known to
 * get the call wrong; with the same inputs, and the same on all ranks, as decision_of. Once an
 * octave of sizes; where wisdom may know the call once a size class. */
int decision_of_server(comm *c, const coll *call, int64_t bytes, const algo_set *without,
                       decision_server *result);

/* Equal for calls of which who serves them is decided together. */
uint64_t decisions_class(const coll *call, int64_t bytes);

/* Which side has been faster, tried on a communicator of this shape; false: nothing is known here.
 * Other ranks may know something else. */
bool decisions_find_faster(comm *c, uint64_t class, const algo_set *without, bool *native);

/* Such a call of the faster side has taken so many nanoseconds, the mean of so many: the same on
 * all ranks. With TUTTI_PLAN=measure it is wisdom for later jobs, too, unless algorithms are
 * forbidden. */
void decisions_keep_faster(comm *c, const coll *call, int64_t bytes, const algo_set *without,
                           bool native, int64_t ns, int calls);

/* What a request may try, that choice first: at most `most` algorithms; the last one of them is the
 * best on Ethernet, should the constants be wrong. Returns how many, or PLANNER_NO_MEMORY. Not
 * kept. */
int decisions_candidates(comm *c, const coll *call, int64_t bytes, const algo_set *without,
                         const choice *first, choice *list, int most);

#endif
