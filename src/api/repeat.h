/* SPDX-License-Identifier: BSD-3-Clause */
/* repeat.h - a call that has been met before, with other buffers, has been checked and planned: it
 * is recognized by its signature (plan/known.h).
 */
#ifndef TUTTI_REPEAT_H
#define TUTTI_REPEAT_H

#include "api/checked.h"

/* What is known of a call. */
typedef enum repeat_answer {
    REPEAT_NOTHING, /* nothing, or the call looks wrong */
    REPEAT_NATIVE,  /* it is left to the MPI */
    REPEAT_EXEC,    /* an exec that is bound */
    REPEAT_FAILED   /* none could be bound */
} repeat_answer;

/* What repeat_look has found, by its answer. */
typedef struct repeat {
    exec *exec;       /* EXEC: with the buffers of this call */
    coll_bytes bytes; /* EXEC and NATIVE */
    int error;        /* FAILED: an error class */
} repeat;

/* may_leave: the call may be left to the MPI. */
repeat_answer repeat_look(const args *a, comm *c, bool may_leave, repeat *result);

/* An exec of a call that is not left to the MPI; NULL: nothing is known. An error class. */
int repeat_exec(const args *a, comm *c, exec **result);

/* For the next call like this one, of which c was made. may_leave: it was not left to the MPI,
 * though it could have been. */
void repeat_remember(const args *a, const call *c, const exec *e, bool may_leave);

/* The same of one that has been left to the MPI. */
void repeat_remember_native(const args *a, const call *c);

#endif
