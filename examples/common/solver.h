/* SPDX-License-Identifier: BSD-3-Clause */
/* solver.h - conjugate gradients, in several ways of communication. */
#ifndef EXAMPLES_SOLVER_H
#define EXAMPLES_SOLVER_H

#include "common/state.h"

/* Collective. The solver stays where it is until it is closed. An MPI error class, on all ranks. */
int solver_open(solver *s, const problem *p, const way *w, const options *o);
void solver_close(solver *s);

bool solver_done(const solver *s);
void solver_iterate(solver *s);

#endif
