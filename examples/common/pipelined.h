/* SPDX-License-Identifier: BSD-3-Clause */
/* pipelined.h - the pipelined iteration; see pipelined.c. */
#ifndef EXAMPLES_PIPELINED_H
#define EXAMPLES_PIPELINED_H

#include "common/state.h"

/* Start the solver; its r is the right-hand side, and x = 0. Collective. */
void pipelined_open(solver *s);
void pipelined_iterate(solver *s);

#endif
