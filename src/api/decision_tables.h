/* SPDX-License-Identifier: BSD-3-Clause */
/* decision_tables.h - what has been decided in this process: each size is estimated once for all
 * communicators of one shape.
 *
 *   situation: a hash of what decisions depend on   +   call   ->   decision
 *   but for the call: where the ranks are, the
 *   machine's constants, the wisdom that counts
 *
 * So duplicates share decisions, and so do other communicators of the same shape, such as the rows
 * of a grid. Its ranks need not know the same: a decision must follow from situation and call alone
 * (sizes: from their class), never from which call came first; but for what has been tried, of
 * which ranks first ask each other whether they have found the same.
 */
#ifndef TUTTI_DECISION_TABLES_H
#define TUTTI_DECISION_TABLES_H

#include "nbc/comm/comm.h"
#include "tune/native.h"
#include "tune/planner.h"

/* Tuning. Some 400 bytes each; when there are more all are forgotten. */
enum { DECISIONS = 8192 };

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
    bool wise;      /* wisdom has said so */
    bool tried;     /* trying both has said so */
    bool estimated; /* these times have said so */
    native_times times;
} decision_server;

/* What is asked. No padding: compared as bytes. */
typedef struct decision_call {
    uint64_t key; /* of decisions.c */
    algo_set without;
} decision_call;

typedef union decided {
    decision decision;
    decision_server server;
} decided;

/* False: nothing is known of the call on such a communicator, which is ready. */
bool decision_tables_find(comm *c, const decision_call *call, decided *result);

/* For the next time; without memory it is decided anew then. */
void decision_tables_keep(comm *c, const decision_call *call, const decided *result);

/* Its ranks are somewhere else now, or know something else. */
void decision_tables_leave(comm *c);

#endif
