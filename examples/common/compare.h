/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h - one problem, solved in several ways side by side. */
#ifndef EXAMPLES_COMPARE_H
#define EXAMPLES_COMPARE_H

#include "common/solver.h"

enum { MOST_WAYS = 8 };

/* Does --method name one of these ways, and a pipelined one if those are asked for? */
bool method_known(const way ways[], int n, const options *o);

/* Collective. Solve in those of n ways that were chosen, one iteration each in turn, and judge what
 * came out. 0, or what judge says, or 1 with a line on stderr: not solved. */
int compare_ways(const problem *p, const way ways[], int n, const options *o,
                 int (*judge)(solver s[], int n));

#endif
