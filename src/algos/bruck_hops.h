/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck_hops.h - Bruck's index algorithm for blocks of unequal lengths, without copies.
 *
 * The rounds are those of bruck.h. The block that has j ranks to go lies in slot j, wherever that
 * is: first in the send buffer, then where it has come to; the last hop ends at its final place.
 * Who passes a block on has to know its length: a survey finds that out before, by sending the
 * lengths along the same way.
 */
#ifndef TUTTI_BRUCK_HOPS_H
#define TUTTI_BRUCK_HOPS_H

#include "algos/blockmap.h"
#include "algos/group.h"

/* SEND: the lengths of the blocks for each rank. RECV: the same by member of the group, and those
 * that come in all rounds. */
void bruck_survey(const group *g, sched_builder *s, int radix);

/* The alltoall itself; SCRATCH is counted in the survey's unit. */
void bruck_hops(const group *g, const blockmap *b, const int64_t *survey, sched_builder *s,
                int radix);

#endif
