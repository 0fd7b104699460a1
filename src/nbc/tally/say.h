/* SPDX-License-Identifier: BSD-3-Clause */
/* say.h - a job's statistics as a table and as JSON (docs/statistics.md), where TUTTI_STATS wants
 * them. */
#ifndef TUTTI_TALLY_SAY_H
#define TUTTI_TALLY_SAY_H

#include "nbc/tally/job.h"

void tally_say(const tally_job *job);

#endif
