/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - what the solvers have found, side by side. */
#ifndef EXAMPLES_REPORT_H
#define EXAMPLES_REPORT_H

#include "common/solver.h"

/* Collective. A line for each of the n solvers; 0 if all converged, to the same solution. "Bit for
 * bit": as the first line of its kind, plain or pipelined. The residual is |b - A x| / |b|,
 * computed from x. */
int report(solver s[], int n);

#endif
