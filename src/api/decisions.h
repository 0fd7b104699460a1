/* SPDX-License-Identifier: BSD-3-Clause */
/* decisions.h - what `auto` has taken on a communicator, so that each size is estimated once. */
#ifndef TUTTI_DECISIONS_H
#define TUTTI_DECISIONS_H

#include "nbc/comm/comm.h"
#include "tune/native.h"
#include "tune/planner.h"

typedef struct decision {
    choice choice;
    const char *why;  /* static */
    forecast best[2]; /* [n]: itself, and the runner-up */
    int n;
    bool wise; /* wisdom has said so */
} decision;

/* Who serves a blocking call under the MPI's names. */
typedef struct decision_server {
    bool native;
    bool wise;      /* wisdom has said so; */
    bool estimated; /* or these */
    native_times times;
} decision_server;

/* What wisdom, or else planner_choose says of a call on this communicator, which is ready, without
 * what is forbidden (not all that could serve the call). The same on all ranks: of the call only
 * what is the same is looked at, and of the communicator what all have told. */
decision decision_of(comm *c, const coll *call, int64_t bytes, const algo_set *without);

/* The MPI itself, if neither wisdom nor the estimate sees a gain of ours, and it is not known to
 * get the call wrong; with the same inputs, and as alike, as decision_of. */
decision_server decision_of_server(comm *c, const coll *call, int64_t bytes,
                                   const algo_set *without);

/* What a request may try, that choice first: at most `most` algorithms; the last one of them is the
 * best on Ethernet, should the constants be wrong. Not kept. */
int decisions_candidates(comm *c, const coll *call, int64_t bytes, const algo_set *without,
                         const choice *first, choice *list, int most);

/* Its ranks are somewhere else now. */
void decisions_forget(comm *c);

#endif
