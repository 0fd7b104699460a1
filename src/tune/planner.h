/* SPDX-License-Identifier: BSD-3-Clause */
/* planner.h - which algorithms could serve a call, and how long each would take. Pure, and the same
 * on every machine.
 *
 * 1. Candidates: every algorithm in all its kinds and forms.
 * 2. A first estimate of each: its closed form, by the schedules of a few ranks (closed.h); on a
 *    large machine executions on the three smallest samples of it (samples.h).
 * 3. In the order of that they are executed (execution.h) on the machine, or, where that is too
 * much
 *    work, on samples of it. Candidates whose first estimate is several times slower than the best
 *    time so far are left out.
 * 4. The best ones are tried with other numbers of pieces, too.
 * 5. Verification, for more than a few ranks: if the best one was executed on samples only, it is
 *    executed on the whole machine, and so on until one is the best by that. If there is not work
 *    enough for it none is. Then also candidates that are faster by their closed form.
 */
#ifndef TUTTI_PLANNER_H
#define TUTTI_PLANNER_H

#include "tune/candidates.h"

/* NO_MEMORY: it has run out: what has been found meanwhile is not what other ranks find. */
enum { PLANNER_MOST = CANDIDATES_MOST, PLANNER_NO_MEMORY = -1 };

/* The one to be taken first: the fastest, or, where ranks share cores, a simpler one that takes
 * hardly longer. After it the others, the fastest first (planner_score). Returns how many, or
 * PLANNER_NO_MEMORY. */
int planner_list(const forecast_call *q, forecast list[PLANNER_MOST]);

/* What `auto` takes, and the fastest ones: best[0] is it. Sizes of one class (size.h: of the
 * vector, or of a block) get the same. without: algorithms that it must not be, not all that could
 * serve the call. Returns how many are in `best`: 0 where there was nothing to estimate; or
 * PLANNER_NO_MEMORY. *why: one line, static. */
int planner_choose(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                   const constants *k, choice *result, forecast best[2], const char **why);

/* The fastest one by the estimate, as planner_choose, but of two ranks, too. Returns 1; 0: there is
 * none, sizes are not known to all; or PLANNER_NO_MEMORY. */
int planner_best(const coll *c, int64_t bytes, const algo_set *without, const topo *t,
                 const constants *k, forecast *best);

/* The time to compare by: what has not been executed takes longer than its closed form, but hardly
 * more than twice as long. */
int64_t planner_score(const forecast *f);

/* The class that counts for them. */
int planner_class(coll_kind kind, int p, int64_t bytes);

/* The least number of bytes, in all as before, of the same octave: of the vector's length, or of a
 * block's. Below 4 as it is. */
int64_t planner_octave(coll_kind kind, int p, int64_t bytes);

#endif
