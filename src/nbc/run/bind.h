/* SPDX-License-Identifier: BSD-3-Clause */
/* bind.h - resolve a schedule for given buffers and types: what an element of each space is, where
 * scratch lies, and each step to a message or to a copy.
 */
#ifndef TUTTI_BIND_H
#define TUTTI_BIND_H

#include "nbc/run/bound.h"

/* Resolve bound.sched; holds derived types. Again: with the same predefined types only addresses
 * change. Takes over given's blocks in any case. On error nothing is bound. */
int bind_to(bound *b, const binding *given);

/* Release what a binding owns that is not bound after all. */
void bind_drop(binding *given);

/* Release what bind_to made. */
void bind_release(bound *b);

/* Between two executions of what stays bound the program may free its operation: hold it again.
 * False: the handle is of another one now, or there is no memory. */
bool bind_hold_op(bound *b);

/* Give it back. */
void bind_release_op(bound *b);

#endif
