/* SPDX-License-Identifier: BSD-3-Clause */
/* try_both.h - who serves a blocking call under the MPI's names faster, Tutti or the MPI? The
 * estimate knows the machine, but not this MPI.
 *
 * The first calls of a class on a communicator (collective, octave of bytes, whether the operation
 * commutes and is MPI's: the same on all ranks) go to either in turn, some in a row, and each rank
 * notes how long the rows take. Then the ranks agree on the quickest row of each, and the faster
 * one has all that follow. All ranks count the same calls, so they try and agree in the same ones.
 * What all ranks have found so on other communicators of the shape is not tried again.
 *
 * Only what has the same bits from both is tried: no sums of floating-point numbers on more than
 * two ranks. Those go by the estimate.
 */
#ifndef TUTTI_TRY_BOTH_H
#define TUTTI_TRY_BOTH_H

#include "api/checked.h"
#include "api/decisions.h"

/* Change `server`, which the estimate has chosen for the call, to the faster side if that is known,
 * else to the side whose turn it is. without: algorithms that the call may not take. *tried: for
 * try_both_begin, or NULL if the call is not tried. May agree with the other ranks. Returns an
 * error class. */
int try_both(const call *c, const algo_set *without, decision_server *server, comm_tried **tried);

/* It begins, and it is over, in this thread; others may begin and be over between them. */
void try_both_begin(comm_tried *tried);
void try_both_end(void);

#endif
