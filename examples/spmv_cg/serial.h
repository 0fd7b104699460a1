/* SPDX-License-Identifier: BSD-3-Clause */
/* serial.h - is what the solvers have found right on rank 0, by the whole matrix? */
#ifndef SPMV_CG_SERIAL_H
#define SPMV_CG_SERIAL_H

#include "common/solver.h"

/* Collective. 0 if each of the n solutions is that of a serial solve, and its residual there is
 * small; also for matrices that are too large for that, which is said. */
int serial_check(const solver s[], int n);

#endif
