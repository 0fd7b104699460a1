/* SPDX-License-Identifier: BSD-3-Clause */
/* failures.h - with fault tolerance on: which communicators have a failed member, or are revoked?
 *
 * The MPI finds out which processes have failed, and says so in each process. A communicator that
 * has lost one is of no more use for collectives, so its `failure` is set for good: operations
 * that run end with MPIX_ERR_PROC_FAILED, and so does each later one; after MPIX_Comm_revoke with
 * MPIX_ERR_REVOKED. Its rings, windows and context ids are not used again, because messages of
 * operations that have not come to their end may still arrive.
 */
#ifndef TUTTI_FAILURES_H
#define TUTTI_FAILURES_H

#include "nbc/comm/comm.h"

#include <stdbool.h>

/* Engine lock held: look at this communicator; or, once in many calls, at all. Local. */
void failures_look(comm *c);
void failures_look_at_times(void);

/* A message on it has ended with this error: is that of a failed rank? Engine lock held. */
void failures_note(comm *c, int error);

/* Has any process failed? Then nothing may be collective over all. */
bool failures_any(void);

#endif
