/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h - an alltoall of direct messages: what linear and pairwise have in common. */
#ifndef TUTTI_EXCHANGE_H
#define TUTTI_EXCHANGE_H

#include "algos/blockmap.h"
#include "algos/group.h"
#include "algos/pattern.h"

/* Copy the own block, and exchange with all others in the order of the pattern, at most `window`
 * exchanges at a time. In place the outgoing blocks are moved out of the way first, into as many
 * blocks of scratch as can be in flight; this needs a pattern that is not ROTATED. */
void exchange_all(const group *g, const blockmap *b, sched_builder *s, pattern t, int window);

#endif
