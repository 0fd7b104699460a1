/* SPDX-License-Identifier: BSD-3-Clause */
/* look.h - a choice at first sight on one machine: its closed form (closed.h), with what the ranks
 * of a node share. Pure.
 */
#ifndef TUTTI_LOOK_H
#define TUTTI_LOOK_H

#include "tune/closed.h"
#include "tune/place.h"
#include "tune/select.h"

/* A call with blocks of equal length, without where it runs. */
typedef struct look_call {
    coll_kind kind;
    int64_t count, size;          /* items of an element, as in estimate_find, and bytes of one */
    bool noncommutative, user_op; /* as in coll */
    const constants *k;
} look_call;

/* The schedule of a rank. NULL: it cannot be compiled (a part of a machine may have a number of
 * ranks that the algorithm does not serve), or there is no memory. */
sched *look_compile(const look_call *q, const choice *c, const place *m, int rank);

/* False: as look_compile. */
bool look_at(const look_call *q, const choice *c, const place *m, closed_form *found);

/* Bytes of the longest message of rank 0 to or from another node; 0: there is none, or as above. */
int64_t look_longest(const look_call *q, const choice *c, const place *m);

#endif
