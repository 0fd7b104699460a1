/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.h - run the schedules of all ranks in one process, without MPI, and prove what they do.
 *
 * Messages are matched by (source, tag) in the order in which they were posted, as MPI does. Which
 * of the possible next events happens is drawn from a seeded generator: a step that is ready is
 * issued, or a matched message is delivered. A receive's target is poisoned when the receive is
 * posted, and a synchronous message is read from its source only when it is delivered: so a step
 * that touches bytes too early, or that should have waited for a send, ends in wrong data.
 *
 * Where a vector is cut (sched_cut) parts are as long as the library makes them; those without data
 * are not sent; and data that moves between parts of different index is an error, whatever their
 * lengths.
 */
#ifndef TUTTI_SIM_H
#define TUTTI_SIM_H

#include "nbc/sched/sched.h"

typedef enum sim_sends {
    SIM_EAGER, /* a send completes at once, its data is buffered */
    SIM_SYNC,  /* a send completes when its message has been delivered */
    SIM_MIXED, /* each message one or the other, by chance */
    SIM_RINGS, /* a message goes through the pair's ring (nbc/node/ring.h), which has room for one,
                  in program order: the next one when that has been read. By chance the send
                  completes when its data is in the ring, or when it has been read */
    SIM_SENDS
} sim_sends;

/* inout[i] = in[i] op inout[i], as MPI_Reduce_local does. */
typedef void sim_op(const void *in, void *inout, int64_t n);

/* Called for every message that is sent: who, to whom, items as those of RECV. */
typedef void sim_traffic(void *context, int from, int to, int64_t size);

typedef struct sim_options {
    uint64_t seed;
    sim_sends sends;
    size_t size[SPACES];  /* bytes of one item of each space */
    int withheld;         /* 1 + a rank that never begins; 0: all do */
    sim_op *op;           /* for schedules with REDUCE */
    sim_traffic *traffic; /* or NULL */
    void *context;        /* traffic's */
} sim_options;

typedef struct sim_rank {
    const sched *sched;
    void *buffer[SPACES];  /* caller's; SCRATCH may be NULL if the schedule uses none */
    int64_t count[SPACES]; /* items of one element of each space; if the schedule cuts a vector, of
                              the vector. 0: elements are tokens without data */
} sim_rank;

typedef struct sim_result {
    char error[200];   /* empty: all steps done, no message left over; or a rank was withheld */
    int finished;      /* ranks that did all their steps */
    int critical_path; /* messages on the longest chain of dependent messages */
    int max_messages;  /* largest number of messages sent by one rank */
    int64_t max_sent;  /* largest and smallest number of items sent by one rank */
    int64_t min_sent;
    int64_t max_received; /* by one rank */
    int64_t sent;         /* by all ranks together */
    int64_t copied;       /* items copied by COPY steps, all ranks together */
    int64_t reduced;      /* items of REDUCE steps */
    int64_t max_size;     /* items of the largest message */
    int max_open[2]; /* largest number of sends, of receives, that one rank had open at a time */
} sim_result;

void sim_run(const sim_rank *ranks, int p, const sim_options *o, sim_result *result);

/* splitmix64: the next number of a stream. */
uint64_t sim_random(uint64_t *state);

#endif
