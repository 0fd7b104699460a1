/* SPDX-License-Identifier: BSD-3-Clause */
/* survey.h - what an algorithm has to know of lengths at other ranks (algo.h), found out before it
 * is compiled: a schedule of its own in front of the call's.
 */
#ifndef TUTTI_SURVEY_H
#define TUTTI_SURVEY_H

#include "api/checked.h"
#include "tune/select.h"

typedef struct survey survey;

/* May this choice ask for one? */
bool survey_needed(coll_kind kind, choice chosen);

/* Make an exec without a schedule ask, when it is started. The call's lengths are in the key.
 * *result stays as it is if there is nothing to ask on this communicator, the same on all ranks. */
int survey_begin(exec *e, const call *c, const plan_key *key, choice chosen, survey **result);

/* It has run: the same key with what it has found behind it, for free(). NULL: out of memory. */
plan_key *survey_key(const survey *s, const plan_key *key, size_t *size);

/* Take its schedule from the exec, if that is still there, and free it. */
void survey_end(survey *s, exec *e);

#endif
