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

/* What asks for it. */
typedef enum exchange_purpose {
    FOR_CALL,      /* that has been started */
    FOR_INIT,      /* of a persistent request: as in halo_blocks.h */
    FOR_INIT_AGAIN /* the same, after another exchange of its own: no agreement follows in which all
                      say that they have shown their lists, so these are sent */
} exchange_purpose;

/* Make an exec without a schedule ask, when it is started. The call's lengths are in the key.
 * *result stays as it is if there is nothing to ask on this communicator, the same on all ranks.
 *
 * FOR_INIT: if all ranks of my node can read it, my list is shown to them (shm_peers.h) instead of
 * sent, and the exec has no schedule. After an agreement either all ranks have shown theirs, and
 * size_exchange_look reads them; or they are sent, by size_exchange_send. */
int size_exchange_begin(exec *e, const call *c, const plan_key *key, choice chosen,
                        exchange_purpose purpose, size_exchange **result);

/* Is its list shown, and those of the others not known yet? */
bool size_exchange_shows(const size_exchange *s);

/* Read those of the others, which needs no memory. An error: one of them has failed, and left. */
int size_exchange_look(size_exchange *s, const comm *c);

/* Make the exec send it after all. */
int size_exchange_send(size_exchange *s, exec *e);

/* The exec has run: make it ask the next question, if there is one. False: there is none, or an
 * error, and the exec has no schedule again. */
bool size_exchange_goes_on(size_exchange *s, exec *e, int *error);

/* The error class of what a compiler has returned. */
int size_exchange_error(sched_error error);

/* Is there a schedule to run for it? */
bool size_exchange_runs(const size_exchange *s);

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
