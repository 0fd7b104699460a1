/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h - what one start of an exec has sent. */
#ifndef TUTTI_TRAFFIC_H
#define TUTTI_TRAFFIC_H

#include "nbc/run/exec.h"

/* Messages of the schedule that the exec has run last; none if it has failed. */
stats_traffic traffic_of(const exec *e);

#endif
