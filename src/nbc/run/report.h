/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - report operations that are open for too long (process/watch.h). Engine lock held. */
#ifndef TUTTI_REPORT_H
#define TUTTI_REPORT_H

#include "nbc/run/exec.h"

/* Those of the list of running execs. */
void report_running(exec *running);

/* One that waits at its communicator's gate. */
void report_gated(exec *e);

#endif
