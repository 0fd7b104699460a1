/* SPDX-License-Identifier: BSD-3-Clause */
/* phase.h - the algorithm of the main phase of a composed one: which it is, what it needs. */
#ifndef TUTTI_PHASE_H
#define TUTTI_PHASE_H

#include "algos/algo.h"

/* For algo.variants: exscans, of sums of nodes. */
extern const algo *const phase_exscans[];

/* That of the variant; or if an operation that does not commute, or must see whole vectors, cannot
 * have that, the first one that serves. There must be one. */
const algo *phase_of(const algo_options *o);

/* Its steps, in this group. The parameter of the whole is pieces: it is also that of the phase, if
 * that cuts into pieces. */
void phase_compile(const algo_options *o, const group *g, int root, const blockmap *b,
                   sched_builder *s);

/* Into how many parts a vector is cut for it, among n members: what it asks for itself; and where
 * blocks travel one by one (form `block`) so many times the pieces. 1 if vectors must stay whole.
 */
int phase_parts(const algo_options *o, int n, sched_builder *s);

#endif
