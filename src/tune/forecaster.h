/* SPDX-License-Identifier: BSD-3-Clause */
/* forecaster.h - how long a choice would take for a call: a first estimate, or an execution of its
 * schedules on a model of the machine, or, where that is too much work, on samples of it
 * (samples.h). Pure. Work is bounded: all executions share it.
 */
#ifndef TUTTI_FORECASTER_H
#define TUTTI_FORECASTER_H

#include "tune/modeled_call.h"
#include "tune/samples.h"

typedef struct forecast_call {
    coll_kind kind; /* of which all ranks know the sizes (coll_has_common_size) */
    int p;
    int64_t bytes;                /* of all blocks that a rank receives, or of the vector */
    bool noncommutative, user_op; /* as in coll */
    algo_set without;             /* algorithms that are not candidates */
    const topo *t;                /* NULL: all ranks on one node */
    const constants *k;
} forecast_call;

typedef struct forecast {
    choice choice;
    int64_t time;      /* picoseconds */
    bool executed;     /* else `time` is the first estimate */
    bool verified;     /* executed on the whole machine */
    bool longer;       /* it takes longer than `time`, and was given up: others are faster */
    const char *bound; /* what takes most of the time, static: "latency", ...; or NULL */
} forecast;

/* `time` is not that of a complete execution, but a first estimate, or the time after which an
 * execution was given up. */
static inline bool forecast_is_approximate(const forecast *f)
{
    return !f->executed || f->longer;
}

/* What is printed before `time`: ">= " where the execution was given up then, "~ " where it is a
 * first estimate. */
static inline const char *forecast_sign(const forecast *f)
{
    return f->longer ? ">= " : f->executed ? "" : "~ ";
}

typedef struct forecaster {
    const forecast_call *call;
    constants executed, closed; /* those of the call, for executions and for closed forms */
    modeled_call asked;
    machine_model whole;
    samples samples;
    bool has_samples;
    bool is_large;       /* only samples are executed; a first estimate is by some of them */
    bool shares_cores;   /* ranks share cores, and the model has cores */
    int64_t work;        /* steps that may still be executed on the whole machine */
    int64_t sample_work; /* the same for its samples */
    int64_t verify_work; /* the same for forecaster_verify */
} forecaster;

/* By the closed form; of a large machine by its first samples. */
typedef struct first_estimate {
    int64_t time;               /* picoseconds */
    int64_t steps;              /* of a rank; of a large machine those of the first samples */
    estimate on[SAMPLES_FIRST]; /* of a large machine: on these */
} first_estimate;

/* Ranks up to which there is little time for a choice. */
enum { FORECASTER_FEW = 64 };

/* call: must outlive it. */
void forecaster_begin(forecaster *q, const forecast_call *call);
void forecaster_end(forecaster *q);

/* False: it cannot be compiled, or has too many steps, or there is no memory. */
bool forecaster_first_estimate(forecaster *q, const choice *c, first_estimate *found);

/* Is there work left for a schedule of so many times the steps of this one? */
bool forecaster_affords(const forecaster *q, const choice *c, int times);

/* All of `result`. f: what forecaster_first_estimate has found. most: what takes longer may be
 * given up, which is less work; ESTIMATE_ALL: nothing is. If it is too much work the time is the
 * first estimate. */
void forecaster_execute(forecaster *q, const choice *c, const first_estimate *f, int64_t most,
                        forecast *result);

/* The same on the whole machine, by work of its own: for one that seems to be the best by its
 * executions on others. False: it is too much work, and the result as before. */
bool forecaster_verify(forecaster *q, forecast *result);

#endif
