/* SPDX-License-Identifier: BSD-3-Clause */
/* pipelined.h - the pipelined iteration; see pipelined.c. */
#ifndef CG_PIPELINED_H
#define CG_PIPELINED_H

#include "state.h"

/* Start the solver; its r is the right-hand side, and x = 0. Collective. */
void pipelined_open(solver *s);
void pipelined_iterate(solver *s);

#endif
