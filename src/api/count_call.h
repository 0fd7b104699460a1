/* SPDX-License-Identifier: BSD-3-Clause */
/* count_call.h - count a call for TUTTI_STATS (nbc/stats/stats.h). Only if stats_on. */
#ifndef TUTTI_COUNT_CALL_H
#define TUTTI_COUNT_CALL_H

#include "nbc/comm/comm.h"
#include "nbc/run/exec.h"

/* e: the operation, which has not begun; NULL: the call is left to the MPI. repeats: it was
 * recognized (repeat.h). */
void count_call(coll_kind kind, coll_bytes bytes, const comm *c, exec *e, stats_form form,
                bool repeats);

#endif
