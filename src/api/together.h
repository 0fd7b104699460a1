/* SPDX-License-Identifier: BSD-3-Clause */
/* together.h - for calls in which all ranks agree on something about a communicator. */
#ifndef TUTTI_TOGETHER_H
#define TUTTI_TOGETHER_H

#include "api/execs.h"

/* The communicator's state, topology known. Collective the first time. *c: NULL if there is none.
 */
int together_ready(MPI_Comm user, const char *caller, comm **c);

/* Has any rank met an error, or has not all of them the same in mind (a hash)? The error of this
 * rank, or else the class of another's. Collective; c need not be ready; caller: for people, an
 * init of what. */
int together_agree(comm *c, const char *caller, int error, uint64_t what);

/* A handshake of a communicator that is ready: as comm_meet in a call that may block, but a rank
 * without memory for it is an error on all. */
int together_meet(comm *c, const char *caller, const hello *mine, handshake *h);

/* Make a bound exec a persistent one, on all ranks or on none. *e: NULL where there is an error
 * already. If one rank has an error, or not all have the same in mind, all get one, as from
 * together_agree; *e is given back and NULL. */
int together_persist(comm *c, const char *caller, int error, uint64_t what, exec **e);

/* An exec for the call, bound, for a request that stays. If other ranks are asked for sizes, all of
 * them begin and end that together: an error of one rank is one on all. Else an error is its own.
 * decide, without: as in execs_asking. *refused: all ranks know of an error before anything is
 * asked, and must not agree once more by together_persist. */
int together_bind(const call *of, choice chosen, execs_decide *decide, const algo_set *without,
                  uint64_t what, exec **e, bool *refused);

/* A bound exec of an allreduce: all[n] get the largest of each of mine[n] over all ranks. */
int together_largest(comm *c, int64_t *mine, int64_t *all, int n, exec **result);

/* The same, run. Others wait for it, so memory that is cached is freed for it if need be. */
int together_find_largest(comm *c, int64_t *mine, int64_t *all, int n);

/* Until nothing waits at the gate, or for lengths at other ranks: that is compiled with what was
 * true when it was started. */
void together_pass_gate(const comm *c);

#endif
