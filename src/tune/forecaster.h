/* SPDX-License-Identifier: BSD-3-Clause */
/* forecaster.h - how long a choice would take for a call: at first sight, or executed, on the whole
 * machine, or, where that is too much work, on samples of it (samples.h). Pure. Work is bounded:
 * all executions share it.
 */
#ifndef TUTTI_FORECASTER_H
#define TUTTI_FORECASTER_H

#include "tune/look.h"
#include "tune/samples.h"

typedef struct forecast_call {
    coll_kind kind; /* of which all ranks know the sizes (coll_has_common_size) */
    int p;
    int64_t bytes;                /* of all blocks that a rank receives, or of the vector */
    bool noncommutative, user_op; /* as in coll */
    algo_set without;             /* algorithms that are not to be looked at */
    const topo *t;                /* NULL: all in one place */
    const constants *k;
} forecast_call;

typedef struct forecast {
    choice choice;
    int64_t time;      /* picoseconds */
    bool executed;     /* else it is what is known at first sight */
    bool proven;       /* on the whole machine */
    bool longer;       /* it takes longer than `time`, and was given up: others are faster */
    const char *bound; /* what most of the time is the work of, static: "latency", ...; NULL */
} forecast;

/* True: nothing has been executed to the end: `time` is that of a first look, or when an execution
 * was given up. */
static inline bool forecast_is_bound(const forecast *f)
{
    return !f->executed || f->longer;
}

/* What is written before `time`: only what was given up is known to take at least so long. */
static inline const char *forecast_sign(const forecast *f)
{
    return f->longer ? ">= " : f->executed ? "" : "~ ";
}

typedef struct forecaster {
    const forecast_call *call;
    constants executed, closed; /* those of the call, for executions and for closed forms */
    look_call asked;
    place whole;
    samples samples;
    bool has_samples;
    bool is_large;       /* only samples are executed, and a first look is at some of them */
    bool shares_cores;   /* ranks do, and that is executed */
    int64_t work;        /* steps that may still be executed of the whole */
    int64_t sample_work; /* the same of its samples */
    int64_t proof_work;  /* the same of the whole, by forecaster_prove */
} forecaster;

/* What a first look has found. */
typedef struct sight {
    int64_t time;               /* picoseconds */
    int64_t steps;              /* of a rank; of a large machine those of the first samples */
    estimate on[SAMPLES_FIRST]; /* of a large machine: on these */
} sight;

/* Ranks up to which there is little time for a choice. */
enum { FORECASTER_FEW = 64 };

/* call: must outlive it. */
void forecaster_begin(forecaster *q, const forecast_call *call);
void forecaster_end(forecaster *q);

/* False: it cannot be compiled, or has too many steps, or there is no memory. */
bool forecaster_look(forecaster *q, const choice *c, sight *found);

/* Is there work left for a schedule of so many times the steps of this one? */
bool forecaster_affords(const forecaster *q, const choice *c, int times);

/* All of `result`. f: what forecaster_look has found. most: what takes longer may be given up,
 * which is less work; ESTIMATE_ALL: nothing is. What is too much work gets what is taken for the
 * time of one that is not executed. */
void forecaster_execute(forecaster *q, const choice *c, const sight *f, int64_t most,
                        forecast *result);

/* The same on the whole machine, by work of its own: for one that seems to be the best by its
 * executions on others. False: it is too much work, and the result as before. */
bool forecaster_prove(forecaster *q, forecast *result);

#endif
