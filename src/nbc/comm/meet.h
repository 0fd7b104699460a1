/* SPDX-License-Identifier: BSD-3-Clause */
/* meet.h - the ranks of a communicator wait for each other in a handshake; and who has not come. */
#ifndef TUTTI_MEET_H
#define TUTTI_MEET_H

#include "nbc/comm/comm.h"

/* One more handshake, waited for. may_block: as in comm_begin (first.h), the same on all ranks.
 * Close it afterwards, also if it fails. */
int comm_meet(comm *c, const char *caller, const hello *mine, bool may_block, handshake *h);

/* The same with one that has been opened. */
int comm_meet_opened(comm *c, const char *caller, bool may_block, handshake *h);

/* Such a handshake once more, with another error and without asking for memory, so that all ranks
 * come: returns the error of the first rank that has one. h: a handshake that is over. */
int comm_meet_again(comm *c, const char *caller, int error, handshake *h);

/* The first one of all, in tutti_init: reports after ten seconds which ranks do not come. */
int comm_start(comm *world, const hello *mine, handshake *h);

/* When it is over: of the ranks with a wrong setting the first one explains it, and the others give
 * it the time to. Returns whether there are any. */
bool comm_explain_error(const handshake *h);

/* What the ranks wait for from now on, or NULL. */
void comm_set_current(comm *c, const handshake *h, const char *caller);

/* Say who has not come, if that is due. Engine lock held. */
void comm_report_missing(comm *c);

#endif
