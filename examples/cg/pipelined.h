/* SPDX-License-Identifier: BSD-3-Clause */
/* pipelined.h - the pipelined iteration; see pipelined.c. */
#ifndef CG_PIPELINED_H
#define CG_PIPELINED_H

#include "state.h"

/* Of a solver whose r is the right-hand side, x = 0. Collective. */
void pipelined_open(solver *s);
void pipelined_iterate(solver *s);

#endif
