/* SPDX-License-Identifier: BSD-3-Clause */
/* crowd.h - do processes of this job share processors? */
#ifndef TUTTI_CROWD_H
#define TUTTI_CROWD_H

#include <mpi.h>
#include <stdint.h>

enum { CROWD_WORDS = 16 }; /* 64 processors each */

/* What a process sends to the others. No padding. */
typedef struct crowd_process {
    uint64_t node;
    uint64_t may[CROWD_WORDS]; /* processors that it may run on, modulo 64 * CROWD_WORDS */
    int64_t quota;             /* how many at a time at most */
} crowd_process;

/* This process, on its machine. */
crowd_process crowd_mine(void);

/* From the lines of cpu.max, "QUOTA PERIOD" or "max PERIOD" (control group, version 2): processors,
 * rounded up; INT64_MAX: no limit, or no such text. */
int64_t crowd_quota(const char *cpu_max);

/* Those of the p processes that may run where this one, mine, may, on its node; the processors for
 * them; and those for all processes of the node. */
typedef struct crowd {
    int processes, processors, cores;
} crowd;

crowd crowd_of(const crowd_process *all, int p, const crowd_process *mine);

/* Those for all processes of this node, as crowd_look has found them; 0: not yet. */
int crowd_cores(void);

/* Find out, for rest.h. Collective over `all`, the channel; blocks. */
void crowd_look(MPI_Comm all);

#endif
