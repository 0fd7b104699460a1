/* bind.h - resolve a schedule for given buffers and types: what an element of each space is, where
 * scratch lies, and each step to a message or to a copy.
 */
#ifndef TUTTI_BIND_H
#define TUTTI_BIND_H

#include "nbc/run/bound.h"

/* Resolve bound.sched; holds derived types. Again: with the same predefined types only addresses
 * change. On error nothing is bound. */
int bind_to(bound *b, const binding *given);

/* Release what bind_to made. */
void bind_release(bound *b);

#endif
