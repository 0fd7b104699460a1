/* SPDX-License-Identifier: BSD-3-Clause */
/* modeled_call.h - a call on a machine model: its schedules, and its closed form (closed.h), with
 * what the ranks of a node share. Pure.
 */
#ifndef TUTTI_MODELED_CALL_H
#define TUTTI_MODELED_CALL_H

#include "tune/closed.h"
#include "tune/machine_model.h"
#include "tune/select.h"

/* A call with blocks of equal length, without where it runs. */
typedef struct modeled_call {
    coll_kind kind;
    int64_t count, size;          /* items of an element, as in estimate_find, and bytes of one */
    bool noncommutative, user_op; /* as in coll */
    const constants *k;
} modeled_call;

/* The schedule of a rank. NULL: it cannot be compiled (a part of a machine may have a number of
 * ranks that the algorithm does not serve), or there is no memory. */
sched *modeled_call_compile(const modeled_call *q, const choice *c, const machine_model *m,
                            int rank);

/* How long it takes by its closed form. False: as modeled_call_compile. */
bool modeled_call_closed_form(const modeled_call *q, const choice *c, const machine_model *m,
                              closed_form *found);

/* Bytes of the longest message of rank 0 to or from another node; 0: there is none, or as above. */
int64_t modeled_call_longest_message(const modeled_call *q, const choice *c,
                                     const machine_model *m);

#endif
