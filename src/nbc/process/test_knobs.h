/* SPDX-License-Identifier: BSD-3-Clause */
/* test_knobs.h - what tests inside the library turn and read; defined where it is used. */
#ifndef TUTTI_TEST_KNOBS_H
#define TUTTI_TEST_KNOBS_H

#include <stdbool.h>
#include <stdint.h>

/* Exhaustion: at most so many context ids, and windows of each; 0: no limit (comm/channel.c). */
extern int channel_test_context_ids, channel_test_windows;

/* A driver that is to fail the self-test, or NULL (progress/driver.c). */
extern const char *driver_test_refuses;

/* Each so-many-th read of another process's memory fails, half of it done; 0: none does
 * (node/vmread.c). */
extern int vmread_test_refuses;

/* Largest count of one message (run/datatype.c). */
extern int64_t datatype_max_count;

/* Bytes in one call of MPI_Pack (run/pack.c). */
extern int64_t pack_most;

/* How often anything has been compiled in this process (plan/plan.c). */
extern unsigned plan_compilations;

/* The processes of this node have clocks of their own (comm/trace_file.c). */
extern bool trace_test_apart;

/* What a start of a trial counts as, in nanoseconds, or NULL (persistent/trial.c). */
extern int64_t (*trial_test_time)(int candidate, int round, int rank);

#endif
