/* SPDX-License-Identifier: BSD-3-Clause */
/* forecaster.h - how long a choice would take for a call: at first sight, by a closed form; or
 * executed. Of a large machine only smaller ones of its kind are looked at and executed: extend.h,
 * and sketch.h where no rank stands for another. Pure. Work is bounded: all executions share it.
 */
#ifndef TUTTI_FORECASTER_H
#define TUTTI_FORECASTER_H

#include "tune/look.h"
#include "tune/sketch.h"

typedef struct forecast_call {
    coll_kind kind; /* of which all ranks know the sizes (coll_has_common_size) */
    int p;
    int64_t bytes;       /* of all blocks that a rank receives, or of the vector */
    bool ordered, whole; /* as in coll */
    algo_set without;    /* algorithms that are not to be looked at */
    const topo *t;       /* NULL: all in one place */
    const constants *k;
} forecast_call;

typedef struct forecaster {
    const forecast_call *call;
    constants executed, closed; /* those of the call, for executions and for closed forms */
    look_call asked;
    int64_t work; /* steps that may still be executed */
    place whole, part[PLACE_PARTS];
    place even; /* that is executed in place of a whole of unequal nodes; of p = 0: there is none */
    place thin; /* by which closed forms of the whole are corrected; of p = 0: there is none */
    int64_t thin_work, proof_work;
    int64_t intervals; /* of all schedules that were compiled to be executed */
    int64_t most;      /* picoseconds: what takes longer than that is given up */
    bool is_large;     /* only the parts are looked at */
    bool is_sketched;  /* only the sketch is: no rank stands for another */
    bool shares_cores; /* ranks do, and that is executed */
    sketch sketch;
    const char *bound; /* of the last execution */
    estimate last;     /* it, */
    int64_t spent;     /* and how much work it was */
    bool proven;       /* it was on the whole machine */
} forecaster;

/* What a first look has found. */
typedef struct sight {
    closed_form whole, part[PLACE_PARTS]; /* part: of a large machine; of [0] no time */
    estimate on[SKETCH_FIRST];            /* sketched: on the first ones; */
    int64_t steps;                        /* what the others would be */
} sight;

/* Ranks up to which there is little time for a choice. */
enum { FORECASTER_FEW = 64 };

/* call: must outlive it. */
void forecaster_begin(forecaster *q, const forecast_call *call);
void forecaster_end(forecaster *q);

/* False: it cannot be compiled, or has too many steps for a sketch, or there is no memory. */
bool forecaster_look(forecaster *q, const choice *c, sight *found);

/* What is taken for the time of one that is not executed; time: of a first look. Where ranks share
 * cores that is of a rank that has one, and this is as if all were at work. */
int64_t forecaster_unexecuted(forecaster *q, const choice *c, int64_t time);

/* Is there work left for a schedule of so many times the steps of this one? */
bool forecaster_affords(const forecaster *q, const choice *c, int times);

/* Picoseconds, and q->bound, q->proven, q->last.longer. f: what forecaster_look has found. most:
 * what takes longer may be given up, which is less work; ESTIMATE_ALL: nothing is. False: it is too
 * much work. */
bool forecaster_execute(forecaster *q, const choice *c, const sight *f, int64_t most,
                        int64_t *time);

/* The same on the whole machine, by work of its own: for one that seems to be the best by its
 * executions on others. */
bool forecaster_prove(forecaster *q, const choice *c, int64_t *time);

#endif
