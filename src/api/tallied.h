/* SPDX-License-Identifier: BSD-3-Clause */
/* tallied.h - a call becomes what TUTTI_STATS counts (nbc/tally/tally.h). Only if tally_on. */
#ifndef TUTTI_TALLIED_H
#define TUTTI_TALLIED_H

#include "nbc/comm/comm.h"
#include "nbc/run/exec.h"

/* e: the operation, which has not begun; NULL: the call is left to the MPI. repeats: it was
 * recognized (repeat.h). */
void tallied(coll_kind kind, coll_bytes bytes, const comm *c, exec *e, tally_form form,
             bool repeats);

#endif
