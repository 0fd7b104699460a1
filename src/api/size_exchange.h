/* SPDX-License-Identifier: BSD-3-Clause */
/* size_exchange.h - what an algorithm has to know of lengths at other ranks (algo.h), found out
 * before it is compiled: schedules of its own in front of the call's, one or more.
 */
#ifndef TUTTI_SIZE_EXCHANGE_H
#define TUTTI_SIZE_EXCHANGE_H

#include "api/checked.h"
#include "tune/select.h"

typedef struct size_exchange size_exchange;

/* May this choice ask for one? */
bool size_exchange_needed(coll_kind kind, choice chosen);

/* Make an exec without a schedule ask, when it is started. The call's lengths are in the key.
 * persistent: as in halo_blocks.h. *result stays as it is if there is nothing to ask on this
 * communicator, the same on all ranks. */
int size_exchange_begin(exec *e, const call *c, const plan_key *key, choice chosen, bool persistent,
                        size_exchange **result);

/* The exec has run: make it ask the next question, if there is one. False: there is none, or an
 * error, and the exec has no schedule again. */
bool size_exchange_goes_on(size_exchange *s, exec *e, int *error);

/* The error class of what a compiler has returned. */
int size_exchange_error(sched_error error);

/* Is the round that has begun the last one, whatever is found? */
bool size_exchange_is_last(const size_exchange *s);

/* How many rounds have begun, and what they have found. */
int size_exchange_rounds(const size_exchange *s);
const int64_t *size_exchange_found(const size_exchange *s);

/* Have blocks of this rank data in common, so that rounds are needed for what that is? Where all
 * ranks know that none has, there are none. */
bool size_exchange_shares(const size_exchange *s);
void size_exchange_share_nothing(size_exchange *s);

/* *sum: as halo_list_balance of this rank's list; 0 if it is of another kind. */
int size_exchange_balance(const size_exchange *s, uint64_t *sum);

/* The other rounds are of this form. False: it wants lists with other groups of ranks for what
 * blocks have in common, and must begin again. */
bool size_exchange_choose(size_exchange *s, choice chosen);

/* It has run: the same key followed by what it has found, for free(). NULL: out of memory. */
plan_key *size_exchange_key(const size_exchange *s, const plan_key *key, size_t *size);

/* Take its schedule from the exec, if that is still there, and free it. */
void size_exchange_end(size_exchange *s, exec *e);

#endif
