/* SPDX-License-Identifier: BSD-3-Clause */
/* phase.h - an algorithm as a phase of another one: its options, and the parts it needs. */
#ifndef TUTTI_PHASE_H
#define TUTTI_PHASE_H

#include "algos/algo.h"

/* The algorithm of the variant; or if an operation that does not commute, or must see whole
 * vectors, cannot have that, the first one that serves. There must be one. */
const algo *phase_of(const algo *const *phases, const algo_options *o);

/* What it is asked for among n members. The parameter of the whole is pieces: it is also that of
 * the phase, if that cuts into pieces. */
algo_options phase_options(const algo *phase, const algo_options *o, int n, int root);

/* Into how many parts a vector is cut for it: what it asks for itself; and where blocks travel one
 * by one (form `block`) so many times the pieces. 1 if vectors must stay whole. */
int phase_parts(const algo *phase, const algo_options *o, int n, sched_builder *s);

#endif
