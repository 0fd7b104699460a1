/* SPDX-License-Identifier: BSD-3-Clause */
/* repeat.h - a call that has been met before, with other buffers, has been checked and planned: it
 * is recognized by its signature (plan/known.h).
 */
#ifndef TUTTI_REPEAT_H
#define TUTTI_REPEAT_H

#include "api/args.h"
#include "nbc/plan/plan.h"

/* What is known of a call. */
typedef enum repeat_answer {
    REPEAT_NOTHING, /* or it looks wrong; */
    REPEAT_NATIVE,  /* it is left to the MPI; */
    REPEAT_PLAN,    /* its plan, with a reference; */
    REPEAT_EXEC     /* an exec that is bound, with the buffers of this call */
} repeat_answer;

/* PLAN: *p, and what it binds; *of, with a reference, is for repeat_bound. EXEC: *e. may_leave: the
 * call may be left to the MPI. */
repeat_answer repeat_look(const args *a, comm *c, bool may_leave, exec **e, plan **p, known **of,
                          binding *b);

/* An exec has been bound for it; NULL: none could be. Gives the reference back. */
void repeat_bound(known *of, exec *e);

/* For the next call. may_leave: it was not left to the MPI, though it could have been. */
void repeat_remember(const args *a, const facts *f, const exec *e, bool may_leave);

/* The same of one that has been left to the MPI. */
void repeat_remember_native(const args *a, const facts *f);

#endif
