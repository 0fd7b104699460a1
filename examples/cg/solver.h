/* SPDX-License-Identifier: BSD-3-Clause */
/* solver.h - conjugate gradients, in several ways of communication. */
#ifndef CG_SOLVER_H
#define CG_SOLVER_H

#include "state.h"

enum { WAYS = 6 };

extern const way ways[WAYS];

bool way_chosen(const way *w, const options *o);

/* Is there a way of this method, and pipelined if that is asked for? */
bool method_known(const options *o);

/* Collective. The right-hand side is A times ones, so that the solution is known. The solver stays
 * where it is until it is closed. An MPI error class, on all ranks. */
int solver_open(solver *s, const matrix *m, const way *w, const options *o);
void solver_close(solver *s);

bool solver_done(const solver *s);
void solver_iterate(solver *s);

#endif
